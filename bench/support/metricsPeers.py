"""The peer of bench/metricsVersusPeers.ts: reads one JSON file of columns, prints figures by name and the TSTR R²."""
import itertools
import json
import sys
import warnings

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp, pearsonr, spearmanr, wasserstein_distance
from scipy.stats.contingency import association
from sdmetrics.single_column import KSComplement, TVComplement
from sklearn.ensemble import HistGradientBoostingRegressor

warnings.simplefilter("ignore")
with open(sys.argv[1], encoding="utf-8") as file:
    task = json.load(file)


def series(column):
    return pd.Series(column["cells"], dtype=float)


real, other, test = ([series(c) for c in task[side]] for side in ("real", "other", "test"))
category = [c["category"] for c in task["real"]]
figures = {}
for at, (a, b) in enumerate(zip(real, other)):
    a, b = a.dropna(), b.dropna()
    if category[at]:
        figures[f"tv {at}"] = 1 - TVComplement.compute(a.astype(int).astype(str), b.astype(int).astype(str))
    else:
        figures[f"ks {at}"] = ks_2samp(a, b).statistic
        assert abs(1 - KSComplement.compute(a, b) - figures[f"ks {at}"]) < 1e-9
        if a.std() > 0:
            figures[f"wd {at}"] = wasserstein_distance(a, b) / a.std()
for i, j in itertools.combinations(range(len(real)), 2):
    both = pd.DataFrame({"a": real[i], "b": real[j]}).dropna()
    a, b = both["a"], both["b"]
    if not category[i] and not category[j]:
        figures[f"pearson {i} {j}"] = pearsonr(a, b).statistic
        figures[f"spearman {i} {j}"] = spearmanr(a, b).statistic
    elif not category[i]:
        groups = a.groupby(b)
        between = (groups.size() * (groups.mean() - a.mean()) ** 2).sum()
        figures[f"eta {i} {j}"] = np.sqrt(between / ((a - a.mean()) ** 2).sum())
    else:
        figures[f"cramer {i} {j}"] = association(pd.crosstab(a, b).to_numpy(), method="cramer")
names = [c["name"] for c in task["real"]]
target = names.index(task["target"])
rest = [at for at in range(len(names)) if at != target]


def learnt(columns):
    kept = columns[target].notna().to_numpy()
    x = np.array([columns[at].to_numpy() for at in rest], dtype=float).T
    return x[kept], columns[target].to_numpy()[kept]


(x, y), (xt, yt) = learnt(other), learnt(test)
model = HistGradientBoostingRegressor(categorical_features=[category[at] for at in rest], early_stopping=False).fit(x, y)
r2 = 1 - np.sum((yt - model.predict(xt)) ** 2) / np.sum((yt - yt.mean()) ** 2)
print(json.dumps({"figures": {k: float(v) for k, v in figures.items() if np.isfinite(v)}, "r2": float(r2)}))
