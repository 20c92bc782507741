#!/usr/bin/env python3
"""Writes calm_energy.json: the energy loss of CALM in closed form and on samples small enough to check.

    python3 make_calm_energy.py > calm_energy.json

2026-11-26, Python 3.11.7, standard library only, float64, nothing is drawn.

CALM       Shao et al., "Continuous Autoregressive Language Models" (2025), Eq. 9-10: 2 E|X - Y|^a - E|X - X'|^a;
           the head from its section 3.3.3 and shaochenze/calm, modeling_energy.py
Gneiting   Gneiting and Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation" (JASA 2007)
Moments    E|V|^a of a Gaussian: the moments of the noncentral chi distribution, through Kummer's function 1F1
"""
import json
import math
import platform

ABOUT = ("The energy loss of CALM on small samples and, in closed form, between Gaussians, by make_calm_energy.py from "
         "Shao et al., Continuous Autoregressive Language Models (2025), Eq. 9-10")


def fitted(value, indent=1):
    """JSON, on one line what is short or holds plain values only; numbers to 15 digits, as the 16th varies by CPU."""
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


# Samples: Eq. 9-10 as they stand, with the diagonal n = k left out.

def energy(x, y, alpha):
    distance = lambda a, b: math.dist(a, b) ** alpha
    fidelity = sum(distance(a, b) for a in x for b in y) / (len(x) * len(y))
    pairs = [(a, b) for i, a in enumerate(x) for k, b in enumerate(x) if i != k]
    diversity = sum(distance(a, b) for a, b in pairs) / len(pairs)
    return {"loss": 2 * fidelity - diversity, "fidelity": fidelity, "diversity": diversity}


def samples():
    x, y = [[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]], [[0.0, 0.0], [6.0, 8.0]]  # one pair coincides
    return {"x": x, "y": y, "cases": [{"alpha": a, **energy(x, y, a)} for a in (0.5, 1.0, 1.5, 2.0)]}


# Gaussians.

def point(mu, sigma, y):
    """The score E|X - X'| - 2 E|X - y| = -loss of N(mu, sigma^2) against the number y."""
    c = (mu - y) / sigma
    to_point = sigma * math.sqrt(2 / math.pi) * math.exp(-c * c / 2) + (mu - y) * math.erf(c / math.sqrt(2))
    return 2 * sigma / math.sqrt(math.pi) - 2 * to_point


def moment(width, alpha, square, variance):
    """E|V|^alpha, V ~ N(m, variance I), |m|^2 = square. 1F1(-a/2; l/2; -z) = exp(-z) 1F1((l+a)/2; l/2; z), whose
    terms are all positive."""
    z = square / (2 * variance)
    terms, term, k = [], math.exp(-z), 0
    while not terms or term > 1e-20 * terms[0] or k < z:
        terms.append(term)
        term *= ((width + alpha) / 2 + k) / (width / 2 + k) * z / (k + 1)
        k += 1
    gammas = math.exp(math.lgamma((width + alpha) / 2) - math.lgamma(width / 2))
    return (2 * variance) ** (alpha / 2) * gammas * math.fsum(terms)


def between(width, alpha, model, target, square):
    fidelity = moment(width, alpha, square, model ** 2 + target ** 2)
    diversity = moment(width, alpha, 0.0, 2 * model ** 2)
    return {"width": width, "alpha": alpha, "model": model, "target": target, "square": square,
            "fidelity": fidelity, "diversity": diversity, "loss": 2 * fidelity - diversity}


def gaussians():
    settings = ((1, 1, 0), (1, 1, 1), (0.3, 0.3, 0), (0.5, 0.3, 0.25), (2, 1, 4))
    return [between(width, alpha, *setting)
            for width in (1, 2, 10, 128) for alpha in (1.0, 1.5, 0.5) for setting in settings]


def levels():
    """What training logs against N(mu, 0.09 I) of width 128: the perfect model, all samples at mu, all at 0 with
    |mu|^2 = 128."""
    return {"perfect": between(128, 1.0, 0.3, 0.3, 0)["loss"],
            "collapsed": 2 * moment(128, 1.0, 0.0, 0.09), "zero": 2 * moment(128, 1.0, 128.0, 0.09)}


# The head of CALM with weights by rule: tensor i of the list holds sin(0.37 k + i), k counting its elements.

def linear(weight, bias, x):
    return [math.fsum(w * v for w, v in zip(row, x)) + b for row, b in zip(weight, bias)]


def normed(weight, bias, x):
    mean = math.fsum(x) / len(x)
    scale = 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x) + 1e-6)
    return [(v - mean) * scale * w + b for v, w, b in zip(x, weight, bias)]


def silu(x):
    return [v / (1 + math.exp(-v)) for v in x]


class Weights:
    def __init__(self):
        self.number = 0

    def fill(self, count):
        self.number += 1
        return [math.sin(0.37 * k + self.number) for k in range(count)]

    def linear(self, outputs, inputs):
        flat = self.fill(outputs * inputs)
        weight = [[v / math.sqrt(inputs) for v in flat[r * inputs:(r + 1) * inputs]] for r in range(outputs)]
        bias = [0.1 * v for v in self.fill(outputs)]
        return lambda x: linear(weight, bias, x)

    def norm(self, width):
        weight, bias = [1 + 0.1 * v for v in self.fill(width)], [0.1 * v for v in self.fill(width)]
        return lambda x: normed(weight, bias, x)


def head(width, noise, latent, blocks):
    made = Weights()
    noise_in, hidden_in = made.linear(width, noise), made.linear(width, width)
    norm_hidden, norm_noise = made.norm(width), made.norm(width)
    layers = [(made.norm(width), made.linear(width, 2 * width), made.linear(width, width),
               made.linear(2 * width, width), made.linear(width, width)) for _ in range(blocks)]
    last = made.norm(width), made.linear(width, width), made.linear(latent, width)

    def sample(e, hidden):
        e, condition = norm_noise(noise_in(e)), norm_hidden(hidden_in(hidden))
        for norm, first, second, third, down in layers:
            both = third(silu(second(silu(first(norm(e) + condition)))))
            gated = [g * u for g, u in zip(silu(both[:width]), both[width:])]
            e = [a + b for a, b in zip(e, down(gated))]
        norm, inner, out = last
        return out(silu(inner(norm(e))))
    return sample


def head_samples():
    positions, width, noise, latent, count, targets = 2, 6, 4, 3, 3, 4
    sample = head(width, noise, latent, 2)
    hidden = [[math.cos(0.5 * (p * width + i)) for i in range(width)] for p in range(positions)]
    drawn = lambda n, p: [0.5 * math.sin(1.3 * ((n * positions + p) * noise + i)) for i in range(noise)]
    x = [[sample(drawn(n, p), hidden[p]) for n in range(count)] for p in range(positions)]
    y = [[[0.7 * math.cos(0.9 * ((m * positions + p) * latent + i)) for i in range(latent)] for m in range(targets)]
         for p in range(positions)]
    return {"x": x, "y": y, "cases": [{"alpha": a, "loss": [energy(x[p], y[p], a)["loss"] for p in range(positions)]}
                                      for a in (1.0, 1.5)]}


if __name__ == "__main__":
    points = [(0, 1, 0), (0, 1, 1), (0, 1, -2), (1, 0.5, 0), (0, 2, 1), (0.3, 0.3, 0.3)]
    print(fitted({"about": ABOUT, "made_with": f"Python {platform.python_version()}",
                  "samples": samples(), "head": head_samples(),
                  "points": [{"mu": m, "sigma": s, "y": y, "score": point(m, s, y)} for m, s, y in points],
                  "gaussians": gaussians(), "levels": levels()}))
