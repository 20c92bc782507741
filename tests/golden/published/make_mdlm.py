#!/usr/bin/env python3
"""Writes mdlm/: a model folder as MDLM's authors publish theirs, and what an independent module makes of it.

    pip install torch numpy safetensors
    python3 make_mdlm.py

The module has the names and shapes of kuleshov-group/mdlm (models/dit.py), written from the paper's definition and run
in float64. expected.json: logits, and the texts that it writes most confident first, without any draw.
"""
import json
import math
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

HERE = pathlib.Path(__file__).parent / "mdlm"
SEED, EPSILON, END = 7, 1e-3, 1e-5  # of the log-linear schedule; where the sampler's grid ends
HIDDEN, BLOCKS, HEADS, COND, LENGTH = 16, 2, 2, 8, 12
MERGES = ["h e", "Ġ t", "Ġt he", "i n", "a n", "Ġ an", "Ġan d", "Ġ b", "e g", "in n", "Ġb eg", "Ġbeg inn", "in g",
          "Ġbeginn ing"]


def byte_letters():
    """GPT-2's alphabet: printable bytes stand for themselves, the others for the characters from 256."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b) if b in printable else chr(next(others)) for b in range(256)]


def tokenizer():
    vocabulary = sorted(byte_letters()) + [m.replace(" ", "") for m in MERGES] + ["<|endoftext|>"]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    end = {"id": len(vocabulary) - 1, "content": "<|endoftext|>", "single_word": False, "lstrip": False,
           "rstrip": False, "normalized": False, "special": True}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [end], "normalizer": None,
            "pre_tokenizer": level, "post_processor": None, "decoder": level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": {token: i for i, token in enumerate(vocabulary)}, "merges": MERGES}}


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, [x.shape[-1]], self.weight)


class Embedding(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(rows, HIDDEN))


class TimeEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(256, COND), nn.SiLU(), nn.Linear(COND, COND))

    def forward(self, sigma):
        angle = sigma[:, None] * torch.exp(-math.log(10000) * torch.arange(128, dtype=torch.float64) / 128)
        return self.mlp(torch.cat([angle.cos(), angle.sin()], -1))


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("inv_freq", 10000.0 ** (-torch.arange(0, width, 2).double() / width))

    def forward(self, x):
        angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * self.inv_freq
        turn = torch.polar(torch.ones_like(angle), angle)
        half = x.shape[-1] // 2
        turned = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([turned.real, turned.imag], -1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = Norm(HIDDEN), Norm(HIDDEN)
        self.attn_qkv = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.attn_out = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.mlp = nn.Sequential(nn.Linear(HIDDEN, 4 * HIDDEN), nn.GELU(approximate="tanh"),
                                 nn.Linear(4 * HIDDEN, HIDDEN))
        self.adaLN_modulation = nn.Linear(COND, 6 * HIDDEN)

    def forward(self, x, condition, rotary):
        m = self.adaLN_modulation(condition)[:, None].chunk(6, -1)
        heads = self.attn_qkv(self.norm1(x) * (1 + m[1]) + m[0]).unflatten(-1, (3, HEADS, HIDDEN // HEADS))
        query, key, value = (heads[:, :, k].transpose(1, 2) for k in range(3))
        attended = F.scaled_dot_product_attention(rotary(query), rotary(key), value)
        x = x + m[2] * self.attn_out(attended.transpose(1, 2).flatten(2))
        return x + m[5] * self.mlp(self.norm2(x) * (1 + m[4]) + m[3])


class FinalLayer(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.norm_final = Norm(HIDDEN)
        self.linear = nn.Linear(HIDDEN, vocabulary)
        self.adaLN_modulation = nn.Linear(COND, 2 * HIDDEN)

    def forward(self, x, condition):
        shift, scale = self.adaLN_modulation(condition)[:, None].chunk(2, -1)
        return self.linear(self.norm_final(x) * (1 + scale) + shift)


class Backbone(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.vocab_embed = Embedding(vocabulary)
        self.sigma_map = TimeEmbedding()
        self.rotary_emb = Rotary(HIDDEN // HEADS)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.output_layer = FinalLayer(vocabulary)


class Mdlm(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.backbone = Backbone(vocabulary)

    def forward(self, ids, sigma):
        net = self.backbone
        condition = F.silu(net.sigma_map(sigma))
        x = net.vocab_embed.embedding[ids]
        for block in net.blocks:
            x = block(x, condition, net.rotary_emb)
        return net.output_layer(x, condition)


def noise(t):
    """Mask probability and total noise of the log-linear schedule."""
    p = (1 - EPSILON) * t
    return p, -math.log(1 - p)


def greedy(model, known, steps, reads_time):
    """The most confident masks of `known` first, as many in each step as leave none to the end; the best token each."""
    mask = len(model.backbone.vocab_embed.embedding) - 1
    ids = torch.tensor(known)
    for step in range(steps):
        sigma = noise(1 - step * (1 - END) / steps)[1] if reads_time else 0.0
        logits = model(ids[None], torch.tensor([sigma], dtype=torch.float64))[0]
        logits[:, mask] = -math.inf
        best = logits.softmax(-1).max(-1)
        order = sorted((i for i in range(len(ids)) if ids[i] == mask), key=lambda i: -best.values[i].item())
        count = math.ceil(len(order) / (steps - step))
        cut = [best.values[i].item() for i in order[count - 1:count + 1]]
        assert len(cut) < 2 or cut[0] - cut[1] > 1e-5, "a tie: choose another seed"
        for i in order[:count]:
            ids[i] = best.indices[i]
    return ids.tolist()


def rounded(values):
    return [rounded(v) for v in values] if isinstance(values, list) else round(values, 8)


@torch.no_grad()
def main():
    spec = tokenizer()
    vocabulary = len(spec["model"]["vocab"]) + 1  # the mask is appended
    random = np.random.default_rng(SEED)
    torch.set_default_dtype(torch.float64)
    model = Mdlm(vocabulary)
    for name, parameter in model.named_parameters():
        conditions = "modulation" in name or "sigma_map" in name
        spread = 0.2 if conditions else 0.3 if "output_layer.linear" in name else 0.4
        value = random.normal(0, spread, parameter.shape) + (1.0 if "norm" in name else 0.0)
        parameter.copy_(torch.from_numpy(np.round(value, 4)).float().double())
    HERE.mkdir(exist_ok=True)
    save_file({k: v.float().contiguous() for k, v in model.state_dict().items()}, HERE / "model.safetensors",
              {"format": "pt"})
    config = {"architectures": ["MDLM"], "model_type": "mdlm", "vocab_size": vocabulary, "model_length": LENGTH,
              "hidden_dim": HIDDEN, "cond_dim": COND, "n_blocks": BLOCKS, "n_heads": HEADS, "dropout": 0.1,
              "time_conditioning": False}
    (HERE / "model.safetensors").chmod(0o644)
    (HERE / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (HERE / "tokenizer.json").write_text(json.dumps(spec, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    vocab = spec["model"]["vocab"]
    end, mask = vocab["<|endoftext|>"], vocabulary - 1
    prefix = [end, vocab["in"], vocab["Ġthe"], vocab["Ġbeginning"], *[mask] * (LENGTH - 4)]
    infill = [end, vocab["in"], mask, mask, mask, vocab["Ġbeginning"], mask, mask, vocab["Ġand"], end]
    ids = torch.from_numpy(random.integers(0, vocabulary, (1, LENGTH)))
    expected = {"ids": ids[0].tolist(), "steps": 5, "prefix": {"text": "in the beginning", "ids": prefix},
                "infill": {"text": "in [MASK:3] beginning [MASK:2] and", "ids": infill}}
    for name, reads_time in (("constant", False), ("time", True)):
        sigma = torch.tensor([0.7 if reads_time else 0.0])
        expected[name] = {"sigma": sigma.item(), "logits": rounded(model(ids, sigma)[0].tolist()),
                          "prefix": greedy(model, prefix, 5, reads_time),
                          "infill": greedy(model, infill, 5, reads_time)}
    (HERE / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
