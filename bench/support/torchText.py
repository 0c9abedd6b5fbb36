"""Tokens a second of a Llama model in PyTorch: all weights trained; and texts written by `generate` with its cache, all of
one length, and of given lengths in batches that run until their longest text ends, in the better of some batch sizes."""
import json
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StoppingCriteria, StoppingCriteriaList

asked = json.loads(sys.argv[1])
torch.manual_seed(1)
config = LlamaConfig(
    vocab_size=asked["pieces"],
    hidden_size=asked["width"],
    intermediate_size=asked["hidden"],
    num_hidden_layers=asked["layers"],
    num_attention_heads=asked["heads"],
    num_key_value_heads=asked["keyHeads"],
    head_dim=asked["headWidth"],
    rms_norm_eps=asked["epsilon"],
    tie_word_embeddings=True,
    max_position_embeddings=2048,
    bos_token_id=None,
    eos_token_id=None,
    pad_token_id=0,
)
model = LlamaForCausalLM(config)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
shape = (asked["windows"], asked["length"])


def step():
    tokens = torch.randint(0, asked["pieces"], shape)
    optimiser.zero_grad(set_to_none=True)
    model(input_ids=tokens, labels=tokens).loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def tokens_a_second(work, tokens):
    start = time.perf_counter()
    work()
    return tokens / (time.perf_counter() - start)


model.train()
for _ in range(2):
    step()
training = tokens_a_second(
    lambda: [step() for _ in range(asked["steps"])], asked["steps"] * shape[0] * shape[1]
)

model.eval()


class OwnLengths(StoppingCriteria):
    def __init__(self, lengths):
        self.lengths = torch.tensor(lengths)

    def __call__(self, input_ids, scores, **_):
        return input_ids.shape[1] - 1 >= self.lengths


def write(lengths):
    first = torch.ones((len(lengths), 1), dtype=torch.long)
    count = max(lengths)
    return model.generate(
        first,
        attention_mask=torch.ones_like(first),
        stopping_criteria=StoppingCriteriaList([OwnLengths(lengths)]),
        do_sample=True,
        top_p=0.95,
        top_k=0,
        temperature=1.0,
        use_cache=True,
        max_new_tokens=count,
    )


def in_batches(size):
    for at in range(0, len(lengths), size):
        write(lengths[at : at + size])


lengths = asked["lengths"]
with torch.inference_mode():
    write([2] * asked["texts"])
    equal = [asked["length"] - 1] * asked["texts"]
    writing = tokens_a_second(lambda: write(equal), sum(equal))
    rows = max(tokens_a_second(lambda: in_batches(size), sum(lengths)) for size in asked["batches"])

print(json.dumps({"training": training, "writing": writing, "rows": rows}))
