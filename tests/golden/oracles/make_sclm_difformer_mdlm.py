#!/usr/bin/env python3
"""Writes sclm_difformer_mdlm.json: sentence curves, and the schedules of Difformer and MDLM.

    pip install numpy==2.4.6 scipy==1.17.1
    python3 make_sclm_difformer_mdlm.py > sclm_difformer_mdlm.json

2026-11-23, Python 3.11.7, float64 throughout, nothing is drawn. B-splines are scipy's, the rest is written out from

SCLM       "Sentence Curve Language Models" (arXiv 2602.01807); it leaves open the knots, the margin and how M and k
           are rounded: here clamped uniform knots, 0.01, M half up and k down
Difformer  Gao et al., "Difformer: Empowering Diffusion Models on the Embedding Space for Text Generation"
           (arXiv 2212.09412); zhjgao/difformer c1ec0e3, whose respacing is that of openai/improved-diffusion
MDLM       Sahoo et al., "Simple and Effective Masked Diffusion Language Models" (arXiv 2406.07524);
           kuleshov-group/mdlm c112c52
fairseq    facebookresearch/fairseq v0.10.2: inverse_sqrt
"""
import math
import platform
from fractions import Fraction

import numpy as np
import scipy
from scipy.interpolate import BSpline

from make_cmlm import fitted

ABOUT = ("Sentence curves (arXiv 2602.01807), schedules of Difformer (arXiv 2212.09412; zhjgao/difformer) and of MDLM "
         "(arXiv 2406.07524; kuleshov-group/mdlm), by make_sclm_difformer_mdlm.py, whose header says more")
MARGIN = 0.01


# Sentence curves: SCLM, section 4. Psi maps M control points of a curve of degree k to L words.

def basis(u, points, degree):
    ends = [0.0] * degree, [1.0] * degree
    knots = np.concatenate([ends[0], np.linspace(0, 1, points - degree + 1), ends[1]])
    return BSpline.design_matrix(u, knots, degree).toarray()


def psi(words, points, degree, margin=MARGIN):
    return basis(margin + (1 - 2 * margin) * np.arange(words) / (words - 1), points, degree)


def basis_rows():
    cases = [(0.3, 6, 3), (0.25, 5, 2), (0.5, 7, 3), (0.01, 10, 2), (0.99, 10, 2), (0.5, 4, 3), (0.37, 9, 5),
             (0.0, 5, 2), (1.0, 5, 2)]
    return [{"u": u, "M": M, "k": k, "row": basis([u], M, k)[0].tolist()} for u, M, k in cases]


def matrices():
    cases = [(4, 5, 2, 0.0), (4, 5, 2, MARGIN), (5, 7, 3, MARGIN), (3, 9, 2, MARGIN), (4, 3, 2, MARGIN), (5, 5, 1, 0.0)]
    return [{"L": L, "M": M, "k": k, "eps": eps, "psi": psi(L, M, k, eps).tolist(),
             "psi_pinv": np.linalg.pinv(psi(L, M, k, eps)).tolist()} for L, M, k, eps in cases]


def spectrum(L, M, k):
    """What Lemma 4.3 and Appendix C.2 are about: the eigenvalues of Psi Psi^T that are not 0, and who touches whom."""
    matrix = psi(L, M, k)
    singular = np.linalg.svd(matrix, compute_uv=False)
    values = singular[singular > max(L, M) * 2.0**-52 * singular[0]] ** 2
    uneven = (values ** 2).sum() / values.sum() ** 2
    rows = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    touched = (matrix > 0).sum(axis=0)
    return {"L": L, "M": M, "k": k, "eps": MARGIN, "R_L": float(L * uneven), "R_M": float(M * uneven),
            "R_1": float(L / values.sum()), "trace": float(values.sum()), "lambda_max": float(values[0]),
            "lambda_min": float(values[-1]), "neighbour_corr": float((rows[1:] * rows[:-1]).sum() / (L - 1)),
            "dead_control_points": int((touched == 0).sum()),
            "mean_words_per_live_control_point": float(touched[touched > 0].mean()),
            "input_gain": float((1 / values).sum() / M)}


def spectra():
    return [spectrum(*case) for case in (
        (4, 5, 2), (5, 7, 3), (8, 8, 3), (10, 20, 2), (10, 30, 2), (10, 40, 5), (3, 18, 6), (4, 20, 13), (5, 20, 7),
        (128, 154, 15), (128, 154, 5), (128, 154, 2), (128, 26, 2))]


def points_and_degree(words, ratio, rule):
    """M = ratio L; k is a number, or a share of M such as "0.1M". In fractions: 0.3 * 10 is 3."""
    points = max(3, math.floor(Fraction(str(ratio)) * words + Fraction(1, 2)))
    degree = max(2, math.floor(Fraction(rule[:-1]) * points)) if rule.endswith("M") else int(rule)
    return points, min(points - 1, degree)


def table3():
    """The settings of Table 3; it leaves open whether its ratio r means M = (1 + r) L or M = r L, so both are here."""
    settings = [(2.5, "0.1M"), (3.0, "5"), (2.0, "0.01M"), (2.5, "0.05M"), (2.5, "0.01M")]
    cases = [(L, *points_and_degree(L, ratio, rule)) for r, rule in settings for ratio in (1 + r, r)
             for L in (10, 25, 50, 100)]
    return [spectrum(*case) for case in dict.fromkeys(cases)]


def reconstruction():
    """Figure 8: the error of Psi Psi^+ on white noise is 1 - rank / L, with numpy's cut-off for float64 and float32."""
    cells = []
    for L in (10, 25, 50, 100, 200):
        for rule in ("2", "5", "10", "0.05M", "0.1M", "0.2M", "0.3M", "0.5M"):
            for rho in (0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0):
                M, k = points_and_degree(L, rho, rule)
                singular = np.linalg.svd(psi(L, M, k), compute_uv=False)
                cut = max(L, M) * singular[0]
                cells.append({"rule": rule, "rho": rho, "L": L, "M": M, "k": k,
                              "rank_tol64": int((singular > cut * 2.0**-52).sum()),
                              "rank_tol32": int((singular > cut * 2.0**-23).sum())})
    return cells


# Difformer: the sqrt schedule of 2000 steps, 20 of them when decoding.

def difformer(steps=2000, decoded=20):
    def curve(s):
        return 1 - math.sqrt(s + 1e-4)
    betas = np.array([min(1 - curve((i + 1) / steps) / curve(i / steps), 0.999) for i in range(steps)])
    bars = np.cumprod(1 - betas)
    training = {str(i): {"beta": float(betas[i]), "alpha_bar": float(bars[i]), "sqrt_ab": math.sqrt(bars[i]),
                         "sqrt_1m_ab": math.sqrt(1 - bars[i])} for i in (0, 1, 9, 99, 499, 999, 1499, 1998, 1999)}
    times = [round(s * (steps - 1) / (decoded - 1)) for s in range(decoded)]
    decoding, before = [], 1.0
    for step, t in enumerate(times):
        bar = float(bars[t])
        beta = 1 - bar / before
        decoding.append({"step": step, "t": t, "model_t": t * 1000 / steps, "alpha_bar": bar, "beta": beta,
                         "coef_x0": beta * math.sqrt(before) / (1 - bar),
                         "coef_zt": (1 - before) * math.sqrt(1 - beta) / (1 - bar),
                         "std": math.sqrt(beta * (1 - before) / (1 - bar))})
        before = bar
    decoding[0]["std"] = decoding[1]["std"]  # as in the code, which needs its logarithm
    return {"training": training, "decoding": decoding}


def timestep_embedding(t, dim=8):
    angles = [t * 10000 ** (-i / (dim // 2)) for i in range(dim // 2)]
    return {"t": t, "dim": dim, "value": [math.cos(a) for a in angles] + [math.sin(a) for a in angles]}


def inverse_sqrt(step, peak=5e-4, initial=1e-7, warmup=10000):
    return initial + (peak - initial) * step / warmup if step < warmup else peak * math.sqrt(warmup / step)


def log_linear(t, rest=1e-3):
    """MDLM's noise; the weight of a masked word is the noise rate / (exp(noise) - 1)."""
    sigma = -math.log1p(-(1 - rest) * t)
    rate = (1 - rest) / (1 - (1 - rest) * t)
    return {"t": t, "sigma": sigma, "dsigma": rate, "mask_prob": -math.expm1(-sigma),
            "weight": rate / math.expm1(sigma)}


def main():
    print(fitted({
        "about": ABOUT,
        "made_with": f"scipy {scipy.__version__}, numpy {np.__version__}, Python {platform.python_version()}",
        "basis_rows": basis_rows(), "matrices": matrices(), "spectra": spectra(), "table3": table3(),
        "reconstruction": reconstruction(), "difformer": difformer(),
        "timestep_embedding": [timestep_embedding(t) for t in (0.0, 10.5, 999.5)],
        "inverse_sqrt_lr": {str(n): inverse_sqrt(n) for n in (0, 1, 100, 5000, 9999, 10000, 40000, 300000)},
        "mdlm_loglinear": [log_linear(t) for t in (0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)]}))


if __name__ == "__main__":
    main()
