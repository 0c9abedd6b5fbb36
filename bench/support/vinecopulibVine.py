"""Fits a vine of TLL pairs with pyvinecopulib and simulates it: argv: csv of ranks, degree, rows to simulate. Prints a JSON line."""
import json
import resource
import sys
import time

import numpy as np
import pyvinecopulib as pv


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


path, degree, simulated = sys.argv[1], sys.argv[2], int(sys.argv[3])
u = np.asfortranarray(np.loadtxt(path, delimiter=","))
controls = pv.FitControlsVinecop(
    family_set=[pv.families.tll],
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
