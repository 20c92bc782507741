#!/usr/bin/env python3
"""Writes steps.json: reverse steps of discrete Gaussian processes in NumPy, by the formulas of the papers.

    pip install numpy
    python3 steps.py > steps.json

ddpm: Ho et al. 2020, equations 6-7, on a respaced chain of its linear betas. ddim: Song et al. 2021 on a cosine
schedule whose last level is pure noise, with eta, a scaling of epsilon, guidance and guidance rescale as LCM has them
(Barrault et al. 2024). dpm: DPM-Solver++ 2M (Lu et al. 2022, algorithm 2) in its own variables.
flow: the Euler and midpoint rules along a straight path (Lipman et al. 2023).
"""
import json
import platform
import sys

import numpy as np

ROWS, WIDTH = 3, 4
random = np.random.default_rng(5)


def numbers(*shape):
    return np.round(random.normal(0, 1, shape), 3)


def ddpm():
    abar = np.cumprod(1 - np.linspace(1e-4, 0.02, 1000))[[99, 399, 699, 999]]
    x, steps = numbers(ROWS, WIDTH), []
    made = {"alpha_bar": abar.tolist(), "z": x.tolist(), "steps": steps}
    for i in reversed(range(len(abar))):
        now, before = abar[i], abar[i - 1] if i else 1.0
        alpha = now / before
        beta = 1 - alpha
        x0, noise = numbers(ROWS, WIDTH), numbers(ROWS, WIDTH)
        mean = np.sqrt(before) * beta / (1 - now) * x0 + np.sqrt(alpha) * (1 - before) / (1 - now) * x
        posterior = (1 - before) / (1 - now) * beta
        x = mean + (np.sqrt(beta) * noise if i else 0)
        steps.append({"x0": x0.tolist(), "noise": noise.tolist(), "forward": beta, "posterior": posterior,
                      "z": x.tolist(), "small": (mean + np.sqrt(posterior) * noise).tolist()})
    return made


def cosine(steps, s=0.008):
    f = np.cos((np.arange(steps + 1) / steps + s) / (1 + s) * np.pi / 2) ** 2
    root = np.sqrt(np.cumprod(1 - np.minimum(1 - f[1:] / f[:-1], 0.999)))
    return ((root - root[-1]) * root[0] / (root[0] - root[-1])) ** 2


def ddim():
    abar, eta, scaling, guidance, rescale = cosine(8), 0.6, 1.00045, 3.0, 0.7
    x, steps = 0.6 * numbers(ROWS, WIDTH), []
    made = {"alpha_bar": abar.tolist(), "eta": eta, "epsilon_scaling": scaling, "guidance": guidance,
            "rescale": rescale, "z": x.tolist(), "steps": steps}
    for i in reversed(range(len(abar))):
        now, before = abar[i], abar[i - 1] if i else 1.0
        conditional, unconditional, noise = numbers(ROWS, WIDTH), numbers(ROWS, WIDTH), numbers(ROWS, WIDTH)
        x0, eps = conditional, (x - np.sqrt(now) * conditional) / np.sqrt(1 - now)
        if now > 0:
            other = (x - np.sqrt(now) * unconditional) / np.sqrt(1 - now)
            g = other + guidance * (eps - other)
            g = g * (rescale * eps.std(-1, ddof=1, keepdims=True) / g.std(-1, ddof=1, keepdims=True) + 1 - rescale)
            x0, eps = (x - np.sqrt(1 - now) * g) / np.sqrt(now), g
        variance = (1 - before) / (1 - now) * (1 - now / before)
        x = np.sqrt(before) * x0 + np.sqrt(1 - before - eta**2 * variance) * eps / scaling
        x = x + eta * np.sqrt(variance) * noise
        steps.append({"conditional": conditional.tolist(), "unconditional": unconditional.tolist(),
                      "noise": noise.tolist(), "x0": x0.tolist(), "z": x.tolist()})
    return made


def dpm():
    abar = [0.02, 0.2, 0.55, 0.9, 0.99]
    alpha, sigma = np.sqrt(abar), np.sqrt(1 - np.array(abar))
    half_log_snr = np.log(alpha / sigma)
    x, last, steps = numbers(ROWS, WIDTH), None, []
    made = {"alpha_bar": abar, "z": x.tolist(), "steps": steps}
    for i in range(1, len(abar)):
        x0 = numbers(ROWS, WIDTH)
        h = half_log_snr[i] - half_log_snr[i - 1]
        d = x0
        if last is not None:
            r = (half_log_snr[i - 1] - half_log_snr[i - 2]) / h
            d = (1 + 1 / (2 * r)) * x0 - 1 / (2 * r) * last
        x, last = sigma[i] / sigma[i - 1] * x - alpha[i] * np.expm1(-h) * d, x0
        steps.append({"x0": x0.tolist(), "z": x.tolist()})
    return made


def flow(mean=2.0, variance=0.25):
    """The end of the path from 1 at time 0, by the field of data N(mean, variance) in closed form."""
    def field(x, t):
        return mean + (t * variance - (1 - t)) / ((1 - t) ** 2 + t**2 * variance) * (x - t * mean)

    made = {}
    for n in (1, 2, 4, 10):
        euler = midpoint = 1.0
        for i in range(n):
            t, dt = i / n, 1 / n
            euler += dt * field(euler, t)
            midpoint += dt * field(midpoint + dt / 2 * field(midpoint, t), t + dt / 2)
        made[str(n)] = {"euler": euler, "midpoint": midpoint}
    return made


def main():
    made = {"made_by": f"steps.py, numpy {np.__version__}, Python {platform.python_version()}"}
    json.dump(made | {"ddpm": ddpm(), "ddim": ddim(), "dpm": dpm(), "flow": flow()}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
