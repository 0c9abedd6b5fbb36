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


def build(spec):
    x = np.array(spec["x"])
    y = np.array(spec["y"])
    with pm.Model() as model:
        priors = spec["priors"]
        if all(p == priors[0] for p in priors):
            mu = x @ prior("beta", priors[0], shape=x.shape[1])
        else:
            mu = prior("alpha", priors[0]) * x[:, 0] + x[:, 1:] @ prior("beta", priors[1], shape=x.shape[1] - 1)
        c = spec["constants"]
        family = spec["family"]
        if family == "gaussian":
            pm.Normal("y", mu, positive("sigma", c["sigma"]), observed=y)
        elif family == "bernoulli":
            pm.Bernoulli("y", logit_p=mu, observed=y)
        elif family == "negative_binomial":
            pm.NegativeBinomial("y", mu=pm.math.exp(mu), alpha=positive("phi", c["phi"]), observed=y)
        elif family == "zero_inflated_poisson":
            zi = pm.Uniform("zi", 0, 1)
            pm.ZeroInflatedPoisson("y", psi=1 - zi, mu=pm.math.exp(mu), observed=y)
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
