#!/usr/bin/env python3
"""Writes difformer.json, sclm.json, cmlm.json and transformer.json: losses, gradients and outputs of tiny networks.

    pip install torch==2.11.0 numpy
    python3 make_families.py      (2026-11-25, Python 3.11.7, torch 2.11.0; a few seconds on a CPU)

Float64 throughout. Weights come from a formula (blocks.py), random numbers from Philox (streams.py), so that a file
holds settings, texts and results only. Sentences are computed one at a time, without padding.
"""
import json
import platform
from pathlib import Path

import torch

from cmlm import Cmlm
from difformer import Difformer
from transformer import Transformer

VOCABULARY, LONGEST = 20, 16
BATCH = [([0, 7, 12, 5, 19, 8, 2], [0, 15, 6, 11, 9, 2]),
         ([0, 10, 17, 6, 2], [0, 5, 18, 13, 7, 7, 16, 2]),
         ([0, 14, 9, 9, 11, 3, 16, 5, 2], [0, 12, 8, 19, 2])]
SEED, FIRST_ROW, SAMPLE_SEED = 7, 5, 11

NETWORK = {"model.hidden": 8, "model.heads": 2, "model.ffn": 12, "model.encoder_layers": 2, "model.decoder_layers": 2,
           "model.dropout": 0.0, "model.max_positions": LONGEST, "loss.label_smoothing": 0.1}
DIFFUSION = {**NETWORK, "model.latent": 6, "loss.length_weight": 0.1, "diffusion.steps": 50,
             "diffusion.noise_factor": 2.0, "diffusion.self_conditioning": 0.0, "sampler.steps": 3,
             "sampler.noise_factor": 0.8, "sampler.length_beam": 2, "sampler.noise_beam": 2}
CONDITIONED = {"diffusion.self_conditioning": 0.5}
CURVE = {**DIFFUSION, "map.rho": 2.0, "map.degree": 2, "map.margin": 0.01}
MASKED = {**NETWORK, "loss.length_weight": 0.1, "contrastive.weight": 0.0, "contrastive.margin": 0.4,
          "look_neighbors.attention": False, "look_neighbors.window": 1, "look_neighbors.top": "none",
          "self_correction.rule": "off", "self_correction.rate": 0.3, "sampler.steps": 4, "sampler.length_beam": 3}
NEIGHBOURS = {"look_neighbors.attention": True, "look_neighbors.top": "official"}
CORRECTION = {"self_correction.rule": "isotropy", "self_correction.rate": 0.5}
CAUSAL = {**NETWORK, "model.positions": "sinusoid", "sampler.beam": 1, "sampler.length_penalty": 0.7,
          "sampler.max_length_b": 9}

FAMILIES = {
    "difformer": (Difformer, {"plain": (1, DIFFUSION), "self_conditioning": (2, {**DIFFUSION, **CONDITIONED})}),
    "sclm": (Difformer, {
        "rho_2_degree_2": (1, CURVE),
        "self_conditioning": (2, {**CURVE, **CONDITIONED}),
        "two_curves": (2, {**CURVE, **CONDITIONED, "map.rho": 1.5, "map.degree": 3, "map.curves": 2})}),
    "cmlm": (Cmlm, {
        "plain": (1, MASKED),
        "contrastive": (1, {**MASKED, "contrastive.weight": 1.0}),
        "look_neighbors": (1, {**MASKED, **NEIGHBOURS}),
        "look_neighbors_paper": (1, {**MASKED, **NEIGHBOURS, "look_neighbors.top": "paper"}),
        "all": (2, {**MASKED, **NEIGHBOURS, **CORRECTION, "contrastive.weight": 1.0})}),
    "transformer": (Transformer, {"sinusoid": (1, CAUSAL), "learned": (1, {**CAUSAL, "model.positions": "learned"})}),
}


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def rounded(value):
    """States need no more digits than float32 has."""
    return [rounded(v) for v in value] if isinstance(value, list) else float(f"{value:.9g}")


def case(network, step, settings):
    net = network(settings, VOCABULARY)
    loss, parts, facts = net.loss(BATCH, SEED, step, FIRST_ROW)
    rows, trace = net.generate([source for source, _ in BATCH], SAMPLE_SEED)
    return {"settings": {key: text(value) for key, value in settings.items()}, "step": step, "facts": facts,
            "loss": loss.item(), "parts": {name: value.item() for name, value in parts.items()},
            "gradients": net.gradients(loss), "generated": rows, "trace": rounded_blocks(trace)}


def rounded_blocks(trace):
    return {name: rounded(values) for name, values in trace.items()}


def main():
    versions = f"Python {platform.python_version()}, torch {torch.__version__}"
    for family, (network, cases) in FAMILIES.items():
        golden = {"about": f"{family}: tiny networks by make_families.py, {versions}, float64",
                  "vocabulary": VOCABULARY, "longest": LONGEST, "seed": SEED, "first_row": FIRST_ROW,
                  "sample_seed": SAMPLE_SEED, "sources": [s for s, _ in BATCH], "targets": [t for _, t in BATCH],
                  "length_center": 128 if network is Difformer else 8,
                  "cases": {name: case(network, *given) for name, given in cases.items()}}
        path = Path(__file__).with_name(family + ".json")
        path.write_text(json.dumps(golden, indent=1) + "\n")
        print(path.name, path.stat().st_size)
        for name, one in golden["cases"].items():
            print(" ", name, one["loss"], one["parts"], one["facts"],
                  [[(c["ids"], round(c["score"], 4)) for c in row] for row in one["generated"]])


if __name__ == "__main__":
    main()
