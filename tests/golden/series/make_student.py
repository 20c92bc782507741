"""Golden numbers of intervals over seeds: Student's quantiles, intervals of means, Welch's test.

    pip install scipy==1.11.4 numpy==1.26.4 mpmath==1.3.0
    python make_student.py > student.json

scipy's quantiles of broken degrees are good to about eight digits, so mpmath solves for them to thirty.
"""
import json
import sys

import mpmath
import numpy
import scipy
from scipy import stats

DEGREES = [0.5, 1, 1.3, 2, 2.5, 3, 3.97, 4, 5, 7, 8, 9, 10, 17.25, 29, 30, 64, 65, 99.5, 120, 1000, 123456]
SAMPLES = {
    "three seeds": [63.2, 65.3, 62.9],
    "three others": [68.4, 66.7, 69.5],
    "close": [64.9, 65.2, 64.1, 66.0, 65.5],
    "wide": [9.9, 23.5, 25.4],
    "two": [0.1, 0.4],
    "equal": [7.0, 7.0, 7.0],
}
PAIRS = [("three seeds", "three others"), ("three seeds", "close"), ("close", "wide"), ("two", "three seeds"),
         ("equal", "close"), ("close", "three seeds")]


def quantile(degrees):
    v = mpmath.mpf(degrees)
    near = stats.t.ppf(0.975, degrees)
    exact = mpmath.findroot(
        lambda t: mpmath.betainc(v / 2, 0.5, 0, v / (v + t * t), regularized=True) - mpmath.mpf("0.05"), near)
    assert abs(exact / near - 1) < 1e-8
    return float(exact)


def interval(values):
    mean, error = numpy.mean(values), stats.sem(values)
    low, high = (mean, mean) if error == 0 else stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)
    return {"values": values, "mean": float(mean), "low": float(low), "high": float(high)}


def welch(a, b):
    test = stats.ttest_ind(SAMPLES[b], SAMPLES[a], equal_var=False)
    between = test.confidence_interval(0.95)
    return {"from": a, "to": b, "low": float(between.low), "high": float(between.high), "degrees": float(test.df),
            "p": float(test.pvalue)}


mpmath.mp.dps = 30
json.dump(
    {
        "scipy": scipy.__version__,
        "mpmath": mpmath.__version__,
        "python": sys.version.split()[0],
        "quantiles": [[degrees, quantile(degrees)] for degrees in DEGREES],
        "samples": {name: interval(values) for name, values in SAMPLES.items()},
        "pairs": [welch(a, b) for a, b in PAIRS],
    },
    sys.stdout,
    indent=1,
)
print()
