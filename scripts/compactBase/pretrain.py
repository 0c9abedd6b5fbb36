"""
Trains the compact base on a corpus and writes it as GGUF with 8-bit weights.

  python pretrain.py CORPUS.jsonl FOLDER --steps 3000

FOLDER keeps the tokenizer and checkpoints, from which a later run resumes. The model is that of
`packages/synthesis/models/text/network`: a Llama with tied embeddings. Each text is enclosed by END tokens, and attention
does not cross texts.
"""
import argparse
import json
import math
import os
import random
import time

import gguf
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<|endoftext|>"
HEAD_WIDTH = 32
EPSILON = 1e-5
ROPE_BASE = 10_000
WINDOW = 128
HELD_OUT = 0.01
# Texts for training the tokenizer, and per batch of encoding.
SAMPLE = 200_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which it ends, as if those were the steps")
    parser.add_argument("--windows", type=int, default=32)
    parser.add_argument("--pieces", type=int, default=4096)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=704)
    parser.add_argument("--key-heads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=int, default=20, help="steps to a line; five times as many to a checkpoint")
    parser.add_argument("--eager", action="store_true", help="steps that are not compiled")
    return parser.parse_args()


def tokenizer_of(folder, texts, pieces):
    """Reads the tokenizer, or trains it on a sample."""
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.exists(path):
        tokenizer = Tokenizer(models.BPE())
        steps = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(vocab_size=pieces, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
        tokenizer.train_from_iterator(random.Random(0).sample(texts, min(SAMPLE, len(texts))), trainer)
        tokenizer.save(path)
    return Tokenizer.from_file(path)


class Layer(nn.Module):
    def __init__(self, own):
        super().__init__()
        self.heads, self.key_heads = own.width // HEAD_WIDTH, own.key_heads
        keys = own.key_heads * HEAD_WIDTH
        line = lambda inputs, outputs, shrink=1.0: self.started(nn.Linear(inputs, outputs, bias=False), shrink)
        added = (2 * own.layers) ** -0.5
        self.query, self.key, self.value = line(own.width, own.width), line(own.width, keys), line(own.width, keys)
        self.output = line(own.width, own.width, added)
        self.gate, self.up = line(own.width, own.hidden), line(own.width, own.hidden)
        self.down = line(own.hidden, own.width, added)
        self.attention_norm = nn.Parameter(torch.ones(own.width))
        self.hidden_norm = nn.Parameter(torch.ones(own.width))

    @staticmethod
    def started(line, shrink):
        nn.init.normal_(line.weight, std=shrink * (2 * line.in_features) ** -0.5)
        return line

    def forward(self, x, cos, sin, unseen):
        rows, length, _ = x.shape
        normed = F.rms_norm(x, x.shape[-1:], self.attention_norm, EPSILON)
        by_head = lambda y: y.view(rows, length, -1, HEAD_WIDTH).transpose(1, 2)
        q, k = (turned(by_head(line(normed)), cos, sin) for line in (self.query, self.key))
        k, v = (y.repeat_interleave(self.heads // self.key_heads, 1) for y in (k, by_head(self.value(normed))))
        shares = (q @ k.transpose(-1, -2) * HEAD_WIDTH**-0.5 + unseen).softmax(-1)
        mixed = shares.to(v.dtype) @ v
        x = x + self.output(mixed.transpose(1, 2).reshape(rows, length, -1))
        normed = F.rms_norm(x, x.shape[-1:], self.hidden_norm, EPSILON)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


def turned(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class Model(nn.Module):
    def __init__(self, own, pieces):
        super().__init__()
        self.table = nn.Parameter(torch.randn(pieces, own.width) * own.width**-0.5 / 2)
        self.layers = nn.ModuleList(Layer(own) for _ in range(own.layers))
        self.final_norm = nn.Parameter(torch.ones(own.width))
        angles = torch.arange(WINDOW)[:, None] * ROPE_BASE ** (-torch.arange(0, HEAD_WIDTH, 2) / HEAD_WIDTH)
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, 1), persistent=False)
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, 1), persistent=False)

    def forward(self, tokens, segments):
        past = torch.ones(WINDOW, WINDOW, dtype=torch.bool, device=tokens.device).tril()
        seen = (segments[:, None, :, None] == segments[:, None, None, :]) & past
        unseen = torch.where(seen, 0.0, -1e4).to(torch.bfloat16)
        x = self.table[tokens]
        for layer in self.layers:
            x = layer(x, self.cos, self.sin, unseen)
        return F.linear(F.rms_norm(x, x.shape[-1:], self.final_norm, EPSILON), self.table)


class Texts:
    def __init__(self, tokenizer, texts):
        parts = [tokenizer.encode_batch_fast(texts[at : at + SAMPLE]) for at in range(0, len(texts), SAMPLE)]
        self.lengths = np.array([len(one.ids) for part in parts for one in part])
        self.tokens = np.concatenate([np.array(one.ids, dtype=np.int32) for part in parts for one in part])
        self.starts = np.cumsum(self.lengths) - self.lengths

    def windows(self, order, device):
        """Returns tokens (each text after an END), next tokens and text indices, each [windows, positions]."""
        lengths = self.lengths[order] + 1
        ends = np.cumsum(lengths)
        at = np.repeat(self.starts[order] - 1 - (ends - lengths), lengths) + np.arange(ends[-1])
        tokens = self.tokens[at]
        tokens[ends - lengths] = 0
        segments = np.repeat(np.arange(len(order), dtype=np.int32), lengths)
        count = (len(tokens) - 1) // WINDOW
        cut = lambda values: torch.from_numpy(values[: count * WINDOW].reshape(count, WINDOW)).to(device)
        return cut(tokens).int(), cut(tokens[1:]).long(), cut(segments)


def loss_of(model, batch):
    tokens, following, segments = batch
    with torch.autocast(tokens.device.type, dtype=torch.bfloat16):
        logits = model(tokens, segments)
    return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), following.view(-1))


def rate_at(step, done, own):
    """Learning rate: warm-up, plateau, and decay over the last third; `done` is the finished share."""
    rise = min(1, (step + 1) / 100)
    return own.rate * rise * max(0.02, min(1, 3 * (1 - done)))


def bits_on(model, batches, bytes_):
    model.eval()
    with torch.no_grad():
        nats = sum(loss_of(model, batch).item() * batch[1].numel() for batch in batches)
    model.train()
    return nats / math.log(2) / bytes_


def train(own, model, texts, is_held, held_bytes):
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": decayed, "weight_decay": own.decay}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=own.rate, betas=(0.9, 0.98), fused=True)
    path = os.path.join(own.folder, "checkpoint.pt")
    state = {"step": 0, "epoch": 0, "window": 0}
    if os.path.exists(path):
        kept = torch.load(path, map_location=own.device)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        state = kept["state"]
    held = texts.windows(np.flatnonzero(is_held), own.device)
    learnt_from = np.flatnonzero(~is_held)
    batches = [tuple(part[at : at + own.windows] for part in held) for at in range(0, len(held[0]), own.windows)]
    started, first = time.time(), state["step"]
    windows = None
    # Inductor halves the time of a step; --eager needs no C++ compiler.
    loss_now = loss_of if own.eager else torch.compile(loss_of)
    is_last = state["step"] >= own.steps
    while not is_last:
        if windows is None:
            windows = texts.windows(np.random.default_rng([own.seed, state["epoch"]]).permutation(learnt_from), own.device)
        if state["window"] + own.windows > len(windows[0]):
            windows, state["window"], state["epoch"] = None, 0, state["epoch"] + 1
            continue
        batch = tuple(part[state["window"] : state["window"] + own.windows] for part in windows)
        done = max(state["step"] / own.steps, (time.time() - started) / own.seconds)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(state["step"], done, own)
        loss = loss_now(model, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        state["step"] += 1
        state["window"] += own.windows
        is_last = done >= 1 or state["step"] >= own.steps
        if state["step"] % own.every == 0:
            speed = (state["step"] - first) * own.windows * WINDOW / (time.time() - started)
            print(f"step {state['step']}, epoch {state['epoch']}: {loss.item():.3f} nats, {speed:.0f} tokens a second", flush=True)
        if state["step"] % (5 * own.every) == 0 or is_last:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "state": state}, path + ".new")
            os.replace(path + ".new", path)
        if state["step"] % (50 * own.every) == 0 or is_last:
            print(f"step {state['step']}: {bits_on(model, batches, held_bytes):.4f} bits a byte held out", flush=True)


def write(own, model, tokenizer, path):
    """Reorders queries and keys, since llama.cpp interleaves the two entries of a rotary pair."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("compact base")
    writer.add_license("Apache-2.0")
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(own.width)
    writer.add_block_count(own.layers)
    writer.add_feed_forward_length(own.hidden)
    writer.add_head_count(own.width // HEAD_WIDTH)
    writer.add_head_count_kv(own.key_heads)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_rope_freq_base(ROPE_BASE)
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list([piece for piece, _ in vocabulary])
    writer.add_token_merges([" ".join(merge) for merge in json.loads(tokenizer.to_str())["model"]["merges"]])
    writer.add_eos_token_id(0)

    def add(name, values):
        kind = gguf.GGMLQuantizationType.Q8_0 if values.dim() > 1 else gguf.GGMLQuantizationType.F32
        array = values.detach().float().contiguous().cpu().numpy()
        writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)

    beside = lambda w: w.view(-1, 2, HEAD_WIDTH // 2, w.shape[-1]).transpose(1, 2).reshape(w.shape)
    add("token_embd.weight", model.table)
    add("output_norm.weight", model.final_norm)
    for at, layer in enumerate(model.layers):
        named = {"attn_q": beside(layer.query.weight), "attn_k": beside(layer.key.weight), "attn_v": layer.value.weight}
        named |= {"attn_output": layer.output.weight, "ffn_gate": layer.gate.weight, "ffn_up": layer.up.weight}
        named |= {"ffn_down": layer.down.weight, "attn_norm": layer.attention_norm, "ffn_norm": layer.hidden_norm}
        for name, values in named.items():
            add(f"blk.{at}.{name}.weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def samples(model, tokenizer, count):
    model.eval()
    tokens = torch.zeros(count, WINDOW, dtype=torch.long, device=model.table.device)
    segments = torch.zeros_like(tokens)
    with torch.no_grad():
        for at in range(60):
            logits = model(tokens, segments)[:, at] / 0.8
            tokens[:, at + 1] = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
    for row in tokens.tolist():
        own = row[1:61]
        print(repr(tokenizer.decode(own[: own.index(0)] if 0 in own else own)))


def main():
    own = arguments()
    os.makedirs(own.folder, exist_ok=True)
    torch.manual_seed(own.seed)
    torch.set_num_threads(own.threads)
    with open(own.corpus) as lines:
        entries = [json.loads(line) for line in lines]
    texts = [entry["text"] for entry in entries]
    tokenizer = tokenizer_of(own.folder, texts, own.pieces)
    encoded = Texts(tokenizer, texts)
    is_held = np.random.default_rng(own.seed).random(len(texts)) < HELD_OUT
    held_bytes = sum(len(text.encode()) + 1 for text, held in zip(texts, is_held) if held)
    model = Model(own, tokenizer.get_vocab_size()).to(own.device)
    weights = sum(p.numel() for p in model.parameters())
    print(f"{weights} weights, {len(encoded.tokens) + len(texts)} tokens an epoch", flush=True)
    train(own, model, encoded, is_held, held_bytes)
    write(own, model, tokenizer, os.path.join(own.folder, "compact.gguf"))
    samples(model, tokenizer, 12)


main()
