#!/usr/bin/env python3
"""Writes summary.json: REP-4, OVL-3 and WR of random texts, from their definition with Python's sets.

    python3 make_summary.py > summary.json
"""
import json
import random

WORDS = ["the", "sea,", "night."]
TEXTS, SEED = 60, 4


def ngrams(text, n):
    words = text.split()
    return [tuple(words[i:i + n]) for i in range(len(words) - n + 1)]


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known)


def repeated(text):
    all_of = ngrams(text, 4)
    return 1 - len(set(all_of)) / len(all_of) if all_of else None


def overlap(text, source):
    all_of, known = ngrams(text, 3), set(ngrams(source, 3))
    return sum(one in known for one in all_of) / len(all_of) if all_of else None


def main():
    draw = random.Random(SEED)
    texts, sources = ([" ".join(draw.choices(WORDS, k=draw.randrange(least, 25))) for _ in range(TEXTS)]
                      for least in (0, 1))
    pairs = list(zip(texts, sources))
    print(json.dumps({"texts": texts, "sources": sources,
                      "rep-4": mean(repeated(text) for text in texts),
                      "ovl-3": mean(overlap(text, source) for text, source in pairs),
                      "wr": mean(len(text.split()) / len(source.split()) for text, source in pairs)}))


if __name__ == "__main__":
    main()
