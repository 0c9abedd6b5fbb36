"""The peer of bench/metricsSpeed.ts: nearest neighbours by brute force. Arguments: two float32 files, and their width."""
import json
import sys
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

asked, real = (np.fromfile(path, dtype=np.float32).reshape(-1, int(sys.argv[3])) for path in sys.argv[1:3])
found = {}
for metric in ("manhattan", "euclidean"):
    start = time.perf_counter()
    distances, _ = NearestNeighbors(n_neighbors=1, algorithm="brute", metric=metric).fit(real).kneighbors(asked)
    found[metric] = time.perf_counter() - start
    if metric == "manhattan":
        found["sum"] = float(distances.sum())
print(json.dumps(found))
