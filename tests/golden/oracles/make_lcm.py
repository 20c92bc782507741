#!/usr/bin/env python3
"""Writes lcm.json: LCM's noise schedules of 100 steps with zero terminal SNR, its timesteps, its scaler.

    python3 make_lcm.py > lcm.json

From the definitions (LCM team 2024, equations 4, 12 to 14, section 2.4.1; Lin et al. 2024, algorithm 1): betas capped at
.999, quantiles linear between order statistics. "code" are the steps of the published code, whose stride is a whole
number.
"""
import json
import math

T = 100


def curve_betas(curve):
    return [min(1 - curve((i + 1) / T) / curve(i / T), 0.999) for i in range(T)]


def cosine(s, shift=0.008):
    return math.cos((s + shift) / (1 + shift) * math.pi / 2) ** 2


def sigmoid(slope, centre):
    def curve(s):
        if s <= 0 or s >= 1:
            return 1.0 if s <= 0 else 0.0
        return 1 / (1 + math.exp(slope * math.log(s / (1 - s)) - centre))
    return curve


def quadratic(first, last):
    a, b = math.sqrt(first), math.sqrt(last)
    return [(a + i / (T - 1) * (b - a)) ** 2 for i in range(T)]


def rescaled(betas):
    product, roots = 1.0, []
    for beta in betas:
        product *= 1 - beta
        roots.append(math.sqrt(product))
    first, last = roots[0], roots[-1]
    return [((root - last) * first / (first - last)) ** 2 for root in roots]


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def main():
    schedules = [("cosine", {}, curve_betas(cosine))]
    for slope, centre in ((1.5, -1), (1.5, -2), (0.8, -1), (3.5, 0)):
        schedules.append(("sigmoid", {"slope": slope, "centre": centre}, curve_betas(sigmoid(slope, centre))))
    for first, last in ((0.001, 0.0012), (0.02, 0.022)):
        schedules.append(("quadratic", {"beta_first": first, "beta_last": last}, quadratic(first, last)))
    column = [1.0, 2.0, 3.0, 4.0, 100.0]
    print(json.dumps({
        "schedules": [{"kind": kind, "values": values, "alpha_bar": rescaled(betas)} for kind, values, betas in schedules],
        "timesteps": {str(steps): [round(T - k * T / steps) - 1 for k in range(steps)] for steps in (5, 10, 30, 40, 100)},
        "code_timesteps": {str(steps): list(range(T - 1, -1, -(T // steps))) for steps in (30, 40, 60)},
        "scaler": {"column": column, "median": quantile(column, .5),
                   "scale": 0.7413 * (quantile(column, .75) - quantile(column, .25))}}, indent=1))


if __name__ == "__main__":
    main()
