"""
Merges the teacher's texts, WordNet's definitions and examples, and listed names into a corpus: one JSON text per line.

  python gather.py TAUGHT.jsonl[,TAUGHT.jsonl …] WORDNET LISTED.txt CORPUS.jsonl
"""
import json
import os
import re
import sys
from collections import Counter
from multiprocessing import Pool

NUMBERED = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*•])\s*")
PREAMBLE = re.compile(r"^(?:sure|certainly|of course|here(?:'s| is| are)|this is an? )[^\n]{0,160}:\s*$", re.I)
# Signs of a form, a refusal, markup or code.
REFUSED = re.compile(r"[\[\]{}\\=_`]|\*\*|<\||\bAI\b|\(\)|language model|SmolLM|I'm sorry|I apologi[sz]e|I can't|insert ", re.I)
ENDING = re.compile(r".*[.!?…\"')](?=\s|$)", re.S)
# Maximum texts that begin with the same three words.
SAME_BEGINNINGS = 500
# Minimum share of distinct words in texts of more than eight.
DISTINCT_WORDS = 0.6


def lines_of(answer):
    """Yields the lines of a list; drops the last one if the answer was cut off."""
    lines = answer["text"].strip().split("\n")
    if not answer["whole"]:
        lines = lines[:-1]
    for line in lines:
        text = NUMBERED.sub("", line).strip().strip('"“”').strip()
        if 2 <= len(text) <= 160 and not text.endswith(":"):
            yield text


def paragraphs_of(answer):
    text = answer["text"].strip()
    if not answer["whole"]:
        ending = ENDING.match(text)
        if not ending:
            return
        text = ending.group()
    for part in text.split("\n"):
        part = NUMBERED.sub("", part).strip().strip('"“”').strip()
        if 15 <= len(part) and not PREAMBLE.match(part) and not part.endswith(":"):
            yield part


def is_repetitive(text):
    words = text.lower().split()
    return len(words) > 8 and len(set(words)) < DISTINCT_WORDS * len(words)


def texts_of(line):
    answer = json.loads(line)
    texts = lines_of(answer) if answer["form"] == "list" else paragraphs_of(answer)
    return [text for text in texts if not REFUSED.search(text) and "\ufffd" not in text and not is_repetitive(text)]


def taught(paths):
    with Pool() as pool:
        for path in paths:
            with open(path) as lines:
                for texts in pool.imap(texts_of, lines, chunksize=1000):
                    yield from texts


def defined(wordnet):
    """Yields definitions and quoted examples."""
    for part in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(wordnet, f"data.{part}")) as lines:
            for line in lines:
                if line.startswith("  "):
                    continue
                gloss = line.split(" | ", 1)[1].strip()
                yield from (example.strip() for example in re.findall(r'"([^"]+)"', gloss) if len(example) >= 10)
                definition = re.sub(r'\s*[;:,]?\s*"[^"]*"', "", gloss).strip(" ;")
                if len(definition) >= 10:
                    yield definition


def main():
    taught_path, wordnet, listed_path, out_path = sys.argv[1:5]
    seen, beginnings = set(), Counter()
    counts = Counter()
    with open(listed_path) as lines:
        listed = [line.strip() for line in lines]
    with open(out_path, "w") as out:
        for source, texts in (("taught", taught(taught_path.split(","))), ("defined", defined(wordnet)), ("listed", listed)):
            for text in texts:
                beginning = " ".join(text.lower().split()[:3])
                if text in seen or (source == "taught" and beginnings[beginning] >= SAME_BEGINNINGS):
                    continue
                seen.add(text)
                beginnings[beginning] += 1
                counts[f"{source} texts"] += 1
                counts[f"{source} characters"] += len(text)
                out.write(json.dumps({"source": source, "text": text}) + "\n")
    print(dict(counts))


main()
