"""Fits pairs with pyvinecopulib: reads {pairs: [{u, v}], rotations}, prints log-likelihoods, choices and seconds as JSON."""
import json
import sys
import time

import numpy as np
import pyvinecopulib as pv

FAMILIES = ["gaussian", "student", "clayton", "gumbel", "frank", "joe", "bb1", "bb6", "bb7", "bb8"]
DEGREES = ["constant", "linear", "quadratic"]


def timed(make):
    start = time.perf_counter()
    fit = make()
    return fit, time.perf_counter() - start


def fit_pair(u):
    out = {}
    for name in FAMILIES:
        controls = pv.FitControlsBicop(family_set=[getattr(pv.families, name)], preselect_families=False)
        # Over a family alone the choice lies between it, its rotations and independence.
        fit, seconds = timed(lambda: pv.Bicop.from_data(u, controls=controls))
        out[name] = {"logLikelihood": fit.loglik(u), "seconds": seconds, "chosen": fit.family.name, "rotation": fit.rotation}
    for degree in DEGREES:
        controls = pv.FitControlsBicop(family_set=[pv.families.tll], nonparametric_method=degree)
        fit, seconds = timed(lambda: pv.Bicop.from_data(u, controls=controls))
        out["tll " + degree] = {"logLikelihood": fit.loglik(u), "seconds": seconds, "chosen": fit.family.name, "rotation": 0}
    chosen = [pv.families.indep] + [getattr(pv.families, name) for name in FAMILIES]
    fit, seconds = timed(lambda: pv.Bicop.from_data(u, controls=pv.FitControlsBicop(family_set=chosen)))
    out["selected"] = {"logLikelihood": fit.loglik(u), "seconds": seconds, "chosen": fit.family.name, "rotation": fit.rotation}
    return out


pairs = json.load(open(sys.argv[1]))
print(json.dumps([fit_pair(np.column_stack([pair["u"], pair["v"]])) for pair in pairs]))
