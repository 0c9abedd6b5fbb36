"""The judge of bench/privateMode.ts: three CSV files (training, test, synthetic) and a target; prints figures as JSON."""
import itertools
import json
import sys
import warnings

import numpy as np
import pandas as pd
from sdmetrics.reports.single_table import QualityReport
from sklearn.metrics import roc_auc_score
from xgboost import XGBClassifier

warnings.simplefilter("ignore")
TENTHS = 10
train, test, synthetic = (pd.read_csv(path, keep_default_na=False, na_values=["", "NA"]) for path in sys.argv[1:4])
target = sys.argv[4]
synthetic = synthetic[train.columns]
numbers = [name for name in train.columns if pd.api.types.is_numeric_dtype(train[name])]


def coded(table):
    """Numbers in tenths of the training rows, levels by their place; a missing cell is a level of its own."""
    out = {}
    for name in train.columns:
        if name in numbers:
            edges = np.unique(np.quantile(train[name].dropna(), np.arange(1, TENTHS) / TENTHS))
            codes = np.searchsorted(edges, table[name].to_numpy(float), side="left") + 1
            out[name] = np.where(table[name].isna(), 0, codes)
        else:
            out[name] = pd.Categorical(table[name], categories=levels[name]).codes.astype(int) + 1
    return out


def shares(a, size):
    return np.bincount(a, minlength=size) / len(a)


def variation(a, b, size):
    return 0.5 * np.abs(shares(a, size) - shares(b, size)).sum()


levels = {
    name: sorted({*train[name].dropna(), *test[name].dropna(), *synthetic[name].dropna()})
    for name in train.columns
    if name not in numbers
}
real, made = coded(train), coded(synthetic)
sizes = {name: 1 + max(real[name].max(), made[name].max()) for name in train.columns}
columns = [variation(real[name], made[name], sizes[name]) for name in train.columns]
pairs = [
    variation(real[a] * sizes[b] + real[b], made[a] * sizes[b] + made[b], sizes[a] * sizes[b])
    for a, b in itertools.combinations(train.columns, 2)
]


def auc(table):
    """Of boosted trees for the target's last level, on the test rows."""

    def features(rows):
        own = rows.drop(columns=target).copy()
        for name in own.columns:
            if name not in numbers:
                own[name] = pd.Categorical(own[name], categories=levels[name])
        return own

    is_last = [(rows[target] == levels[target][-1]).to_numpy(int) for rows in (table, test)]
    model = XGBClassifier(n_estimators=100, max_depth=4, enable_categorical=True, tree_method="hist", n_jobs=1)
    model.fit(features(table), is_last[0])
    return roc_auc_score(is_last[1], model.predict_proba(features(test))[:, 1])


types = {name: {"sdtype": "numerical" if name in numbers else "categorical"} for name in train.columns}
report = QualityReport()
report.generate(train, synthetic, {"columns": types}, verbose=False)
trends = report.get_details("Column Pair Trends").sort_values("Score")
figures = {
    "columns": float(np.mean(columns)),
    "pairs": float(np.mean(pairs)),
    "trtr": float(auc(train)),
    "tstr": float(auc(synthetic.dropna(subset=[target]))),
    "trend": float(report.get_properties().set_index("Property").loc["Column Pair Trends", "Score"]),
    "worst": [f"{a} {b} {score:.2f}" for a, b, score in trends[["Column 1", "Column 2", "Score"]].head(6).to_numpy()],
    "byColumn": {name: round(float(value), 4) for name, value in zip(train.columns, columns)},
}
print(json.dumps(figures))
