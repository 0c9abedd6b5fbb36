"""The peer of bench/treesVersusSklearn.ts: reads one JSON file of train and test columns, prints R² and seconds."""
import json
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingRegressor

with open(sys.argv[1], encoding="utf-8") as file:
    task = json.load(file)


def side(columns):
    features = [c for c in columns if c["name"] != task["target"]]
    target = next(c for c in columns if c["name"] == task["target"])
    x = np.array([c["cells"] for c in features], dtype=float).T
    return x, np.array(target["cells"], dtype=float), [c["category"] for c in features]


(x, y, category), (xt, yt, _) = side(task["train"]), side(task["test"])
seconds = np.inf
for _ in range(task["repeats"]):
    start = time.perf_counter()
    model = HistGradientBoostingRegressor(categorical_features=category, early_stopping=False).fit(x, y)
    r2 = 1 - np.sum((yt - model.predict(xt)) ** 2) / np.sum((yt - yt.mean()) ** 2)
    seconds = min(seconds, time.perf_counter() - start)
print(json.dumps({"r2": float(r2), "seconds": seconds, "version": sklearn.__version__}))
