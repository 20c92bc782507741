#!/usr/bin/env python3
"""Writes decoder_only.json: a small autoregressive language model in float64, its loss, gradients and greedy texts.

    pip install torch numpy
    python3 decoder_only.py > decoder_only.json

The network from its definition: pre-norm blocks with rotary positions, each position attending to itself and those
before it (Vaswani et al. 2017, Su et al. 2021), the output tied to the embedding. Layer norms, attention, rotary
positions and the tanh GELU are written out; every text for itself, and the whole text anew for every token. torch
gives the gradients only. Weights have four decimals, so that the file holds them exactly.
"""
import json
import math
import platform
import sys

import numpy as np
import torch

SEED = 11
PAD, UNK, BOS, EOS, MASK = 1, 3, 0, 2, 4
VOCABULARY, HIDDEN, BLOCKS, HEADS, FFN, LONGEST = 13, 16, 2, 2, 24, 12
SMOOTHING = 0.1
TEXTS = [[5, 9, 7, 7, 11, 6], [8, 12], [10, 5, 12, 3]]
PREFIXES = [[], [5], [8, 12, 6], [10, 10, 10, 7, 5]]


def shapes():
    yield "embedding.weight", (VOCABULARY, HIDDEN)
    for i in range(BLOCKS):
        block = f"block_{i}."
        yield block + "attention_norm.weight", (HIDDEN,)
        yield block + "ffn_norm.weight", (HIDDEN,)
        yield block + "attention.qkv.weight", (3 * HIDDEN, HIDDEN)
        yield block + "attention.out.weight", (HIDDEN, HIDDEN)
        yield block + "ffn.in.weight", (FFN, HIDDEN)
        yield block + "ffn.in.bias", (FFN,)
        yield block + "ffn.out.weight", (HIDDEN, FFN)
        yield block + "ffn.out.bias", (HIDDEN,)
    yield "norm.weight", (HIDDEN,)


def weights(random):
    made = {}
    for name, shape in shapes():
        value = random.normal(0, 0.4, shape) + (1.0 if name.endswith("norm.weight") else 0.0)
        made[name] = np.round(value, 4)
    return made


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def layer_norm(x, weight):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + 1e-5) * weight


def rotary(x, position):
    """x [width]: the pairs (j, j + width / 2) as complex numbers, times exp(i position 10000^(-2 j / width))."""
    half = x.shape[0] // 2
    first, second = [], []
    for j in range(half):
        angle = position * 10000.0 ** (-2 * j / x.shape[0])
        c, s = math.cos(angle), math.sin(angle)
        first.append(x[j] * c - x[j + half] * s)
        second.append(x[j] * s + x[j + half] * c)
    return torch.stack(first + second)


def attention(x, p, block):
    """x [L, H] of one text; row i is a mean over the values of rows 0 to i."""
    length, width = x.shape[0], HIDDEN // HEADS
    qkv = x @ p[block + "attention.qkv.weight"].T
    rows = []
    for i in range(length):
        heads = []
        for h in range(HEADS):
            part = [qkv[:, k * HIDDEN + h * width:k * HIDDEN + (h + 1) * width] for k in range(3)]
            query = rotary(part[0][i], i)
            scores = torch.stack([rotary(part[1][j], j) @ query for j in range(i + 1)]) / math.sqrt(width)
            weight = torch.exp(scores - scores.max())
            heads.append(weight / weight.sum() @ part[2][:i + 1])
        rows.append(torch.cat(heads))
    return torch.stack(rows) @ p[block + "attention.out.weight"].T


def logits(p, ids):
    x = p["embedding.weight"][ids]
    for i in range(BLOCKS):
        block = f"block_{i}."
        x = x + attention(layer_norm(x, p[block + "attention_norm.weight"]), p, block)
        inner = gelu(layer_norm(x, p[block + "ffn_norm.weight"]) @ p[block + "ffn.in.weight"].T
                     + p[block + "ffn.in.bias"])
        x = x + inner @ p[block + "ffn.out.weight"].T + p[block + "ffn.out.bias"]
    return layer_norm(x, p["norm.weight"]) @ p["embedding.weight"].T


def log_probabilities(p, ids):
    rows = logits(p, ids)
    return rows - torch.logsumexp(rows, 1, keepdim=True)


def losses(p):
    """Means over the tokens after BOS: label-smoothed, and plain."""
    nll, smooth = [], []
    for text in TEXTS:
        log_p = log_probabilities(p, [BOS] + text)
        for i, token in enumerate(text + [EOS]):
            nll.append(-log_p[i, token])
            smooth.append(-log_p[i].mean())
    nll, smooth = torch.stack(nll).mean(), torch.stack(smooth).mean()
    return (1 - SMOOTHING) * nll + SMOOTHING * smooth, nll


@torch.no_grad()
def greedy(p, prefix):
    """No BOS, PAD or MASK, at least one new token, EOS where the longest text needs it."""
    ids, total = [BOS] + prefix, 0.0
    while True:
        log_p = log_probabilities(p, ids)[-1]
        new, allowed = len(ids) - 1 - len(prefix), log_p.clone()
        allowed[[PAD, BOS, MASK] + ([] if new else [EOS])] = -math.inf
        token = EOS if len(ids) == LONGEST - 1 else int(allowed.argmax())
        total += float(log_p[token])
        if token == EOS:
            return {"prefix": prefix, "ids": ids[1:], "score": total / (new + 1)}
        ids.append(token)


def rounded(values):
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.12g}")


def main():
    numbers = weights(np.random.default_rng(SEED))
    p = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in numbers.items()}
    loss, nll = losses(p)
    loss.backward()
    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"vocabulary": VOCABULARY, "hidden": HIDDEN, "layers": BLOCKS, "heads": HEADS, "ffn": FFN,
                  "longest": LONGEST},
        "smoothing": SMOOTHING, "texts": TEXTS,
        "weights": {name: value.tolist() for name, value in numbers.items()},
        "logits": [rounded(logits(p, [BOS] + text).tolist()) for text in TEXTS],
        "loss": rounded(loss.item()), "nll": rounded(nll.item()),
        "gradient_norms": {name: rounded(v.grad.norm().item()) for name, v in p.items()},
        "greedy": [greedy(p, prefix) for prefix in PREFIXES],
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
