"""mostlyai-engine's LSTM on one column of text, after an epoch from scratch: seconds of a processor, tokens that it was trained
on, and bits per character of texts that it has not seen. argv: a JSON file with `training` and `heldOut`, lists of texts."""
import json
import math
import sys
import time
import warnings

import pandas as pd
import torch

warnings.simplefilter("ignore")
from mostlyai.engine import LanguageModel
from mostlyai.engine._language.common import load_base_model_and_config
from mostlyai.engine._workspace import Workspace
from transformers import AutoTokenizer

with open(sys.argv[1], encoding="utf-8") as f:
    asked = json.load(f)
model = LanguageModel(tgt_encoding_types={"text": "LANGUAGE_TEXT"}, max_epochs=1, random_state=1, device="cpu")
before = time.process_time()
model.fit(pd.DataFrame({"text": asked["training"]}))
cpu_seconds = time.process_time() - before

path = Workspace(model.workspace_path_).model_path
tokenizer = AutoTokenizer.from_pretrained(path, add_bos_token=False, add_eos_token=False, legacy=True)
network, _ = load_base_model_and_config(
    path, device=torch.device("cpu"), is_peft_adapter=False, is_training=False, differential_privacy=False
)
network.eval()


def tokens_of(text):
    """As the engine writes a row: the frame around the text is certain, and costs next to nothing."""
    return tokenizer(f"<s> {json.dumps({'text': text}, ensure_ascii=False)}</s>")["input_ids"]


def nats(tokens):
    ids = torch.tensor([tokens])
    logits = network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    likelihoods = torch.log_softmax(logits[0, :-1].float(), dim=-1)
    return -likelihoods.gather(1, ids[0, 1:, None]).sum().item()


with torch.inference_mode():
    spent = sum(nats(tokens_of(text)) for text in asked["heldOut"])
characters = sum(len(text) + 1 for text in asked["heldOut"])
tokens = sum(len(tokens_of(text)) for text in asked["training"])
print(json.dumps({"cpuSeconds": cpu_seconds, "tokens": tokens, "bits": spent / math.log(2) / characters}))
model.close()
