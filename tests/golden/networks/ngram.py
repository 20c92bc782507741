#!/usr/bin/env python3
"""Writes ngram.json: small semi-autoregressive n-gram models in float64: logits, loss, gradient norms, greedy texts.

    pip install torch numpy
    python3 ngram.py > ngram.json

The model from its definition (Sentence Curve Language Models, arXiv 2602.01807, section 5.4 and appendix B.3): the
Transformer of decoder_only.py; from each of its last hidden states an LSTM, whose gates are written out, gives the
vectors of the next n tokens, or the control points of curves of which those are points (the spline of mdlm.py). One
state at a time, one curve at a time. torch gives the gradients only. Weights have four decimals, so that the file holds
them exactly.
"""
import json
import math
import platform
import sys

import numpy as np
import torch

from decoder_only import (BLOCKS, BOS, EOS, FFN, HEADS, HIDDEN, LONGEST, MASK, PAD, PREFIXES, TEXTS, VOCABULARY,
                          attention, gelu, layer_norm, shapes as backbone_shapes)
from mdlm import spline

SEED = 23

VARIANTS = {
    "baseline": {"n": 3},
    "one": {"n": 1},
    "spline": {"n": 3, "rho": 2, "degree": 3},
    "curves": {"n": 3, "rho": 2, "degree": 2, "curves": 2},
    "baseline_curves": {"n": 2, "curves": 3},
    "table5": {"n": 4, "rho": 5, "degree": 13, "curves": 4},
}


def steps_of(variant):
    return round(variant["rho"] * variant["n"]) if "rho" in variant else variant["n"]


def shapes(variant):
    yield from backbone_shapes()
    yield "head.steps.weight", (steps_of(variant), HIDDEN)
    yield "head.input.weight", (4 * HIDDEN, HIDDEN)
    yield "head.input.bias", (4 * HIDDEN,)
    yield "head.recurrent.weight", (4 * HIDDEN, HIDDEN)
    if variant.get("curves", 1) > 1:
        yield "head.curve_tokens.weight", (variant["curves"], HIDDEN)
        yield "head.curve_scorer.in.weight", (HIDDEN, HIDDEN)
        yield "head.curve_scorer.in.bias", (HIDDEN,)
        yield "head.curve_scorer.out.weight", (1, HIDDEN)
        yield "head.curve_scorer.out.bias", (1,)


def weights(variant):
    """A parameter's values depend on its name and shape alone, so that variants share them."""
    made = {}
    for name, shape in shapes(variant):
        random = np.random.default_rng([SEED, *name.encode(), *shape])
        value = random.normal(0, 0.4, shape) + (1.0 if name.endswith("norm.weight") else 0.0)
        made[name] = np.round(value, 4)
    return made


def states(p, ids):
    x = p["embedding.weight"][ids]
    for i in range(BLOCKS):
        block = f"block_{i}."
        x = x + attention(layer_norm(x, p[block + "attention_norm.weight"]), p, block)
        inner = gelu(layer_norm(x, p[block + "ffn_norm.weight"]) @ p[block + "ffn.in.weight"].T
                     + p[block + "ffn.in.bias"])
        x = x + inner @ p[block + "ffn.out.weight"].T + p[block + "ffn.out.bias"]
    return layer_norm(x, p["norm.weight"])


def sigmoid(x):
    return 1 / (1 + torch.exp(-x))


def lstm(p, h, inputs):
    """Hidden states after each input; the cell begins at zero."""
    cell, all_states = torch.zeros_like(h), []
    for x in inputs:
        gates = p["head.input.weight"] @ x + p["head.input.bias"] + p["head.recurrent.weight"] @ h
        i, f, g, o = (gates[k * HIDDEN:(k + 1) * HIDDEN] for k in range(4))
        cell = sigmoid(f) * cell + sigmoid(i) * torch.tanh(g)
        h = sigmoid(o) * torch.tanh(cell)
        all_states.append(h)
    return all_states


def vectors(p, variant, h, decoding):
    """[n, H] of the tokens after the state h."""
    psi = spline(variant, variant["n"])[0] if "rho" in variant else torch.eye(variant["n"], dtype=torch.float64)
    curves = variant.get("curves", 1)
    found, scores = [], []
    for c in range(curves):
        inputs = list(p["head.steps.weight"])
        if curves > 1:
            inputs = [p["head.curve_tokens.weight"][c]] + inputs
        outputs = lstm(p, h, inputs)
        if curves > 1:
            inner = torch.relu(p["head.curve_scorer.in.weight"] @ outputs[0] + p["head.curve_scorer.in.bias"])
            scores.append((p["head.curve_scorer.out.weight"] @ inner + p["head.curve_scorer.out.bias"])[0])
            outputs = outputs[1:]
        found.append(psi @ torch.stack(outputs))
    if curves == 1:
        return found[0]
    share = torch.softmax(torch.stack(scores), 0)
    if decoding:
        return found[int(share.argmax())]
    return sum(share[c] * found[c] for c in range(curves))


def logits(p, variant, ids, decoding=False):
    """[L, n, V]"""
    return torch.stack([vectors(p, variant, h, decoding) @ p["embedding.weight"].T for h in states(p, ids)])


def losses(p, variant):
    """The mean over all tokens ahead that there are, and those of each position."""
    by_position = [[] for _ in range(variant["n"])]
    for text in TEXTS:
        ids = [BOS] + text + [EOS]
        rows = logits(p, variant, ids[:-1])
        for t in range(len(ids) - 1):
            for j in range(variant["n"]):
                if t + 1 + j < len(ids):
                    by_position[j].append(torch.logsumexp(rows[t, j], 0) - rows[t, j, ids[t + 1 + j]])
    return torch.stack(sum(by_position, [])).mean(), [torch.stack(one) for one in by_position]


@torch.no_grad()
def greedy(p, variant, prefix):
    """n tokens at once; no BOS, PAD or MASK, at least one new token, EOS where the longest text needs it."""
    ids, total, new = [BOS] + prefix, 0.0, 0
    while True:
        for row in logits(p, variant, ids, decoding=True)[-1]:
            log_p = row - torch.logsumexp(row, 0)
            allowed = log_p.clone()
            allowed[[PAD, BOS, MASK] + ([] if new else [EOS])] = -math.inf
            token = EOS if len(ids) == LONGEST - 1 else int(allowed.argmax())
            total += float(log_p[token])
            if token == EOS:
                return {"prefix": prefix, "ids": ids[1:], "score": total / (new + 1)}
            ids.append(token)
            new += 1


def rounded(values):
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.12g}")


def result(variant):
    numbers = weights(variant)
    p = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in numbers.items()}
    loss, by_position = losses(p, variant)
    loss.backward()
    return {
        "n": variant["n"], "rho": variant.get("rho"), "degree": variant.get("degree"),
        "curves": variant.get("curves", 1),
        "logits": [rounded(logits(p, variant, [BOS] + text).tolist()) for text in TEXTS],
        "decoding_logits": rounded(logits(p, variant, [BOS] + TEXTS[0], decoding=True).tolist()),
        "loss": rounded(loss.item()),
        "nll": [rounded(one.mean().item()) for one in by_position], "counts": [len(one) for one in by_position],
        "gradient_norms": {name: rounded(v.grad.norm().item()) for name, v in p.items()},
        "greedy": [greedy(p, variant, prefix) for prefix in PREFIXES],
        "weights": {name: value.tolist() for name, value in numbers.items()
                    if name.startswith("head.")},
    }


def main():
    backbone = {name: value for name, value in weights({"n": 1}).items() if not name.startswith("head.")}
    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"vocabulary": VOCABULARY, "hidden": HIDDEN, "layers": BLOCKS, "heads": HEADS, "ffn": FFN,
                  "longest": LONGEST},
        "texts": TEXTS, "weights": {name: value.tolist() for name, value in backbone.items()},
        "variants": {name: result(variant) for name, variant in VARIANTS.items()},
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
