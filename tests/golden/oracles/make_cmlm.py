#!/usr/bin/env python3
"""Writes cmlm.json: the rules of CMLM, its contrastive loss, Look Neighbors and CORR on examples small enough to check.

    pip install numpy==2.4.6
    python3 make_cmlm.py > cmlm.json

2026-11-23, Python 3.11.7, float64 throughout, nothing is drawn. Every rule is written out from its source:

Isotropy   Guo et al., "Isotropy-Enhanced Conditional Masked Language Models" (Findings of EMNLP 2023), and its code,
           AllForward/Isotropy-Enhanced-CMLM a02860c6, a fork of fairseq 0.10.2
CMLM       Ghazvininejad et al., "Mask-Predict" (EMNLP-IJCNLP 2019); facebookresearch/Mask-Predict 11c75352
CMLMC      Huang et al., "Improving Non-Autoregressive Translation Models Without Distillation" (ICLR 2022);
           layer6ai-labs/CMLMC 78fe1cb9
SimCTG     Su et al., "A Contrastive Framework for Neural Text Generation" (NeurIPS 2022); yxuansu/SimCTG 3a91449c
fairseq    facebookresearch/fairseq 3d262bb2: label smoothing, length head, inverse_sqrt
DiffuSIA   Tan et al., "DiffuSIA: A Spiral Interaction Architecture for Encoder-Decoder Text Diffusion": linear decay
"""
import json
import math
import platform
from fractions import Fraction

import numpy as np

ABOUT = ("CMLM, its contrastive loss, Look Neighbors and CORR on small examples, by make_cmlm.py from Guo et al., "
         "Isotropy-Enhanced Conditional Masked Language Models (Findings of EMNLP 2023; "
         "AllForward/Isotropy-Enhanced-CMLM), and the papers and code that its header names")


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


# The contrastive loss: Isotropy, Eq. 5 and 6, and the code of SimCTG, which Isotropy uses.

def cosines(rows):
    """Of all pairs i < j; without conj(), so that a complex step differentiates them."""
    return np.array([(a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())
                     for i, a in enumerate(rows) for b in rows[i + 1:]])


def hinge(values):
    return np.where(values.real > 0, values, 0)


def official(batch, lengths, margin, first=0):
    """The code: margin - s_ii + s_ij with s_ii = 1, one mean over the pairs of all sentences."""
    return hinge(margin - 1 + np.concatenate([cosines(x[first:n - first]) for x, n in zip(batch, lengths)])).mean()


def paper(batch, lengths, margin):
    """The equation: s_ij - margin, a mean per sentence."""
    return np.mean([hinge(cosines(x[:n]) - margin).mean() for x, n in zip(batch, lengths)])


def gradient(law, x):
    """By complex steps, which are exact to rounding."""
    result = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[at] += 1e-30j
        result[at] = law(moved).imag / 1e-30
    return result.round(15)


def plain():
    rows = np.array([[1, 0], [1, 1], [0, 1]])
    cases = [{"margin": margin, "official": float(official([rows], [3], margin)),
              "paper": float(paper([rows], [3], margin))} for margin in (0.3, 0.4, 0.5, 0.6, 1.0)]
    return {"rows": rows.tolist(), "cases": cases,
            "gradient_0.4": gradient(lambda x: official([x], [3], 0.4), rows).tolist()}


def waves(offset, factor, shape=(2, 4, 5)):
    b, i, k = np.indices(shape)
    return offset + factor * np.sin(1.0 + 100 * b + 10 * i + k)


def wave_cases(x):
    cases = [{"lengths": lengths, "margin": margin, "official_micro": float(official(x, lengths, margin))}
             for margin in (0.4, 1.0) for lengths in ([4, 4], [4, 3])]
    for case in cases[:2]:
        case["paper_macro"] = float(paper(x, case["lengths"], 0.4))
    return cases


def contrastive():
    shifted, sines, equal = waves(1, 0.5), waves(0, 1), np.ones((2, 4, 3))
    slope = gradient(lambda x: official(x, [4, 3], 0.4), shifted)
    ordinary = {"lengths": [4, 4], "margin": 0.4, "positions": "ordinary",
                "official_micro": float(official(shifted, [4, 4], 0.4, first=1))}
    return {
        "plain": plain(),
        "shifted": {"shape": list(shifted.shape), "cases": wave_cases(shifted) + [ordinary],
                    "gradient_0.4_lengths_4_3": {
                        "sum_abs": float(abs(slope).sum()),
                        "cells": [{"at": at, "row": slope[tuple(at)].tolist()} for at in ([0, 0], [1, 2], [1, 3])]}},
        "sines": {"shape": list(sines.shape), "cases": wave_cases(sines)},
        "equal_rows": {"margin": 0.4, "official": float(official(equal, [4, 2], 0.4)),
                       "paper": float(paper(equal, [4, 2], 0.4))},
    }


# Look Neighbors: Isotropy, Eq. 8 to 11.

def near(length, words):
    """Which keys a query sees: words at distance 1 or less; the query of a pad sees all of them."""
    i, j = np.indices((length, length))
    return ((abs(i - j) <= 1) | (i >= words)) & (j < words)


def neighbour_mask():
    def texts(allowed):
        return ["".join("01"[int(one)] for one in row) for row in allowed]
    return {"allowed": texts(near(5, 5)), "of_three": texts(near(5, 3)),
            "allowed_keys": {str(n): near(n, n).sum(axis=1).tolist() for n in (1, 2, 3, 5)}}


def attention(x, allowed):
    weights = np.exp(x @ x.T / math.sqrt(x.shape[1])) * allowed
    return weights / weights.sum(axis=1, keepdims=True) @ x


ROWS = np.array([[1, 0], [0, 1], [1, 1], [2, 0], [0, 2]])


def neighbour_attention():
    neighbour, full = attention(ROWS, near(5, 5)), attention(ROWS, np.ones((5, 5)))
    merged = 0.5 * full + 0.5 * neighbour
    return {"rows": ROWS.tolist(), "neighbour": neighbour.tolist(), "full": full.tolist(), "merged": merged.tolist(),
            "sum": float(merged.sum()), "d_sum_d_alpha": float((full - neighbour).sum()),
            "of_three": attention(ROWS, near(5, 3))[:3].tolist()}


def neighbour_concat():
    """The equation has one matrix, the code W2 GELU(W1 [left; right]) and a GELU around the sum; the ends stay."""
    gelu = np.vectorize(lambda v: v * (1 + math.erf(v / math.sqrt(2))) / 2)
    r, c = np.indices((4, 4))
    inner = 0.1 * (r + 1) * (c + 1) * (-1.0) ** (r + c)
    outer = (0.2 * (c + 1) * (-1.0) ** (r + c))[:2]
    weight = np.array([[0.5, -0.25, 0.1, 0.3], [0.2, 0.4, -0.6, 0.05]])
    code, equation = ROWS.astype(float), ROWS.astype(float)
    for i in range(1, len(ROWS) - 1):
        sides = np.concatenate([ROWS[i - 1], ROWS[i + 1]])
        code[i] = gelu(ROWS[i] + outer @ gelu(inner @ sides))
        equation[i] = ROWS[i] + weight @ sides
    return {"rows": ROWS.tolist(), "official": code.tolist(), "paper_weight": weight.tolist(),
            "paper": equation.tolist()}


# Masking and decoding: CMLM as Isotropy's code has it, CORR as CMLMC. Counts are whole numbers throughout.

def remasked(n, passes, done):
    return n * (passes - done) // passes


def mask_counts():
    return [{"n": n, **{str(passes): [remasked(n, passes, done) for done in range(1, passes)]
                        for passes in (4, 10, 11)}} for n in (1, 2, 5, 7, 10, 12, 20, 33)]


def training_counts():
    draws = [(5, 0), (5, 0.19), (5, 0.2), (5, 0.5), (5, 0.999), (10, 0.35), (33, 0.75), (1, 0), (1, 0.5), (1, 0.999)]
    return [{"n": n, "u": u, "count": math.floor(n * Fraction(str(u))) + 1} for n, u in draws]


def length_beam():
    return [{"predicted": predicted, "beam": beam,
             "lengths": [max(2, predicted - beam // 2 + k) for k in range(beam)]}
            for predicted, beam in ((2, 5), (3, 5), (4, 5), (20, 5), (20, 4), (20, 3))]


OFFERS = [[list(offer) for offer in zip(words, probabilities)] for words, probabilities in (
    ("abbcde", (0.9, 0.4, 0.35, 0.8, 0.3, 0.6)),
    ("axyczq", (0.95, 0.7, 0.5, 0.6, 0.55, 0.65)),
    ("AwvCuE", (0.99, 0.85, 0.75, 0.97, 0.45, 0.96)))]


def decoded(overwrite):
    """Fills the masked words with what each pass offers, CORR all words; then masks the least likely again."""
    n, passes = len(OFFERS[0]), len(OFFERS)
    held, masked, history = [None] * n, set(range(n)), []
    for done, offers in enumerate(OFFERS, 1):
        held = [offer if overwrite or i in masked else held[i] for i, offer in enumerate(offers)]
        if done == 2:
            second = [probability for _, probability in held]
        masked = set(sorted(range(n), key=lambda i: held[i][1])[:remasked(n, passes, done)])
        history.append(sorted(i + 1 for i in masked))
    total = sum(math.log(probability) for _, probability in held)
    # The score counts BOS and EOS with log 1.
    return history[:-1], {"probabilities_1": second, "tokens": "".join(word for word, _ in held), "sum": total,
                          "score": total / (n + 2)}


def decode():
    (masked, cmlm), (again, corr) = decoded(False), decoded(True)
    assert masked == again
    return {"passes": len(OFFERS), "offers": OFFERS, "masked_after": masked, "cmlm": cmlm, "corr": corr}


# Losses and learning rates: fairseq; CMLMC halves the loss of each of its two passes.

def nll(logits, targets):
    """The mean over rows, and what a target spread evenly over the vocabulary would cost."""
    logits = np.array(logits, dtype=float)
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return float(-log_p[range(len(targets)), targets].mean()), float(-log_p.mean())


def label_smoothing():
    logits, targets, epsilon = [[2, 1, 0, -1], [0.5, 0.5, 0.5, 3]], [0, 2], 0.1
    sharp, even = nll(logits, targets)
    loss = (1 - epsilon) * sharp + epsilon * even
    return {"logits": logits, "targets": targets, "epsilon": epsilon, "nll": sharp, "loss": loss, "half": loss / 2}


def length_head():
    states, lengths = [[[1, 2], [3, 4], [0, 0]], [[1, 0], [0, 1], [2, 2]]], [2, 3]
    weight, targets = [[0.1, 0], [0, 0.1], [0.2, 0.1], [0.1, 0.3]], [3, 2]
    pooled = np.array([np.mean(rows[:n], axis=0) for rows, n in zip(states, lengths)])
    logits = pooled @ np.array(weight).T
    return {"states": states, "lengths": lengths, "weight": weight, "pooled": pooled.tolist(),
            "logits": logits.tolist(), "targets": targets, "loss": nll(logits, targets)[0]}


def learning_rate():
    def inverse_sqrt(peak, warmup, steps):
        rates = [1e-7 + u * (peak - 1e-7) / warmup if u < warmup else peak * math.sqrt(warmup / u) for u in steps]
        return {"law": "inverse-sqrt", "peak": peak, "warmup": warmup, "values": [list(v) for v in zip(steps, rates)]}
    steps = 50000
    return [inverse_sqrt(7e-4, 40000, (0, 1, 20000, 40000, 100000, 300000)),
            inverse_sqrt(5e-4, 15000, (7500, 50000, 100000)),
            {"law": "linear", "peak": 1e-4, "steps": steps,
             "values": [[u, 1e-4 * (steps - u) / steps] for u in (0, 25000, 49999)]}]


# Isotropy has figures of both of these but no formula. A repetition is a word equal to the one before it.

def repetition():
    texts = ["the the cat cat cat sat", "a b c d", "x",
             "gaben die Vollmaringen ingen ingen ingen eine farbenfrohe Mischung"]
    words = [text.split() for text in texts]
    repeated = [sum(a == b for a, b in zip(line, line[1:])) for line in words]
    tokens = [len(line) for line in words]
    return {"sentences": [{"text": t, "repeated": r, "tokens": n} for t, r, n in zip(texts, repeated, tokens)],
            "corpus": 100 * sum(repeated) / sum(tokens),
            "corpus_per_gap": 100 * sum(repeated) / (sum(tokens) - len(texts)),
            "macro": 100 * float(np.mean(np.divide(repeated, tokens)))}


def average_similarity():
    """Without BOS and EOS; the code's mean is over the pairs of all sentences."""
    sentences = [[[9, 9], [1, 0], [1, 1], [0, 1], [9, -9]], [[9, 9], [1, 0], [1, 1], [9, -9]]]
    pairs = [cosines(np.array(rows[1:-1])) for rows in sentences]
    return {"sentences": sentences, "ordinary": [float(p.mean()) for p in pairs],
            "micro": float(np.concatenate(pairs).mean())}


def main():
    print(fitted({
        "about": ABOUT, "made_with": f"numpy {np.__version__}, Python {platform.python_version()}",
        "contrastive": contrastive(), "neighbour_mask": neighbour_mask(),
        "neighbour_attention": neighbour_attention(), "neighbour_concat": neighbour_concat(),
        "mask_counts": mask_counts(), "training_counts": training_counts(),
        "replaced": [3 * r // 10 for r in range(15)], "length_beam": length_beam(), "decode": decode(),
        "label_smoothing": label_smoothing(), "length_head": length_head(), "learning_rate": learning_rate(),
        "repetition": repetition(), "average_similarity": average_similarity()}))


if __name__ == "__main__":
    main()
