"""
Has SmolLM2-135M-Instruct write texts like those of columns: answers to `kinds.py` about words of WordNet.

  python teach.py TEACHER.gguf WORDNET OUT.jsonl --answers 60000
  python teach.py TEACHER.gguf WORDNET OUT.jsonl --answers 1000000 --device cuda --rows 2048

WORDNET is the folder of WordNet 3.0's files (Debian's package wordnet-base). Appends one line per answer; a later run asks
only for missing ones. Each row answers its own request at its own position, and then takes the next one.
"""
import argparse
import json
import os
import random
import time

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer

from kinds import BEGUN, LISTS, MANNERS, SINGLE

TEMPERATURE = 0.9
# Minimum probability of a drawn token, relative to the likeliest.
LEAST_SHARE = 0.03
# Share of requests without a style.
PLAIN = 0.5
# Starts of texts that continue a topic.
ARTICLES = ["The {}", "A {}", "My {}", "This {}", "Our {}", "{}"]
# Maximum tokens of request and answer.
LONGEST = 256
# Steps between checks for finished answers.
BLOCK = 64


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher")
    parser.add_argument("wordnet")
    parser.add_argument("out")
    parser.add_argument("--answers", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--rows", type=int, default=128, help="answers written at once")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which it stops")
    parser.add_argument("--float", action="store_true", help="single precision in place of bfloat16")
    return parser.parse_args()


def topics(wordnet):
    """Returns nouns and adjectives of WordNet's own texts."""
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


def requests(own, numbers):
    """Yields prompt, maximum tokens, form and start of the answer. Each number seeds its own random stream."""
    nouns, adjectives = topics(own.wordnet)
    kinds = [(*kind[:3], kind[3] if len(kind) > 3 else "", "text") for kind in SINGLE]
    kinds += [(*kind, "1.", "list") for kind in LISTS] + [("", *BEGUN, "", "begun")]
    shares = [kind[2] for kind in kinds]
    for number in numbers:
        random_ = random.Random(f"{own.seed} {number}")
        prompt, longest, _, beginning, form = random_.choices(kinds, shares)[0]
        about = topic(random_, nouns, adjectives)
        if form == "begun":
            beginning = random_.choice(ARTICLES).format(about)
            yield f"<|endoftext|>{beginning}", longest, form, beginning
            continue
        manner = random_.choice(MANNERS) if form == "text" and random_.random() >= PLAIN else ""
        asked = f"{prompt.replace('{}', about)}.{manner}"
        yield f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n{beginning}", longest, form, beginning


class Teacher:
    """Llama forward pass of one token per row, each at its own position."""

    def __init__(self, path, dtype, device, rows):
        folder, file = os.path.split(path)
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
        model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=dtype)
        config = model.config
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.width = config.hidden_size // self.heads
        self.epsilon = config.rms_norm_eps
        rope = getattr(config, "rope_theta", None) or config.rope_parameters["rope_theta"]
        angles = torch.arange(LONGEST)[:, None] * rope ** (-torch.arange(0, self.width, 2) / self.width)
        self.cos, self.sin = (torch.cat([t, t], 1).to(device, dtype) for t in (angles.cos(), angles.sin()))
        moved = lambda *weights: torch.cat([weight.detach() for weight in weights]).to(device)
        self.table = moved(model.model.embed_tokens.weight)
        self.final = moved(model.model.norm.weight)
        self.layers = [
            {
                "qkv": moved(layer.self_attn.q_proj.weight, layer.self_attn.k_proj.weight, layer.self_attn.v_proj.weight),
                "o": moved(layer.self_attn.o_proj.weight),
                "gate_up": moved(layer.mlp.gate_proj.weight, layer.mlp.up_proj.weight),
                "down": moved(layer.mlp.down_proj.weight),
                "n1": moved(layer.input_layernorm.weight),
                "n2": moved(layer.post_attention_layernorm.weight),
            }
            for layer in model.model.layers
        ]
        shape = (len(self.layers), 2, rows, LONGEST, self.key_heads, self.width)
        self.cache = torch.zeros(shape, dtype=dtype, device=device)
        self.row = torch.arange(rows, device=device)
        self.position = torch.arange(LONGEST, device=device)

    def norm(self, x, gain):
        return F.rms_norm(x, (x.shape[-1],), gain, self.epsilon)

    def turn(self, x, at):
        a, b = x.chunk(2, -1)
        return x * self.cos[at][:, None] + torch.cat([-b, a], -1) * self.sin[at][:, None]

    def logits(self, tokens, at):
        """Returns logits of the next tokens, given each row's token at its position."""
        rows = len(tokens)
        seen = (self.position <= at[:, None])[:, None, None]
        q_end, k_end = self.heads * self.width, (self.heads + self.key_heads) * self.width
        x = self.table[tokens]
        for layer, (keys, values) in zip(self.layers, self.cache):
            mixed = F.linear(self.norm(x, layer["n1"]), layer["qkv"])
            split = lambda part: part.view(rows, -1, self.width)
            q = self.turn(split(mixed[:, :q_end]), at).view(rows, self.key_heads, -1, self.width)
            keys[self.row, at] = self.turn(split(mixed[:, q_end:k_end]), at)
            values[self.row, at] = split(mixed[:, k_end:])
            out = F.scaled_dot_product_attention(q, keys.transpose(1, 2), values.transpose(1, 2), attn_mask=seen)
            x = x + F.linear(out.reshape(rows, -1), layer["o"])
            gate, up = F.linear(self.norm(x, layer["n2"]), layer["gate_up"]).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, layer["down"])
        return F.linear(self.norm(x, self.final), self.table)


def draw(logits):
    """Draws among likely tokens: the argmax of probability over an exponential draw."""
    scaled = logits.float() / TEMPERATURE
    shares = (scaled - scaled.amax(-1, keepdim=True)).exp()
    shares = torch.where(shares < LEAST_SHARE, 0, shares)
    return (shares / torch.empty_like(shares).exponential_()).argmax(-1)


class Desk:
    """State of the rows: request, position and next token of each."""

    def __init__(self, teacher, encoded, longest, end, rows):
        device = teacher.table.device
        self.teacher, self.end = teacher, end
        # Maximum tokens per answer.
        self.room = [min(own, LONGEST - len(ids)) for own, ids in zip(longest, encoded)]
        last = torch.tensor([len(ids) + own - 1 for own, ids in zip(self.room, encoded)])
        prompts = padded(encoded)
        # The last request is a dummy for idle rows.
        self.prompts = torch.cat([prompts, torch.full_like(prompts[:1], -1)]).to(device)
        self.prompts[-1, 0] = 0
        self.last = torch.cat([last, torch.tensor([LONGEST - 1])]).to(device)
        self.idle = len(prompts)
        self.request = torch.arange(rows, device=device).clamp(max=self.idle)
        self.position = torch.zeros(rows, dtype=torch.long, device=device)
        self.token = self.prompts[self.request, 0]
        self.next = torch.tensor(min(rows, self.idle), device=device)
        # Output of a step: its request, and a token, or -1 while reading the prompt.
        self.owner, self.written = self.request.clone(), self.request.clone()

    def step(self):
        drawn = draw(self.teacher.logits(self.token, self.position))
        after = self.position + 1
        asked = self.prompts[self.request, after.clamp(max=self.prompts.shape[1] - 1)]
        is_read = (after < self.prompts.shape[1]) & (asked >= 0)
        ended = ~is_read & ((drawn == self.end) | (after >= self.last[self.request]))
        self.owner.copy_(self.request)
        self.written.copy_(torch.where(is_read, -1, drawn))
        taken = (self.next + ended.cumsum(0) - 1).clamp(max=self.idle)
        self.next.add_(ended.sum()).clamp_(max=self.idle)
        self.request.copy_(torch.where(ended, taken, self.request))
        self.position.copy_(torch.where(ended, 0, after))
        self.token.copy_(torch.where(ended, self.prompts[self.request, 0], torch.where(is_read, asked, drawn)))


def stepper(desk, device):
    """Records a step once and replays it on a GPU."""
    if device == "cpu":
        return desk.step
    kept = [one.clone() for one in (desk.request, desk.position, desk.token, desk.next)]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        desk.step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        desk.step()
    for own, before in zip((desk.request, desk.position, desk.token, desk.next), kept):
        own.copy_(before)
    return graph.replay


def padded(encoded):
    """Returns [requests, tokens], padded with -1."""
    longest = max(map(len, encoded))
    prompts = torch.full((len(encoded), longest), -1, dtype=torch.long)
    for row, ids in enumerate(encoded):
        prompts[row, : len(ids)] = torch.tensor(ids)
    return prompts


def answered(path):
    """Returns the numbers of answered requests; cuts off an incomplete last line."""
    if not os.path.exists(path):
        return set()
    with open(path, "rb+") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
    return {json.loads(line)["number"] for line in whole.split(b"\n")[:-1]}


class Answers:
    """Collects tokens per request, and writes complete answers to the file."""

    def __init__(self, path, numbers, asked, desk, tokenizer):
        self.path, self.numbers, self.asked = path, numbers, asked
        self.desk, self.tokenizer = desk, tokenizer
        self.tokens = [[] for _ in asked]
        self.given, self.characters = 0, 0

    def take(self, owners, written):
        """Takes requests and tokens, both [steps, rows], and appends finished answers."""
        ended = []
        for row_owners, row_written in zip(owners.T.tolist(), written.T.tolist()):
            for request, token in zip(row_owners, row_written):
                if token < 0 or request == self.desk.idle:
                    continue
                self.tokens[request].append(token)
                if token == self.desk.end or self.is_longest(request):
                    ended.append(request)
        texts = self.tokenizer.batch_decode([self.tokens[request] for request in ended], skip_special_tokens=True)
        with open(self.path, "a") as out:
            for request, text in zip(ended, texts):
                _, _, form, beginning = self.asked[request]
                whole = self.tokens[request][-1] == self.desk.end
                line = {"number": self.numbers[request], "form": form, "text": beginning + text, "whole": whole}
                out.write(json.dumps(line) + "\n")
        self.given += len(ended)
        self.characters += sum(map(len, texts))

    def is_longest(self, request):
        return len(self.tokens[request]) >= self.desk.room[request]


@torch.inference_mode()
def main():
    own = arguments()
    torch.manual_seed(own.seed)
    there = answered(own.out)
    numbers = [number for number in range(own.answers) if number not in there]
    print(f"{len(numbers)} requests", flush=True)
    if not numbers:
        return
    teacher = Teacher(os.path.abspath(own.teacher), torch.float32 if own.float else torch.bfloat16, own.device, own.rows)
    asked = list(requests(own, numbers))
    encoded = teacher.tokenizer([one[0] for one in asked], add_special_tokens=False)["input_ids"]
    end = teacher.tokenizer.convert_tokens_to_ids("<|im_end|>")
    desk = Desk(teacher, encoded, [one[1] for one in asked], end, own.rows)
    step = stepper(desk, own.device)
    answers = Answers(own.out, numbers, asked, desk, teacher.tokenizer)
    owners = torch.empty((BLOCK, own.rows), dtype=torch.long, device=own.device)
    written = torch.empty_like(owners)
    started = time.time()
    while answers.given < len(asked) and time.time() - started < own.seconds:
        for at in range(BLOCK):
            step()
            owners[at].copy_(desk.owner)
            written[at].copy_(desk.written)
        answers.take(owners, written)
        speed = answers.characters / (time.time() - started)
        print(f"{answers.given} answers, {answers.characters} characters, {speed:.0f} a second", flush=True)


main()
