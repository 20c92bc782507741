#!/usr/bin/env python3
"""Writes calm-autoencoder/ and calm/: folders as CALM's authors publish theirs, with random weights.

    pip install torch numpy safetensors
    python3 make_calm.py

Names and shapes are those of ../networks/calm.py, which computes with them; the language model's file has a copy of the
autoencoder and its head twice, as the authors' class stores them. The tokenizer is that of mdlm/.
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "networks"))
import calm

SEED, VOCABULARY = 11, 272
calm.VOCABULARY, calm.HIDDEN, calm.FFN, calm.HEAD_BLOCKS = VOCABULARY, 16, 24, 1


def tensors(shapes, prefix=""):
    return {prefix + name: torch.randn(*shape) * 0.3 for name, shape in dict(shapes).items()}


def write(folder, config, weights):
    (HERE / folder).mkdir(exist_ok=True)
    (HERE / folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_file({name: value.contiguous() for name, value in weights.items()}, HERE / folder / "model.safetensors")


def main():
    torch.manual_seed(SEED)
    autoencoder = tensors(calm.autoencoder_shapes(VOCABULARY, calm.AE_HIDDEN, calm.AE_FFN, calm.K, calm.LATENT))
    autoencoder["decoder.lm_head_weight"] = autoencoder["encoder.embed_tokens.weight"].clone()
    write("calm-autoencoder",
          {"architectures": ["Autoencoder"], "vocab_size": VOCABULARY, "hidden_size": calm.AE_HIDDEN,
           "intermediate_size": calm.AE_FFN, "patch_size": calm.K, "latent_size": calm.LATENT,
           "num_encoder_layers": calm.AE_LAYERS, "num_decoder_layers": calm.AE_LAYERS}, autoencoder)
    backbone = {name: shape for name, shape in calm.backbone_shapes() if calm.read_by("discrete", name)}
    head = tensors(calm.energy_shapes(calm.HIDDEN, calm.NOISE, calm.LATENT, calm.HEAD_BLOCKS))
    write("calm",
          {"architectures": ["EnergyTransformer"], "vocab_size": VOCABULARY, "hidden_size": calm.HIDDEN,
           "intermediate_size": calm.FFN, "num_hidden_layers": calm.BLOCKS, "num_attention_heads": calm.HEADS,
           "patch_size": calm.K, "latent_size": calm.LATENT, "noise_size": calm.NOISE,
           "ae_path": "/a/path/of/the/training/server"},
          {**tensors(backbone), **{"ae_model." + name: value for name, value in autoencoder.items()},
           **{"generative_head." + name: value for name, value in head.items()},
           **{"mlp_generator." + name: value.clone() for name, value in head.items()}})


if __name__ == "__main__":
    main()
