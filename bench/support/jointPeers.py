"""
The peers of bench/jointVersusPeers.ts. `split TABLE SEED FOLDER` cuts the columns of a table that roles.json has into train.csv
and holdout.csv; `fit PEER FOLDER` fits a peer to train.csv, writes as many rows to PEER.csv and prints seconds; `trial SCRIPT
FOLDER` does the same by the script of the shared trial.
"""
import ast
import json
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")


def read(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def roles_of(folder):
    return json.loads((folder / "roles.json").read_text(encoding="utf-8"))


def numbers_of(roles):
    return [*roles["continuous"], *([roles["target"]] if roles["target"] else [])]


def columns_of(roles):
    return [*numbers_of(roles), *roles["categorical"]]


def split(table, seed, folder):
    real = read(table)[columns_of(roles_of(folder))]
    train = real.sample(frac=0.8, random_state=seed)
    train.to_csv(folder / "train.csv", index=False)
    real.drop(train.index).to_csv(folder / "holdout.csv", index=False)


def typed(folder):
    """Numbers as numbers, all else as text; a missing cell is None or NaN."""
    roles = roles_of(folder)
    table = read(folder / "train.csv")[columns_of(roles)].replace({"": None, "NA": None})
    for name in numbers_of(roles):
        table[name] = pd.to_numeric(table[name], errors="coerce")
    return table, roles


def by_sdv(synthesizer, table, roles):
    from sdv.metadata import Metadata

    kinds = {name: {"sdtype": "categorical"} for name in roles["categorical"]}
    kinds |= {name: {"sdtype": "numerical"} for name in table if name not in kinds}
    metadata = Metadata.load_from_dict({"tables": {"t": {"columns": kinds}}, "METADATA_SPEC_VERSION": "V1"})
    made = synthesizer(metadata)
    made.fit({"t": table})
    return made.sample(num_rows=len(table))["t"]


def gaussian_copula(table, roles):
    from sdv.single_table import GaussianCopulaSynthesizer

    return by_sdv(GaussianCopulaSynthesizer, table, roles)


def tvae(table, roles):
    from sdv.single_table import TVAESynthesizer

    return by_sdv(TVAESynthesizer, table, roles)


def tabular_argn(table, roles):
    """Stops by itself, as it does by default."""
    from mostlyai.engine import TabularARGN

    model = TabularARGN(verbose=0, random_state=1)
    model.fit(table)
    return model.sample(n_samples=len(table))


# Its Python samples from each leaf of each tree by itself: 16,512 rows of california take more than 7 minutes.
ARF_ROWS = 4_000


def adversarial_forest(table, roles):
    """Of ARF_ROWS at most. Knows no missing cells: a category's are a level, and rows without one of their numbers are left out."""
    np.in1d = np.isin  # arfpy 0.1.1 calls it by the name that numpy 2.4 no longer has.
    from arfpy.arf import arf

    whole = table.fillna({name: "" for name in roles["categorical"]}).dropna().reset_index(drop=True)
    some = whole.sample(min(ARF_ROWS, len(whole)), random_state=1).reset_index(drop=True)
    forest = arf(x=some, verbose=False, random_state=1, n_jobs=2)
    forest.forde()
    return forest.forge(n=len(table))


PEERS = {
    "gaussian_copula": gaussian_copula,
    "tvae": tvae,
    "tabular_argn": tabular_argn,
    "arf": adversarial_forest,
}


def fit(peer, folder):
    random.seed(1)
    np.random.seed(1)
    table, roles = typed(folder)
    start = time.monotonic()
    made = PEERS[peer](table, roles)
    seconds = time.monotonic() - start
    made.to_csv(folder / f"{peer}.csv", index=False)
    print(json.dumps({"seconds": seconds}))


def trial(script, folder):
    """The shared trial, on rows that have all of their numbers; its seconds are those of its own, without its measures."""
    roles = roles_of(folder)
    for part in ("train", "holdout"):
        numbers = numbers_of(roles)
        table = read(folder / f"{part}.csv")[columns_of(roles)].replace({"NA": ""})
        table[(table[numbers] != "").all(axis=1)].to_csv(folder / f"{part}-whole.csv", index=False)
    files = [folder / name for name in ("train-whole.csv", "holdout-whole.csv", "trial.csv")]
    last = ["--last", roles["target"]] if roles["target"] else []
    command = [sys.executable, script, *files, "--categorical", ",".join(roles["categorical"]), *last]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(json.dumps({"seconds": ast.literal_eval(printed.strip().splitlines()[-1])["seconds"]}))


if __name__ == "__main__":
    if sys.argv[1] == "split":
        split(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
    elif sys.argv[1] == "trial":
        trial(sys.argv[2], Path(sys.argv[3]))
    else:
        fit(sys.argv[2], Path(sys.argv[3]))
