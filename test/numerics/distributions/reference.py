"""Writes reference.json: [family, y, eta, log density] from the textbook formulas in 700-digit arithmetic. Needs mpmath 1.4."""
import json
import os
import random

from mpmath import exp, expm1, log, log1p, loggamma, mp, mpf, pi

mp.dps = 700
random.seed(30)


def logistic(x):
    return 1 / (1 + exp(-x))


def gaussian(y, mu, s):
    return -((y - mu) / exp(s)) ** 2 / 2 - s - log(2 * pi) / 2


def student_t(y, mu, s, n):
    nu = 1 + exp(n)
    return (loggamma((nu + 1) / 2) - loggamma(nu / 2) - log(nu * pi) / 2 - s
            - (nu + 1) / 2 * log1p(((y - mu) / exp(s)) ** 2 / nu))


def lognormal(y, mu, s):
    return gaussian(log(y), mu, s) - log(y)


def gamma(y, m, k):
    shape = exp(k)
    rate = shape / exp(m)
    return shape * log(rate) + (shape - 1) * log(y) - rate * y - loggamma(shape)


def beta(y, m, p):
    a, b = logistic(m) * exp(p), logistic(-m) * exp(p)
    return loggamma(a + b) - loggamma(a) - loggamma(b) + (a - 1) * log(y) + (b - 1) * log(1 - y)


def bernoulli(y, m):
    return log(logistic(m if y == 1 else -m))


def poisson(y, m):
    return y * m - exp(m) - loggamma(y + 1)


def negative_binomial(y, m, p):
    mu, phi = exp(m), exp(p)
    return (loggamma(y + phi) - loggamma(phi) - loggamma(y + 1)
            + phi * log(phi / (phi + mu)) + y * log(mu / (phi + mu)))


def zero_inflated(base):
    def density(y, *eta):
        extra = logistic(eta[-1])
        return log((extra if y == 0 else 0) + (1 - extra) * exp(base(y, *eta[:-1])))
    return density


def hurdle(base):
    def density(y, *eta):
        zero = logistic(eta[-1])
        if y == 0:
            return log(zero)
        return log(1 - zero) + base(y, *eta[:-1]) - log(1 - exp(base(mpf(0), *eta[:-1])))
    return density


def atom(base, where):
    def density(y, *eta):
        p = logistic(eta[-1])
        return log(p) if y == where else log(1 - p) + base(y, *eta[:-1])
    return density


def zero_one_inflated_beta(y, m, p, zero, one):
    return log(logistic(zero)) if y == 0 else log(logistic(-zero)) + atom(beta, 1)(y, m, p, one)


def u(a, b):
    return random.uniform(a, b)


def location(size):
    return random.choice([u(-3, 3), u(-3, 3), u(-size, size)])


def shape():
    return random.choice([u(-3, 6), u(-3, 6), u(-20, 30), u(-300, 300)])


def scale():
    return random.choice([u(-3, 3), u(-30, 30)])


def count():
    return float(random.choice([0, 1, 2, 5, 30, 1000, 10 ** 6]))


def positive():
    return random.choice([exp(u(-3, 3)), exp(u(-300, 300))])


def share():
    return random.choice([u(0, 1), exp(u(-30, -3))])


def logit():
    return random.choice([u(-4, 4), u(-60, 60)])


FAMILIES = {
    "gaussian": (gaussian, lambda: u(-9, 9), lambda: [location(9), scale()]),
    "student_t": (student_t, lambda: u(-9, 9), lambda: [location(9), scale(), shape()]),
    "lognormal": (lognormal, positive, lambda: [location(200), scale()]),
    "gamma": (gamma, positive, lambda: [location(200), shape()]),
    "beta": (beta, share, lambda: [location(60), shape()]),
    "bernoulli": (bernoulli, lambda: float(random.choice([0, 1])), lambda: [location(600)]),
    "poisson": (poisson, count, lambda: [location(20)]),
    "negative_binomial": (negative_binomial, count, lambda: [location(20), shape()]),
    "zero_inflated_poisson": (zero_inflated(poisson), count, lambda: [location(20), logit()]),
    "zero_inflated_negative_binomial": (zero_inflated(negative_binomial), count, lambda: [location(20), shape(), logit()]),
    "zero_inflated_beta": (atom(beta, 0), lambda: random.choice([0.0, share()]), lambda: [location(60), shape(), logit()]),
    "one_inflated_beta": (atom(beta, 1), lambda: random.choice([1.0, share()]), lambda: [location(60), shape(), logit()]),
    "zero_one_inflated_beta": (zero_one_inflated_beta, lambda: random.choice([0.0, 1.0, share()]),
                               lambda: [location(60), shape(), logit(), logit()]),
    "hurdle_gamma": (atom(gamma, 0), lambda: random.choice([0.0, positive()]), lambda: [location(200), shape(), logit()]),
    "hurdle_lognormal": (atom(lognormal, 0), lambda: random.choice([0.0, positive()]), lambda: [location(200), scale(), logit()]),
    "hurdle_poisson": (hurdle(poisson), count, lambda: [location(20) - random.choice([0, 200]), logit()]),
    "hurdle_negative_binomial": (hurdle(negative_binomial), count,
                                 lambda: [location(20) - random.choice([0, 200]), shape(), logit()]),
}

rows = []
for name, (density, draw, predictors) in FAMILIES.items():
    for _ in range(24):
        y, eta = float(draw()), [float(v) for v in predictors()]
        value = float(density(mpf(y), *[mpf(v) for v in eta]))
        rows.append([name, y, eta, value if abs(value) < 1e308 else None])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as out:
    out.write("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")
