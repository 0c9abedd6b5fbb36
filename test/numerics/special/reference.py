"""Writes reference.json: the special functions in 60-digit arithmetic at fixed arguments. Needs mpmath 1.4."""
import json
import os
import random

from mpmath import beta, betainc, digamma, gammainc, log, loggamma, mp, mpf

mp.dps = 60
random.seed(20)


def gamma_rows():
    xs = [1e-150, 1e-20, 1e-5, 0.25, 0.9374, 0.9376, 0.999999999, 1.0000000001, 1.0624, 1.0626, 1.46163214496836,
          1.999999999, 2.0000000001, 2.5, 7.9374, 7.99999, 8, 8.00001, 12, 199.9, 200.1, 1e4, 1e8, 1e17, 1e300]
    xs += [10 ** random.uniform(-6, 1.2) for _ in range(100)] + [10 ** random.uniform(1, 12) for _ in range(25)]
    return [[x, float(loggamma(mpf(x))), float(digamma(mpf(x)))] for x in xs]


def rise_rows():
    """x, a, log Γ(x + a) - log Γ(x) - a log x, x (ψ(x + a) - ψ(x)), x log x - x - log Γ(x)"""
    rows = []
    for _ in range(60):
        x, a = 10 ** random.uniform(-8, 15), random.choice([0.5, 1.0, 3.0, 250.0])
        X = mpf(x)
        rows.append([x, a, float(loggamma(X + a) - loggamma(X) - a * log(X)),
                     float(X * (digamma(X + a) - digamma(X))), float(X * log(X) - X - loggamma(X))])
    return rows


def incomplete_gamma_rows():
    """a, x, P, Q"""
    rows = []
    while len(rows) < 120:
        a = 10 ** random.uniform(-3, 6)
        x = a + random.choice([0.3, 1, 3]) * random.gauss(0, 1) * (a ** 0.5 + 0.1 * (a < 30) * a)
        if x <= 0:
            continue
        p = gammainc(mpf(a), 0, mpf(x), regularized=True)
        rows.append([a, x, float(p), float(1 - p)])
    return rows


def incomplete_beta(a, b, x):
    """By the continued fraction in long arithmetic: mpmath's own series is slow for large parameters."""
    if x * (b + 1) >= (1 - x) * (a + 1):
        return 1 - incomplete_beta(b, a, 1 - x)
    c, d = mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 400000):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            value *= c * d
        if abs(c * d - 1) < mpf(10) ** -30:
            break
    return mp.exp(a * log(x) + b * log(1 - x) + loggamma(a + b) - loggamma(a) - loggamma(b)) * value / a


def incomplete_beta_rows():
    """a, b, x, I. The first ten also by mpmath's betainc."""
    rows = []
    while len(rows) < 120:
        top = 5 if len(rows) < 110 else 7.5
        a, b = 10 ** random.uniform(-1, 1.5 if len(rows) < 10 else top), 10 ** random.uniform(-1, 1.5 if len(rows) < 10 else top)
        m = a / (a + b)
        x = m + random.choice([0.3, 1, 3]) * random.gauss(0, 1) * (m * (1 - m) / (a + b + 1)) ** 0.5
        if not 1e-4 < x < 1 - 1e-4:
            continue
        value = incomplete_beta(mpf(a), mpf(b), mpf(x))
        if len(rows) < 10:
            assert abs(value - betainc(a, b, 0, x, regularized=True)) < 1e-25
        rows.append([a, b, x, float(value)])
    return rows


def student_rows():
    """t, nu, P(T ≤ t)"""
    rows = []
    for _ in range(40):
        t, nu = -10 ** random.uniform(-2, 2), random.choice([1.0, 1.3, 2.5, 4.0, 30.0, 1e4, 1e9])
        if nu > 1e3:
            t = max(t, -20.0)
        tail = incomplete_beta(mpf(nu) / 2, mpf(0.5), nu / (nu + mpf(t) ** 2)) / 2
        rows.append([t, nu, float(tail)])
    return rows


rows = {"gamma": gamma_rows(), "rise": rise_rows(), "incompleteGamma": incomplete_gamma_rows(),
        "incompleteBeta": incomplete_beta_rows(), "studentT": student_rows()}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as out:
    parts = ['  "%s": [\n%s\n  ]' % (k, ",\n".join("    " + json.dumps(r) for r in v)) for k, v in rows.items()]
    out.write("{\n" + ",\n".join(parts) + "\n}\n")
