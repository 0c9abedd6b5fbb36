"""Reads a CSV file and the same as Parquet and as a workbook, and says in how many cells they differ.

python readFormats.py TABLE.csv TABLE.parquet SMALL.csv SMALL.xlsx
"""
import json
import sys

import pandas as pd

csv, parquet, small, xlsx = sys.argv[1:]


def differing(path, other):
    text = [name for name, kind in other.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    own = pd.read_csv(path, dtype={name: str for name in text}, keep_default_na=True)
    same = (own == other) | (own.isna() & other.isna())
    return int((~same).to_numpy().sum())


print(json.dumps({"parquet": differing(csv, pd.read_parquet(parquet)), "xlsx": differing(small, pd.read_excel(xlsx))}))
