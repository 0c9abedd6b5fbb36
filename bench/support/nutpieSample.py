"""Samples the regressions of a JSON file with nutpie: 4 chains of draws and tune; prints one JSON line a model."""
import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import arviz
import numpy as np
import nutpie
import pymc as pm
import pytensor
import pytensor.sparse
import scipy.sparse


def prior(name, p, **kw):
    kind = p["kind"]
    if kind == "flat":
        return pm.Flat(name, **kw)
    if kind == "normal":
        return pm.Normal(name, p["mean"], p["sd"], **kw)
    if kind == "student_t":
        return pm.StudentT(name, nu=p["df"], mu=p["mean"], sigma=p["scale"], **kw)
    raise ValueError(kind)


def positive(name, p, lower=None):
    kind = p["kind"]
    if kind == "flat":
        return pm.HalfFlat(name)
    if kind == "cauchy":
        return pm.HalfCauchy(name, p["scale"])
    if kind == "student_t":
        return pm.HalfStudentT(name, nu=p["df"], sigma=p["scale"])
    if kind == "exponential":
        return pm.Exponential(name, p["rate"])
    if kind == "gamma":
        base = pm.Gamma.dist(p["shape"], p["rate"])
        return pm.Truncated(name, base, lower=lower) if lower is not None else pm.Gamma(name, p["shape"], p["rate"])
    raise ValueError(kind)


def share(name, p):
    if p["kind"] == "uniform":
        return pm.Uniform(name, p["lower"], p["upper"])
    return pm.Beta(name, p["a"], p["b"])


# The values that have a share of their own, in their order, and the family of the rest.
ATOMS = {
    "zero_inflated_beta": ([("zero", 0)], "beta"),
    "one_inflated_beta": ([("one", 1)], "beta"),
    "zero_one_inflated_beta": ([("zero", 0), ("one", 1)], "beta"),
    "hurdle_gamma": ([("zero", 0)], "gamma"),
    "hurdle_lognormal": ([("zero", 0)], "lognormal"),
    "hurdle_poisson": ([("zero", 0)], "truncated_poisson"),
    "hurdle_negative_binomial": ([("zero", 0)], "truncated_negative_binomial"),
}


def with_atoms(atoms, mu, y, c):
    """Written as the peer is quickest: the atoms as a Bernoulli of counts, the rest on its own rows alone."""
    parts, family = atoms
    left = np.ones(len(y), dtype=bool)
    for name, value in parts:
        hits = y[left] == value
        pm.Binomial("y_" + name, n=int(left.sum()), p=share(name, c[name]), observed=int(hits.sum()))
        left = left & (y != value)
    rest, mu = y[left], mu[np.flatnonzero(left)]
    if family == "truncated_poisson":
        rate = pm.math.exp(mu)
        pm.Poisson("y", mu=rate, observed=rest)
        pm.Potential("cut", -pm.math.log1mexp(-rate, negative_input=True).sum())
    elif family == "truncated_negative_binomial":
        rate, phi = pm.math.exp(mu), positive("phi", c["phi"])
        pm.NegativeBinomial("y", mu=rate, alpha=phi, observed=rest)
        pm.Potential("cut", -pm.math.log1mexp(-phi * pytensor.tensor.log1p(rate / phi), negative_input=True).sum())
    else:
        observe(family, mu, rest, c)


def observe(family, mu, y, c):
    """The likelihood of a family without atoms."""
    if family == "gaussian":
        pm.Normal("y", mu, positive("sigma", c["sigma"]), observed=y)
    elif family == "bernoulli":
        pm.Bernoulli("y", logit_p=mu, observed=y)
    elif family == "negative_binomial":
        pm.NegativeBinomial("y", mu=pm.math.exp(mu), alpha=positive("phi", c["phi"]), observed=y)
    elif family == "poisson":
        pm.Poisson("y", mu=pm.math.exp(mu), observed=y)
    elif family == "lognormal":
        pm.LogNormal("y", mu, positive("sigma", c["sigma"]), observed=y)
    elif family == "zero_inflated_poisson":
        pm.ZeroInflatedPoisson("y", psi=1 - share("zero", c["zero"]), mu=pm.math.exp(mu), observed=y)
    elif family == "zero_inflated_negative_binomial":
        psi = 1 - share("zero", c["zero"])
        alpha = positive("phi", c["phi"])
        pm.ZeroInflatedNegativeBinomial("y", psi=psi, mu=pm.math.exp(mu), alpha=alpha, observed=y)
    elif family == "student_t":
        nu = positive("nu", c["nu"], lower=1)
        pm.StudentT("y", nu=nu, mu=mu, sigma=positive("sigma", c["sigma"]), observed=y)
    elif family == "beta":
        phi = positive("phi", c["phi"])
        m = pm.math.invlogit(mu)
        pm.Beta("y", m * phi, (1 - m) * phi, observed=y)
    elif family == "gamma":
        shape = positive("shape", c["shape"])
        pm.Gamma("y", alpha=shape, beta=shape / pm.math.exp(mu), observed=y)
    else:
        raise ValueError(family)


def product(x, beta):
    """Sparse where most entries are 0, as the peer is quickest."""
    if np.count_nonzero(x) > x.size / 4:
        return x @ beta
    sparse = pytensor.sparse.as_sparse_variable(scipy.sparse.csr_matrix(x))
    return pytensor.sparse.structured_dot(sparse, beta[:, None])[:, 0]


def build(spec):
    x = np.array(spec["x"], dtype=float)
    y = np.array(spec["y"])
    with pm.Model() as model:
        priors = spec["priors"]
        if all(p == priors[0] for p in priors):
            mu = product(x, prior("beta", priors[0], shape=x.shape[1]))
        else:
            mu = prior("alpha", priors[0]) * x[:, 0] + product(x[:, 1:], prior("beta", priors[1], shape=x.shape[1] - 1))
        c = spec["constants"]
        family = spec["family"]
        if family in ATOMS:
            with_atoms(ATOMS[family], mu, y, c)
        else:
            observe(family, mu, y, c)
    return model


def main(path):
    with open(path) as file:
        order = json.load(file)
    for spec in order["models"]:
        model = build(spec)
        start = time.perf_counter()
        compiled = nutpie.compile_pymc_model(model)
        middle = time.perf_counter()
        trace = nutpie.sample(
            compiled, draws=order["draws"], tune=order["tune"], chains=4, seed=1, progress_bar=False
        )
        end = time.perf_counter()
        ess = arviz.ess(trace, method="bulk")
        least = min(float(np.min(ess[name].values)) for name in ess.data_vars)
        line = {"name": spec["name"], "compile": middle - start, "sample": end - middle, "ess": least}
        print(json.dumps(line), flush=True)


main(sys.argv[1])
