#!/usr/bin/env python3
"""Writes mdlm.json: a small MDLM backbone in float64, its logits, loss and gradient norms.

    pip install torch numpy
    python3 mdlm.py > mdlm.json

The network from its definition (Sahoo et al. 2024 and the DiT of its code): layer norms, attention, rotary positions
and the tanh GELU are written out, position by position where that is plainer; torch gives the gradients only. All
variants take their parameters from one set. Weights have four decimals, so that the file holds them exactly.
"""
import json
import math
import platform
import sys

import numpy as np
import torch

SEED = 7
VOCABULARY, HIDDEN, BLOCKS, HEADS, FFN, COND, TIME = 11, 16, 2, 2, 24, 8, 256
ROWS, LENGTH, MASK = 3, 7, VOCABULARY - 1
EPSILON = 1e-3  # of the log-linear schedule
T = [0.9, 0.25, 0.6]
PADDED = [7, 5, 3]  # lengths of the variant with an attention mask

VARIANTS = {
    "time": {"adaln": True, "time": True},
    "constant": {"adaln": True, "time": False},
    "plain": {"adaln": False, "time": False},
    "tied": {"adaln": False, "time": False, "tied": True},
    "smooth": {"adaln": True, "time": True, "smooth": True},
    "padded": {"adaln": False, "time": False, "smooth": True, "padded": True},
    # With a sentence curve: control points per word, degree, curves, layers before the map.
    "curve": {"adaln": True, "time": True, "padded": True, "map": {"rho": 2, "degree": 2}},
    "curves": {"adaln": True, "time": True, "padded": True, "map": {"rho": 2, "degree": 2, "curves": 2}},
    "greville": {"adaln": False, "time": False, "map": {"rho": 1.5, "degree": 3, "positions": "greville"}},
    "greville_curves": {"adaln": False, "time": False, "padded": True,
                        "map": {"rho": 1.5, "degree": 3, "positions": "greville", "curves": 2}},
    "lifted": {"adaln": True, "time": False, "padded": True, "map": {"rho": 2, "degree": 2, "lift_layer": 1}},
}
CURVES = 2
MARGIN = 0.01  # of the curve's ends


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
        yield block + "modulation.weight", (6 * HIDDEN, COND)
        yield block + "modulation.bias", (6 * HIDDEN,)
    yield "norm.weight", (HIDDEN,)
    yield "modulation.weight", (2 * HIDDEN, COND)
    yield "modulation.bias", (2 * HIDDEN,)
    yield "output.weight", (VOCABULARY, HIDDEN)
    yield "output.bias", (VOCABULARY,)
    yield "time.in.weight", (COND, TIME)
    yield "time.in.bias", (COND,)
    yield "time.out.weight", (COND, COND)
    yield "time.out.bias", (COND,)


def curve_shapes():
    yield "curve_tokens.weight", (CURVES, HIDDEN)
    yield "curve_scorer.in.weight", (HIDDEN, HIDDEN)
    yield "curve_scorer.in.bias", (HIDDEN,)
    yield "curve_scorer.out.weight", (1, HIDDEN)
    yield "curve_scorer.out.bias", (1,)


def weights(random, shapes):
    made = {}
    for name, shape in shapes:
        value = random.normal(0, 0.35, shape) + (1.0 if name.endswith("norm.weight") else 0.0)
        if name == "time.in.weight":
            value /= 4
        made[name] = np.round(value, 4)
    return made


def names_of(variant):
    for name, _ in shapes():
        if not variant["adaln"] and ("modulation" in name or name.startswith("time.")):
            continue
        if variant.get("tied") and name.startswith("output."):
            continue
        yield name
    if variant.get("map", {}).get("curves", 1) > 1:
        for name, _ in curve_shapes():
            yield name


def basis(knots, j, degree, u):
    """Cox and de Boor; closed on the right."""
    if degree == 0:
        last = u == knots[-1] and knots[j] < knots[j + 1] == knots[-1]
        return 1.0 if knots[j] <= u < knots[j + 1] or last else 0.0
    total = 0.0
    for weight, i, width in ((u - knots[j], j, knots[j + degree] - knots[j]),
                             (knots[j + degree + 1] - u, j + 1, knots[j + degree + 1] - knots[j + 1])):
        if width > 0:
            total += weight / width * basis(knots, i, degree - 1, u)
    return total


def spline(of, words):
    """psi [words, M] of a clamped curve, and the word coordinate of every control point."""
    points = max(3, math.floor(of["rho"] * words + 0.5))
    degree = min(points - 1, of["degree"])
    inner = points - degree
    knots = [0.0] * degree + [i / inner for i in range(inner + 1)] + [1.0] * degree
    index = [0.5] if words == 1 else [MARGIN + (1 - 2 * MARGIN) * i / (words - 1) for i in range(words)]
    psi = [[basis(knots, j, degree, u) for j in range(points)] for u in index]
    greville = [sum(knots[j + 1:j + degree + 1]) / degree for j in range(points)]
    return torch.tensor(psi, dtype=torch.float64), [g * (words - 1) for g in greville]


def silu(x):
    return x / (1 + torch.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def layer_norm(x, weight):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + 1e-5) * weight


def time_features(sigma):
    """[rows] -> [rows, TIME]: cosines, then sines."""
    half = TIME // 2
    columns = [torch.cos(sigma * math.exp(-math.log(10000.0) * j / half)) for j in range(half)]
    columns += [torch.sin(sigma * math.exp(-math.log(10000.0) * j / half)) for j in range(half)]
    return torch.stack(columns, 1)


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


def attention(x, p, block, length, at):
    """x [L, H] of one row at the positions `at`; keys beyond `length` do not exist."""
    positions, width = x.shape[0], HIDDEN // HEADS
    qkv = x @ p[block + "attention.qkv.weight"].T
    heads = []
    for h in range(HEADS):
        part = [qkv[:, k * HIDDEN + h * width:k * HIDDEN + (h + 1) * width] for k in range(3)]
        query = torch.stack([rotary(part[0][i], at[i]) for i in range(positions)])
        key = torch.stack([rotary(part[1][i], at[i]) for i in range(length)])
        scores = query @ key.T / math.sqrt(width)
        weight = torch.exp(scores - scores.max(1, keepdim=True).values)
        heads.append(weight / weight.sum(1, keepdim=True) @ part[2][:length])
    return torch.cat(heads, 1) @ p[block + "attention.out.weight"].T


def smoothed(x, length):
    """x [L, H] of one row; the weight of a missing neighbour goes to the token itself."""
    rows = []
    for i in range(x.shape[0]):
        row = x[i]
        if i < length:
            left = x[i - 1] if i > 0 else x[i]
            right = x[i + 1] if i + 1 < length else x[i]
            row = left / 4 + x[i] / 2 + right / 4
        rows.append(row)
    return torch.stack(rows)


def run_block(x, p, variant, i, condition, length, at):
    block = f"block_{i}."
    m = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    if variant["adaln"]:
        m = torch.split(p[block + "modulation.weight"] @ condition + p[block + "modulation.bias"], HIDDEN)
    y = layer_norm(x, p[block + "attention_norm.weight"]) * (1 + m[1]) + m[0]
    x = x + m[2] * attention(y, p, block, length, at)
    y = layer_norm(x, p[block + "ffn_norm.weight"]) * (1 + m[4]) + m[3]
    inner = gelu(y @ p[block + "ffn.in.weight"].T + p[block + "ffn.in.bias"])
    return x + m[5] * (inner @ p[block + "ffn.out.weight"].T + p[block + "ffn.out.bias"])


def last_norm(x, p, variant, condition):
    x = layer_norm(x, p["norm.weight"])
    if variant["adaln"]:
        shift, scale = torch.split(p["modulation.weight"] @ condition + p["modulation.bias"], HIDDEN)
        x = x * (1 + scale) + shift
    return x


def curve_states(x, p, variant, condition, length):
    """The rest of the network on the control points of x [L, H]; padding gives zeros."""
    of = variant["map"]
    psi, coordinates = spline(of, length)
    tokens = torch.linalg.pinv(psi) @ x[:length]
    count, first = psi.shape[1], of.get("lift_layer", 0)
    if of.get("positions") != "greville":
        coordinates = list(range(count))
    found, scores = [], []
    for n in range(of.get("curves", 1)):
        y, at = tokens, coordinates
        if "curves" in of:  # e_n stands before the first
            y, at = torch.cat([p["curve_tokens.weight"][n:n + 1], y]), [-1] + list(at)
        for i in range(first, BLOCKS):
            y = run_block(y, p, variant, i, condition, len(at), at)
        y = last_norm(y, p, variant, condition)
        if "curves" in of:
            inner = torch.relu(p["curve_scorer.in.weight"] @ y[0] + p["curve_scorer.in.bias"])
            scores.append((p["curve_scorer.out.weight"] @ inner + p["curve_scorer.out.bias"])[0])
            y = y[1:]
        found.append(y)
    share = torch.softmax(torch.stack(scores), 0) if scores else [1.0]
    mixed = psi @ sum(share[n] * found[n] for n in range(len(found)))
    return torch.cat([mixed, torch.zeros(LENGTH - length, HIDDEN, dtype=torch.float64)])


def row_logits(p, variant, ids, condition, length):
    x = p["embedding.weight"][ids]
    if variant.get("smooth"):
        x = smoothed(x, length)
    of = variant.get("map")
    for i in range(of.get("lift_layer", 0) if of else BLOCKS):
        x = run_block(x, p, variant, i, condition, length, range(LENGTH))
    x = curve_states(x, p, variant, condition, length) if of else last_norm(x, p, variant, condition)
    if variant.get("tied"):
        return x @ p["embedding.weight"].T
    return x @ p["output.weight"].T + p["output.bias"]


def network(p, variant, ids, sigma):
    conditions = [None] * ROWS
    if variant["adaln"]:
        used = sigma if variant["time"] else torch.zeros_like(sigma)
        inner = silu(time_features(used) @ p["time.in.weight"].T + p["time.in.bias"])
        conditions = silu(inner @ p["time.out.weight"].T + p["time.out.bias"])
    lengths = PADDED if variant.get("padded") else [LENGTH] * ROWS
    return torch.stack([row_logits(p, variant, ids[r], conditions[r], lengths[r]) for r in range(ROWS)])


def subs_loss(logits, ids, clean, counted):
    """SUBS: the mask is impossible, an open token is certain. Weight 1/t; mean over the counted positions."""
    total = 0.0
    for r in range(ROWS):
        for i in range(LENGTH):
            if counted[r][i] and ids[r, i] == MASK:
                words = logits[r, i, :MASK]
                total = total + (torch.logsumexp(words, 0) - words[clean[r, i]]) / T[r]
    return total / sum(map(sum, counted))


def rounded(values):
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.12g}")


def result(variant, numbers, ids, clean, sigma):
    p = {name: torch.tensor(numbers[name], dtype=torch.float64, requires_grad=True) for name in names_of(variant)}
    lengths = PADDED if variant.get("padded") else [LENGTH] * ROWS
    counted = [[int(i < min(lengths[r], LENGTH - (r == 1))) for i in range(LENGTH)] for r in range(ROWS)]
    logits = network(p, variant, ids, sigma)
    loss = subs_loss(logits, ids, clean, counted)
    loss.backward()
    return {"adaln": variant["adaln"], "time": variant["time"], "tied": bool(variant.get("tied")),
            "smooth": bool(variant.get("smooth")), "map": variant.get("map"), "lengths": lengths, "counted": counted,
            "logits": rounded(logits.tolist()), "loss": rounded(loss.item()),
            "gradient_norms": {name: rounded(v.grad.norm().item()) for name, v in p.items()}}


def main():
    random = np.random.default_rng(SEED)
    numbers = weights(random, shapes()) | weights(np.random.default_rng(SEED + 1), curve_shapes())
    clean = torch.tensor(random.integers(0, MASK, (ROWS, LENGTH)))
    masked = torch.tensor([[1, 1, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0]], dtype=torch.bool)
    ids = torch.where(masked, torch.tensor(MASK), clean)
    sigma = torch.tensor([-math.log(1 - (1 - EPSILON) * t) for t in T], dtype=torch.float64)
    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"vocabulary": VOCABULARY, "hidden": HIDDEN, "layers": BLOCKS, "heads": HEADS, "ffn": FFN,
                  "conditioning": COND},
        "t": T, "sigma": rounded(sigma.tolist()), "ids": ids.tolist(), "clean": clean.tolist(),
        "weights": {name: value.tolist() for name, value in numbers.items()},
        "variants": {name: result(v, numbers, ids, clean, sigma) for name, v in VARIANTS.items()},
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
