#!/usr/bin/env python3
"""Writes calm_laws.json: what CALM's draws amount to on distributions small enough to write down.

    python3 make_calm_laws.py > calm_laws.json

2026-11-26, Python 3.11.7, no other package. Nothing is drawn: sums are over all outcomes, in fractions, and in decimals
of 50 digits where powers or large fractions need them. Every rule is written out from

CALM       Shao et al., "Continuous Autoregressive Language Models" (2025): Brier score and BrierLM, Algorithm 1 with its
           Theorem 2, Algorithm 2; and shaochenze/calm, whose aggregation of the four scores is "official" here
"""
import json
import math
import platform
from collections import Counter, defaultdict
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product

getcontext().prec = 50

ABOUT = ("CALM's Brier scores and temperature sampling in closed form, by make_calm_laws.py from Shao et al., Continuous "
         "Autoregressive Language Models (2025), and its code")


def fitted(value, indent=1):
    """JSON, on one line what is short or holds plain values only; numbers to 15 digits, as the 16th varies by CPU."""
    if isinstance(value, (Fraction, Decimal)):
        value = float(value)
    if isinstance(value, float):
        value = float(f"{value:.15g}")
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    (open_, close), held = ("{}", list(value.values())) if isinstance(value, dict) else ("[]", value)
    names = [json.dumps(key) + ": " for key in value] if isinstance(value, dict) else [""] * len(held)
    parts = [name + fitted(part, indent + 1) for name, part in zip(names, held)]
    line = ", ".join(parts)
    flat = not any(isinstance(part, (dict, list)) for part in held)
    if indent > 1 and (flat or len(line) + indent < 114 and "\n" not in line):
        return open_ + line + close
    inner = ",\n".join(" " * indent + part for part in parts)
    return f"{open_}\n{inner}\n{' ' * (indent - 1)}{close}"


def fractions(*texts):
    return [Fraction(text) for text in texts]


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


# Brier scores: 2 P(y) - sum P^2, by two draws 1{x1 = y} + 1{x2 = y} - 1{x1 = x2}.

THREE = fractions("0.5", "0.3", "0.2")
ONE_GRAMS = {
    "P=Q=(.5,.3,.2)": (THREE, THREE),
    "P=delta0, Q=(.5,.3,.2)": (fractions(1, 0, 0), THREE),
    "P=uniform3, Q=(.5,.3,.2)": (fractions("1/3", "1/3", "1/3"), THREE),
    "P=(.2,.5,.3), Q=(.5,.3,.2)": (fractions("0.2", "0.5", "0.3"), THREE),
    "P=(.7,.2,.1), Q=(.5,.3,.2)": (fractions("0.7", "0.2", "0.1"), THREE),
    "P=delta0, Q=delta1": (fractions(1, 0), fractions(0, 1)),
    "P=(.25)*4, Q=delta0": (fractions(*["1/4"] * 4), fractions(1, 0, 0, 0)),
}


def estimate(y, x1, x2):
    return (x1 == y) + (x2 == y) - (x1 == x2)


def one_gram(name, p, q):
    law = defaultdict(Fraction)
    for y, x1, x2 in product(range(len(p)), repeat=3):
        law[estimate(y, x1, x2)] += q[y] * p[x1] * p[x2]
    mean = sum(value * chance for value, chance in law.items())
    return {"case": name, "P": p, "Q": q, "expected": mean, "exact": str(mean),
            "accuracy": sum(a * b for a, b in zip(p, q)), "collision": sum(a * a for a in p),
            "outcome_probs": {str(value): law[value] for value in (-1, 0, 1)},
            "variance": sum(value * value * chance for value, chance in law.items()) - mean ** 2}


def chain_law(start, rows, n):
    """Of all n-grams of a Markov chain."""
    return {gram: start[gram[0]] * math.prod(rows[a][b] for a, b in zip(gram, gram[1:]))
            for gram in product(range(len(start)), repeat=n)}


def markov():
    model = fractions("0.6", "0.4"), [fractions("0.7", "0.3"), fractions("0.4", "0.6")]
    data = fractions("0.5", "0.5"), [fractions("0.8", "0.2"), fractions("0.2", "0.8")]
    per_n = []
    for n in (1, 2, 3, 4):
        p, q = chain_law(*model, n), chain_law(*data, n)
        accuracy, collision = sum(p[x] * q[x] for x in p), sum(a * a for a in p.values())
        brier = 2 * accuracy - collision
        per_n.append({"n": n, "brier": brier, "accuracy": accuracy, "collision": collision, "exact": str(brier)})

    def mean(key):
        return decimal(math.prod(row[key] for row in per_n)) ** Decimal("0.25")
    return {"model_initial": model[0], "model_transition": model[1], "data_initial": data[0],
            "data_transition": data[1], "per_n": per_n, "brierlm_x100": 100 * mean("brier"),
            "accuracy_geomean": mean("accuracy"), "collision_geomean": mean("collision")}


def tokens():
    y = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 9, 9, 9]]
    x1 = [[1, 2, 3, 4], [5, 6, 0, 8], [9, 1, 9, 9]]
    x2 = [[1, 2, 0, 4], [5, 6, 0, 8], [2, 9, 9, 9]]
    chunks = [[estimate(t[:n], a[:n], b[:n]) for n in (1, 2, 3, 4)] for t, a, b in zip(y, x1, x2)]
    briers = [Fraction(sum(column), len(chunks)) for column in zip(*chunks)]
    return {"y": y, "x1": x1, "x2": x2, "per_chunk": chunks, "brier_n": briers, "official_brierlm": official(briers)}


def official(briers):
    """The code: the sign is that of the product, so that two negative scores look like two good ones."""
    return Decimal(max(decimal(math.prod(briers)), 0)) ** Decimal("0.25")


def edges():
    cases = [("0.2", "0.07", "0.026", "0.0125"), ("0.2", "0.07", "0.026", "-0.001"), ("0.2", "0.07", "-0.004", "-0.001"),
             ("-0.1", "-0.1", "-0.1", "-0.1"), ("0.2", "0.07", "0.0", "0.01"), ("0.2181", "0.0688", "0.0259", "0.0125")]
    rows = [fractions(*case) for case in cases]
    return [{"briers": row, "official_unscaled": official(row),
             "ours_x100": 100 * official(row) if min(row) > 0 else 0.0} for row in rows]


# Algorithm 1: accepts x with chance p^(1/T) in each round.

DISTRIBUTIONS = [THREE, fractions("0.6", "0.4"), fractions("0.4", "0.3", "0.2", "0.1"),
                 fractions("0.7", "0.1", "0.1", "0.05", "0.05"), fractions(*["1/4"] * 4), fractions("0.9", "0.1"),
                 fractions(*["1/20"] * 20)]
TEMPERATURES = fractions(1, "0.9", "0.8", "2/3", "0.5", "0.4", "1/3", "0.3", "0.25")


def power_sum(p, exponent):
    return sum(decimal(x) ** decimal(exponent) for x in p)


def algorithm1(p, temperature):
    inverse = 1 / temperature
    n = inverse.numerator // inverse.denominator
    alpha = inverse - n
    z = power_sum(p, inverse)
    # Stage 2 is entered with x at chance p^n and takes p^(alpha - 1) draws.
    second = power_sum(p, inverse - 1) if alpha else Decimal(0)
    return {"P": p, "T": temperature, "n": n, "alpha": alpha, "Z": z,
            "P_T": [decimal(x) ** decimal(inverse) / z for x in p], "E_stage2_calls_per_trial": second,
            "E_calls": (n + second) / z, "P_stage1": sum(x ** n for x in p)}


def bernoulli_factory(p, alpha):
    return {"p": p, "alpha": alpha, "accept": decimal(p) ** decimal(alpha),
            "E_draws": decimal(p) ** decimal(alpha - 1)}


def floor_edges():
    rows = []
    for n in (49, 93, 98, 99, 103, 105, 107, 117, 123, 186, 196, 197):
        # The remainder of doubles is not written: its digits are all rounding.
        rows.append({"T_expr": f"1/{n}", "naive_floor": math.floor(1 / (1 / n)), "n": n, "alpha": 0.0})
    inverse = 1 / Fraction("0.3333")
    return rows + [{"T_expr": "0.3333", "naive_floor": math.floor(1 / 0.3333), "n": 3, "alpha": inverse - 3}]


# Algorithm 2: all vectors of counts, each with its multinomial chance.

BATCHES = [(THREE, 2, (1, 2, 3, 5, 10, 20, 50, 100, 200)), (THREE, 3, (1, 3, 5, 10, 20, 50, 100, 200)),
           (fractions("0.6", "0.4"), 2, (2, 3, 5, 10, 50, 200, 1000)),
           (fractions("0.6", "0.4"), 4, (4, 10, 50, 200, 1000)),
           (fractions("0.4", "0.3", "0.2", "0.1"), 2, (2, 5, 10, 20, 40)),
           (fractions("0.4", "0.3", "0.2", "0.1"), 3, (3, 5, 10, 20, 40))]


def count_vectors(outcomes, total):
    if outcomes == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in count_vectors(outcomes - 1, total - first):
            yield (first, *rest)


def chosen(counts, n):
    """m, and the weights of all outcomes."""
    m = min(n, max(counts))
    return m, [math.comb(c, m) if c >= m else 0 for c in counts]


def batch_law(p, n, samples):
    """By whole numbers: chances are multiplied by unit^samples, and collected by the sum of weights."""
    unit = math.lcm(*(x.denominator for x in p))
    units = [x.numerator * (unit // x.denominator) for x in p]
    shares, matched = defaultdict(lambda: [0] * len(p)), Counter()
    powers = [[u ** c for c in range(samples + 1)] for u in units]
    factorials = [math.factorial(c) for c in range(samples + 1)]
    for counts in count_vectors(len(p), samples):
        chance = factorials[samples]
        for i, c in enumerate(counts):
            chance = chance // factorials[c] * powers[i][c]
        m, weights = chosen(counts, n)
        matched[m] += chance
        held = shares[sum(weights)]
        for i, weight in enumerate(weights):
            held[i] += chance * weight
    whole = unit ** samples
    if samples <= 5:
        law = [sum(Fraction(held[i], total) for total, held in shares.items()) / whole for i in range(len(p))]
    else:
        law = [sum(Decimal(held[i]) / total for total, held in shares.items()) / whole for i in range(len(p))]
    return law, {str(m): Fraction(matched[m], whole) for m in range(1, min(n, samples) + 1)}


def algorithm2(p, n, samples):
    law, matched = batch_law(p, n, samples)
    exact = isinstance(law[0], Fraction)
    numbers = law if exact else [+x for x in law]
    chances = p if exact else [decimal(x) for x in p]
    z = sum(x ** n for x in p)
    return {"P": p, "n": n, "N": samples, "law": numbers, "exact": [str(x) for x in law] if exact else None,
            "matched_m": matched, "target": [x ** n / z for x in p],
            "accuracy_if_Q_eq_P": sum(a * b for a, b in zip(numbers, chances)), "collision": sum(x * x for x in numbers)}


def worked_example():
    batch, n = "ACADBEAFBG", 2
    counts = dict(sorted(Counter(batch).items()))
    _, weights = chosen(list(counts.values()), n)
    held = {name: weight for name, weight in zip(counts, weights) if weight}
    return {"batch": batch, "n": n, "weights": held,
            "probs": {name: Fraction(weight, sum(held.values())) for name, weight in held.items()}}


def main():
    print(fitted({
        "about": ABOUT, "made_with": f"Python {platform.python_version()}",
        "brier_1gram": [one_gram(name, p, q) for name, (p, q) in ONE_GRAMS.items()],
        "brier_ngram_markov": markov(), "estimator_tokens": tokens(), "aggregation_edges": edges(),
        "algorithm1": [algorithm1(p, t) for p in DISTRIBUTIONS for t in TEMPERATURES],
        "bernoulli_factory": [bernoulli_factory(Fraction(p), Fraction(a))
                              for p in ("0.05", "0.3", "0.9") for a in ("0.1", "0.5", "0.9")],
        "floor_edge": floor_edges(),
        "algorithm2": [algorithm2(p, n, samples) for p, n, sizes in BATCHES for samples in sizes],
        "worked_example": worked_example()}))


if __name__ == "__main__":
    main()
