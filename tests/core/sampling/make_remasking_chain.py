"""Total variation between a toy joint law and what ReMDM's samplers make of its exact conditionals.

Independent of the C++ code (Wang et al. 2025, arXiv 2503.00307; alpha = 1 - mask probability): the chain over all
partly masked states of three positions and three tokens, in float64. No third-party module, no randomness.
    python3 make_remasking_chain.py > remasking_chain.json
"""
import itertools
import json
import sys

TOKENS, MASK = range(3), 3


def weight(a, b, c):
    return 1 + 6 * (a == b) + 3 * (b == c) + 4 * (a + c == 2) + a * b * c + 0.5 * b


WEIGHTS = {x: weight(*x) for x in itertools.product(TOKENS, repeat=3)}
JOINT = {x: w / sum(WEIGHTS.values()) for x, w in WEIGHTS.items()}


def conditional(state, position):
    mass = [0.0] * 3
    for x, p in JOINT.items():
        if all(v in (MASK, x[i]) for i, v in enumerate(state)):
            mass[x[position]] += p
    return [m / sum(mass) for m in mass]


def alpha(schedule, t):
    if schedule != "loop":
        return 1 - t
    on, off, top = 0.55, 0.05, 0.9
    if t > on:
        return top * (1 - t) / (1 - on)
    return top if t > off else 1 - (1 - top) * t / off


def sigma(schedule, eta, t, alpha_t, alpha_s):
    largest = 0 if alpha_s >= 1 else min(1, (1 - alpha_s) / alpha_t) if alpha_t > 0 else 1
    if schedule == "rescale":
        return eta * largest
    return 0 if schedule == "loop" and not 0.05 < t <= 0.55 else min(eta, largest)


def outcomes(state, position, unmask, remask):
    """Tokens (or the mask) at one position after a step, with their probabilities."""
    if state[position] != MASK:
        return [(state[position], 1 - remask), (MASK, remask)]
    p = conditional(state, position)
    return [(v, unmask * p[v]) for v in TOKENS] + [(MASK, 1 - unmask)]


def chain(schedule, eta, steps):
    law = {(MASK,) * 3: 1.0}
    for i in range(steps, 0, -1):
        t, s = i / steps, (i - 1) / steps
        alpha_t, alpha_s = alpha(schedule, t), alpha(schedule, s)
        remask = sigma(schedule, eta, t, alpha_t, alpha_s)
        unmask = (alpha_s - (1 - remask) * alpha_t) / (1 - alpha_t)
        after = {}
        for state, p in law.items():
            for result in itertools.product(*(outcomes(state, k, unmask, remask) for k in range(3))):
                q = p * result[0][1] * result[1][1] * result[2][1]
                key = tuple(v for v, _ in result)
                after[key] = after.get(key, 0) + q
        law = after
    return law


def total_variation(law):
    return sum(abs(law.get(x, 0) - JOINT.get(x, 0)) for x in set(law) | set(JOINT)) / 2


ROWS = [("none", 0)] + [("cap", e) for e in (0.05, 0.3, 1)] + [("rescale", e) for e in (0.1, 0.5)] + [
    ("loop", e) for e in (0, 0.02, 0.1)]
json.dump([{"schedule": name, "eta": eta, "steps": steps, "error": total_variation(chain(name, eta, steps))}
           for name, eta in ROWS for steps in (1, 4, 32)], sys.stdout, indent=1)
print()
