"""The peer of bench/privateMode.ts: AIM of dpmm. Rows, a domain, epsilon, delta and seed; writes its table, prints seconds as JSON."""
import json
import logging
import sys
import time

import pandas as pd
from dpmm.pipelines import AIMPipeline

logging.disable(logging.WARNING)
# The package's own share for bins of numbers; the model gets the rest.
BINS_EPSILON = 0.1
# Of its model, in MB: the package's own limit outside of its pipeline, which has none.
MODEL_MEGABYTES = 80
MISSING = "(missing)"
rows_path, domain_path, made_path, epsilon, delta, seed = sys.argv[1:7]
rows = pd.read_csv(rows_path, keep_default_na=False, na_values=["", "NA"])
with open(domain_path, encoding="utf8") as file:
    given = json.load(file)
domain = {}
for name, own in given.items():
    if "levels" in own:
        rows[name] = rows[name].where(rows[name].isin(own["levels"]), MISSING)
        domain[name] = {"categories": [*own["levels"], MISSING]}
    else:
        domain[name] = {"lower": own["min"], "upper": own["max"]}
model = AIMPipeline(
    epsilon=float(epsilon) - BINS_EPSILON,
    delta=float(delta),
    proc_epsilon=BINS_EPSILON,
    max_model_size=MODEL_MEGABYTES,
    n_jobs=1,
)
start, cpu = time.time(), time.process_time()
model.fit(rows, domain, random_state=int(seed))
made = model.generate(n_records=len(rows), random_state=int(seed))
spent = {"seconds": time.time() - start, "cpu": time.process_time() - cpu}
made[rows.columns].replace(MISSING, None).to_csv(made_path, index=False)
print(json.dumps(spent))
