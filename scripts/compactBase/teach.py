"""
Texts of the kinds that columns hold, written by SmolLM2-135M-Instruct: answers to `kinds.py` about words of WordNet.

  python teach.py TEACHER.gguf WORDNET OUT.jsonl --answers 60000

WORDNET is the folder of WordNet 3.0's files (Debian's package wordnet-base). One line an answer, appended batch by batch:
begun again, it goes on after the last batch that is there. Same seed, answers and machine: same texts.
"""
import argparse
import json
import os
import random
import time

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer

from kinds import LISTS, SINGLE

TEMPERATURE = 0.8
NUCLEUS = 0.95
BATCH = 128
# A batch ends when so many of its answers have.
ENDED = 0.85


def topics(wordnet):
    """Nouns and adjectives that WordNet's own texts use, as often as the logarithm of their count says."""
    found = {}
    with open(os.path.join(wordnet, "cntlist.rev")) as lines:
        for line in lines:
            key, _, count = line.split()
            word, sense = key.split("%")
            if sense[0] in "135":
                found[(word.replace("_", " "), sense[0])] = max(int(count), found.get((word.replace("_", " "), sense[0]), 0))
    nouns = [word for (word, kind) in found if kind == "1"]
    adjectives = [word for (word, kind) in found if kind != "1"]
    return nouns, adjectives


def topic(random_, nouns, adjectives):
    noun = random_.choice(nouns)
    form = random_.random()
    if form < 0.35:
        return noun
    if form < 0.7:
        return f"{random_.choice(adjectives)} {noun}"
    return f"{noun} and {random_.choice(nouns)}"


class Teacher:
    """The Llama family's pass with a cache of keys and values that is laid out once a batch."""

    def __init__(self, path, dtype):
        folder, file = os.path.split(path)
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
        model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=dtype)
        config = model.config
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.width = config.hidden_size // self.heads
        self.epsilon = config.rms_norm_eps
        rope = getattr(config, "rope_theta", None) or config.rope_parameters["rope_theta"]
        angles = torch.arange(1024)[:, None] * rope ** (-torch.arange(0, self.width, 2) / self.width)
        self.cos, self.sin = (torch.cat([t, t], 1).to(dtype) for t in (angles.cos(), angles.sin()))
        self.table = model.model.embed_tokens.weight.detach()
        self.final = model.model.norm.weight.detach()
        self.layers = [
            {
                "qkv": torch.cat([layer.self_attn.q_proj.weight, layer.self_attn.k_proj.weight, layer.self_attn.v_proj.weight]).detach(),
                "o": layer.self_attn.o_proj.weight.detach(),
                "gate_up": torch.cat([layer.mlp.gate_proj.weight, layer.mlp.up_proj.weight]).detach(),
                "down": layer.mlp.down_proj.weight.detach(),
                "n1": layer.input_layernorm.weight.detach(),
                "n2": layer.post_attention_layernorm.weight.detach(),
            }
            for layer in model.model.layers
        ]
        self.dtype = dtype

    def begin(self, rows, longest):
        shape = (len(self.layers), 2, rows, self.key_heads, longest, self.width)
        self.cache = torch.zeros(shape, dtype=self.dtype)

    def norm(self, x, gain):
        return F.rms_norm(x, (x.shape[-1],), gain, self.epsilon)

    def turn(self, x, at, count):
        a, b = x.chunk(2, -1)
        return x * self.cos[at : at + count] + torch.cat([-b, a], -1) * self.sin[at : at + count]

    @torch.inference_mode()
    def step(self, tokens, at):
        """Logits of what comes after each row's `tokens`, which stand from position `at` on."""
        rows, count = tokens.shape
        x = self.table[tokens]
        q_end, k_end = self.heads * self.width, (self.heads + self.key_heads) * self.width
        for layer, cache in zip(self.layers, self.cache):
            mixed = F.linear(self.norm(x, layer["n1"]), layer["qkv"])
            split = lambda part: part.view(rows, count, -1, self.width).transpose(1, 2)
            q = self.turn(split(mixed[..., :q_end]), at, count)
            cache[0, :rows, :, at : at + count] = self.turn(split(mixed[..., q_end:k_end]), at, count)
            cache[1, :rows, :, at : at + count] = split(mixed[..., k_end:])
            keys, values = cache[0, :rows, :, : at + count], cache[1, :rows, :, : at + count]
            if count == 1:
                q = q.reshape(rows, self.key_heads, -1, self.width)
                out = F.scaled_dot_product_attention(q, keys, values).reshape(rows, self.heads, 1, self.width)
            else:
                out = F.scaled_dot_product_attention(q, keys, values, is_causal=True, enable_gqa=True)
            x = x + F.linear(out.transpose(1, 2).reshape(rows, count, -1), layer["o"])
            gate, up = F.linear(self.norm(x, layer["n2"]), layer["gate_up"]).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, layer["down"])
        return F.linear(self.norm(x[:, -1], self.final), self.table).float()


def draw(logits, generator):
    """From the nucleus of the 256 likeliest."""
    top, ids = (logits / TEMPERATURE).topk(256, -1)
    shares = top.softmax(-1)
    shares[shares.cumsum(-1) - shares > NUCLEUS] = 0
    return ids.gather(1, torch.multinomial(shares, 1, generator=generator)).squeeze(1)


def answers(teacher, prompt, own, longest, generator):
    """The prompt up to the topic is read once; topics are read token by token, each row at its own pace."""
    encode = lambda text: teacher.tokenizer.encode(text, add_special_tokens=False)
    before, after = prompt.split("{}")
    head = encode(f"<|im_start|>user\n{before.rstrip()}")
    tails = [encode(f" {one}{after}.<|im_end|>\n<|im_start|>assistant\n") for one in own]
    end = encode("<|im_end|>")[0]
    rows = len(tails)
    teacher.begin(rows, len(head) + max(map(len, tails)) + longest)
    teacher.step(torch.tensor([head[:-1]]), 0)
    at = len(head) - 1
    teacher.cache[:, :, :, :, :at] = teacher.cache[:, :, :1, :, :at]
    now = torch.full((rows,), head[-1])
    out, ended = [[] for _ in tails], [False] * rows
    for step in range(max(map(len, tails)) + longest - 1):
        drawn = draw(teacher.step(now[:, None], at), generator).tolist()
        at += 1
        for row, tail in enumerate(tails):
            if step < len(tail):
                drawn[row] = tail[step]
            elif drawn[row] == end or len(out[row]) >= longest:
                ended[row] = True
            elif not ended[row]:
                out[row].append(drawn[row])
        if sum(ended) >= ENDED * rows:
            break
        now = torch.tensor(drawn)
    return [(teacher.tokenizer.decode(one), whole) for one, whole in zip(out, ended)]


def whole_batches(path):
    """Batches in the file, from which what a stop left of another is cut off."""
    if not os.path.exists(path):
        return 0
    with open(path) as file:
        lines = file.readlines()
    done = len(lines) // BATCH
    if len(lines) > done * BATCH:
        with open(path, "w") as file:
            file.writelines(lines[: done * BATCH])
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher")
    parser.add_argument("wordnet")
    parser.add_argument("out")
    parser.add_argument("--answers", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--float", action="store_true", help="single precision in place of bfloat16")
    options = parser.parse_args()
    teacher = Teacher(os.path.abspath(options.teacher), torch.float32 if options.float else torch.bfloat16)
    nouns, adjectives = topics(options.wordnet)
    kinds = [(*kind, "text") for kind in SINGLE] + [(*kind, "list") for kind in LISTS]
    done = whole_batches(options.out)
    for batch in range(done, -(-options.answers // BATCH)):
        started = time.time()
        random_ = random.Random(f"{options.seed} {batch}")
        prompt, longest, _, form = random_.choices(kinds, [kind[2] for kind in kinds])[0]
        own = [topic(random_, nouns, adjectives) for _ in range(BATCH)]
        generator = torch.Generator().manual_seed(random_.randrange(2**31))
        texts = answers(teacher, prompt, own, longest, generator)
        with open(options.out, "a") as out:
            for text, whole in texts:
                out.write(json.dumps({"kind": prompt, "form": form, "text": text, "whole": whole}) + "\n")
        characters = sum(len(text) for text, _ in texts)
        print(f"batch {batch}: {characters} characters, {characters / (time.time() - started):.0f} a second, {prompt}", flush=True)


main()
