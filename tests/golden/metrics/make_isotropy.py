#!/usr/bin/env python3
"""Writes isotropy.json: states of sentences and what numpy says of their likeness.

    pip install numpy
    python3 make_isotropy.py > isotropy.json

Everything from the definitions: cosines pair by pair, singular values by numpy's SVD, logits by a product with the
whole vocabulary table, greedy matching by loops.
"""
import json
import platform
import sys

import numpy as np

WORDS, WIDTH, LONGEST = 23, 6, 9
LENGTHS = [9, 5, 3, 2]  # BOS and EOS included: 7, 3, 1 and 0 ordinary positions
THRESHOLD = 0.35


def cosine(a, b):
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def effective_rank(rows):
    singular = np.linalg.svd(rows, compute_uv=False)
    shares = singular / singular.sum()
    return float(np.exp(-sum(p * np.log(p) for p in shares if p > 0)))


def likeness(rows):
    pairs = [cosine(a, b) for i, a in enumerate(rows) for j, b in enumerate(rows) if i != j]
    if not pairs:
        return {"pairs": 0}
    return {"pairs": len(pairs), "similarity": sum(pairs) / len(pairs),
            "above": sum(p > THRESHOLD for p in pairs) / len(pairs), "rank": effective_rank(rows)}


def greedy_f1(hypothesis, reference):
    if not len(hypothesis) or not len(reference):
        return [0.0, 0.0, 1.0 if len(hypothesis) == len(reference) else 0.0]
    precision = float(np.mean([max(cosine(h, r) for r in reference) for h in hypothesis]))
    recall = float(np.mean([max(cosine(h, r) for h in hypothesis) for r in reference]))
    return [precision, recall, 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0]


def main():
    draw = np.random.default_rng(20221)
    table = draw.normal(size=(WORDS, WIDTH))
    table[:, -1] += 1.5  # a direction that all words' logits share
    states = draw.normal(size=(len(LENGTHS), LONGEST, WIDTH)) + 0.4
    sentences = []
    for row, length in zip(states, LENGTHS):
        ordinary = row[1:length - 1]
        logits = ordinary @ table.T
        centred = logits - logits.mean(axis=1, keepdims=True)
        sentences.append({site: likeness(rows) for site, rows in
                          (("logits", logits), ("centred", centred), ("features", ordinary))})
    lines = [([3, 7, 7, 12], [3, 7, 12]), ([5], [5]), ([1, 2], [20, 21, 22]), ([], [4]), ([6, 8, 9], [9, 8, 6]), ([0], [15])]
    # Words as rows of small whole numbers, so that a table in a text file holds them exactly.
    whole = draw.integers(-4, 5, size=(WORDS, 3))
    whole[(whole == 0).all(axis=1)] = 1
    matches = [{"hypothesis": h, "reference": r, "precision_recall_f1": greedy_f1(whole[h], whole[r])}
               for h, r in lines]
    json.dump({"made_with": f"numpy {np.__version__}, Python {platform.python_version()}", "threshold": THRESHOLD,
               "lengths": LENGTHS, "table": table.tolist(), "states": states.tolist(), "sentences": sentences,
               "words": whole.tolist(), "matches": matches}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
