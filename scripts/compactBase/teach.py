"""
Texts of the kinds that columns hold, written by SmolLM2-135M-Instruct: answers to `kinds.py` about words of WordNet.

  python teach.py TEACHER.gguf WORDNET OUT.jsonl --answers 60000
  python teach.py TEACHER.gguf WORDNET OUT.jsonl --answers 1000000 --device cuda --rows 2048

WORDNET is the folder of WordNet 3.0's files (Debian's package wordnet-base). One line an answer, appended as answers end:
begun again, it asks for those that are not there. As many requests as there are rows are answered at once, each at its own
position; a row whose answer has ended takes the next request.
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
# Tokens less likely than this share of the likeliest are not drawn.
LEAST_SHARE = 0.03
# Of the answers, those that are asked for in no manner.
PLAIN = 0.5
# How a text begins that goes on from a topic.
ARTICLES = ["The {}", "A {}", "My {}", "This {}", "Our {}", "{}"]
# Positions that a row's request and answer have, at most.
LONGEST = 256
# Steps between two looks at what has ended.
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
    """Nouns and adjectives that WordNet's own texts use."""
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
    """Of each number: what the teacher reads, the tokens of an answer at most, its form, and what it begins with. Streams of their own."""
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
    """The Llama family's pass for one token a row, each row at its own position."""

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
        """Of what follows each row's token, which stands at the row's position."""
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
    """Of the tokens that are not too unlikely, by their shares: the largest of share over an exponential draw."""
    scaled = logits.float() / TEMPERATURE
    shares = (scaled - scaled.amax(-1, keepdim=True)).exp()
    shares = torch.where(shares < LEAST_SHARE, 0, shares)
    return (shares / torch.empty_like(shares).exponential_()).argmax(-1)


class Desk:
    """Rows at work: who has which request, at which position, with which token to read."""

    def __init__(self, teacher, encoded, longest, end, rows):
        device = teacher.table.device
        self.teacher, self.end = teacher, end
        # Tokens of an answer at most.
        self.room = [min(own, LONGEST - len(ids)) for own, ids in zip(longest, encoded)]
        last = torch.tensor([len(ids) + own - 1 for own, ids in zip(self.room, encoded)])
        prompts = padded(encoded)
        # A request that is no more: rows that have nothing to do.
        self.prompts = torch.cat([prompts, torch.full_like(prompts[:1], -1)]).to(device)
        self.prompts[-1, 0] = 0
        self.last = torch.cat([last, torch.tensor([LONGEST - 1])]).to(device)
        self.idle = len(prompts)
        self.request = torch.arange(rows, device=device).clamp(max=self.idle)
        self.position = torch.zeros(rows, dtype=torch.long, device=device)
        self.token = self.prompts[self.request, 0]
        self.next = torch.tensor(min(rows, self.idle), device=device)
        # What a step has written: its request, and a token or -1 where the request was read.
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
    """On a GPU, a step is recorded once and played again."""
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
    """[requests, tokens], -1 behind the end of each."""
    longest = max(map(len, encoded))
    prompts = torch.full((len(encoded), longest), -1, dtype=torch.long)
    for row, ids in enumerate(encoded):
        prompts[row, : len(ids)] = torch.tensor(ids)
    return prompts


def answered(path):
    """Numbers of the requests whose answers are there; what a stop left of a line is cut off."""
    if not os.path.exists(path):
        return set()
    with open(path, "rb+") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
    return {json.loads(line)["number"] for line in whole.split(b"\n")[:-1]}


class Answers:
    """What is written of each request, and the file that whole answers go to."""

    def __init__(self, path, numbers, asked, desk, tokenizer):
        self.path, self.numbers, self.asked = path, numbers, asked
        self.desk, self.tokenizer = desk, tokenizer
        self.tokens = [[] for _ in asked]
        self.given, self.characters = 0, 0

    def take(self, owners, written):
        """[steps, rows]: requests, and what was written of them. Appends the answers that ended."""
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
