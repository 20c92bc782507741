#!/usr/bin/env python3
"""Writes distance_correlation.json: distance correlations by the dcor package, and two in closed form by hand.

    pip install dcor numpy
    python3 make_distance_correlation.py > distance_correlation.json

dcor.distance_correlation is the sample distance correlation of Székely, Rizzo and Bakirov (2007), the V-statistic.
"""
import json
import platform
import sys

import dcor
import numpy as np

SEED = 5


def samples(random, count, width):
    return np.round(random.normal(size=(count, width)), 4)


def cases(random):
    yield "parabola", [[1.0], [2.0], [3.0], [4.0]], [[1.0], [4.0], [9.0], [16.0]]
    yield "square", [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[0.0], [1.0], [2.0], [1.0]]
    yield "independent", samples(random, 50, 3), samples(random, 50, 2)
    x = samples(random, 40, 4)
    yield "noisy_copy", x, np.round(x + 0.3 * samples(random, 40, 4), 4)
    x = samples(random, 60, 1)
    yield "uncorrelated_but_dependent", x, np.round(x ** 2, 4)
    x = samples(random, 24, 60)
    yield "wide", x, np.round(np.tanh(x @ random.normal(size=(60, 40)) / 5), 4)
    yield "constant", samples(random, 10, 2), np.ones((10, 3))
    yield "two", [[0.0, 1.0], [2.0, 5.0]], [[3.0], [7.0]]


def main():
    random = np.random.default_rng(SEED)
    out = []
    for name, x, y in cases(random):
        x, y = np.asarray(x, float), np.asarray(y, float)
        out.append({"name": name, "x": x.tolist(), "y": y.tolist(),
                    "distance_correlation": float(dcor.distance_correlation(x, y)),
                    "distance_covariance_squared": float(dcor.distance_covariance_sqr(x, y)),
                    "distance_variance_squared_x": float(dcor.distance_covariance_sqr(x, x))})
    json.dump({"header": {"seed": SEED, "dcor": dcor.__version__, "numpy": np.__version__,
                          "python": platform.python_version()}, "cases": out}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
