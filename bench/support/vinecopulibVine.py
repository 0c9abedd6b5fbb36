"""Fits a vine with pyvinecopulib and simulates it: argv: csv of ranks, mode, rows to simulate. Prints a JSON line."""
import json
import resource
import sys
import time

import numpy as np
import pyvinecopulib as pv

PARAMETRIC = ["indep", "gaussian", "student", "clayton", "gumbel", "frank", "joe", "bb1", "bb6", "bb7", "bb8"]
ITAU = ["indep", "gaussian", "student", "clayton", "gumbel", "frank", "joe"]
FAMILIES = {"mle": PARAMETRIC, "itau": ITAU, "tll": ["tll"], "all": PARAMETRIC + ["tll"]}


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


path, mode, degree, simulated = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
u = np.asfortranarray(np.loadtxt(path, delimiter=","))
controls = pv.FitControlsVinecop(
    family_set=[getattr(pv.families, name) for name in FAMILIES[mode]],
    parametric_method="itau" if mode == "itau" else "mle",
    nonparametric_method=degree,
    num_threads=1,
)
start, begun = time.perf_counter(), cpu()
vine = pv.Vinecop.from_data(u, controls=controls)
seconds, busy = time.perf_counter() - start, cpu() - begun
start, begun = time.perf_counter(), cpu()
vine.simulate(simulated, seeds=[1, 2, 3])
draws = {"drawSeconds": time.perf_counter() - start, "drawCpu": cpu() - begun}
print(json.dumps({"seconds": seconds, "cpu": busy, "logLikelihood": vine.loglik(u), **draws}))
