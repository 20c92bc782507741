#!/usr/bin/env python3
"""Writes mauve.json: two clouds of features, their clusters and the area under MAUVE's divergence frontier.

    pip install numpy
    python3 make_mauve.py > mauve.json

From the definitions: the frontier as in section 2 of Pillutla et al. 2021 (NeurIPS) with the scaling 5 and 25 mixtures of
their package, integrated with numpy.trapezoid over the sorted x and, as a check, over y; k-means that begins farthest
first, with whole distance matrices; the jackknife by leaving lines out.
"""
import json
import platform
import sys

import numpy as np

SCALE, WEIGHTS, LINES, WIDTH = 5.0, 25, 60, 8


def divergence(p, r):
    some = p > 0
    return float(np.sum(p[some] * np.log(p[some] / r[some])))


def area(p, q):
    x, y = [1.0], [0.0]
    for w in np.linspace(1e-6, 1 - 1e-6, WEIGHTS):
        r = w * p + (1 - w) * q
        x.append(np.exp(-SCALE * divergence(q, r)))
        y.append(np.exp(-SCALE * divergence(p, r)))
    x, y = np.array(x + [0.0]), np.array(y + [1.0])
    along_x, along_y = -np.trapezoid(y, x), np.trapezoid(x, y)
    assert abs(along_x - along_y) < 1e-12
    return float(along_x)


def distances(rows, centres):
    return ((rows[:, None, :] - centres[None, :, :]) ** 2).sum(-1)


def clusters(rows, k):
    centres = rows[[int(distances(rows, rows.mean(0)[None])[:, 0].argmin())]]
    while len(centres) < k:
        centres = np.vstack([centres, rows[int(distances(rows, centres).min(1).argmax())]])
    last = None
    for _ in range(100):
        which = distances(rows, centres).argmin(1)
        if last is not None and (which == last).all():
            break
        last = which
        centres = np.stack([rows[which == c].mean(0) if (which == c).any() else centres[c] for c in range(k)])
    return which


def share(which, k):
    return np.bincount(which, minlength=k) / len(which)


def case(outputs, references):
    rows = np.empty((2 * len(outputs), WIDTH))
    rows[0::2], rows[1::2] = outputs, references
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    k = max(2, len(outputs) // 10)
    which = clusters(rows, k)
    p, q = which[0::2], which[1::2]
    left = [area(share(np.delete(p, i), k), share(np.delete(q, i), k)) for i in range(len(p))]
    n = len(left)
    error = np.sqrt((n - 1) / n * np.sum((np.array(left) - np.mean(left)) ** 2))
    return {"outputs": outputs.tolist(), "references": references.tolist(), "clusters": which.tolist(),
            "value": area(share(p, k), share(q, k)), "error": float(error)}


def main():
    draw = np.random.default_rng(2021)
    centres = 2 * draw.normal(size=(6, WIDTH))
    cloud = lambda weights: (centres[draw.choice(6, size=LINES, p=weights)] + draw.normal(size=(LINES, WIDTH)) * 0.4).round(6)
    even, tilted, narrow = [1 / 6] * 6, [.4, .3, .1, .1, .05, .05], [.5, .5, 0, 0, 0, 0]
    distributions = [([.5, .5], [.5, .5]), ([1, 0], [0, 1]), ([.7, .3], [.4, .6]), ([.2, .3, .5], [0, .5, .5])]
    document = {
        "made_with": {"numpy": np.__version__, "python": platform.python_version()},
        "areas": [{"p": p, "q": q, "area": area(np.array(p, float), np.array(q, float))} for p, q in distributions],
        "cases": [case(cloud(even), cloud(even)), case(cloud(tilted), cloud(even)), case(cloud(narrow), cloud(even))],
    }
    json.dump(document, sys.stdout)
    print()


main()
