#!/usr/bin/env python3
"""Writes blocks.json: the parts of models/common in float64 beside PyTorch's own modules.

    pip install torch numpy
    python3 blocks.py > blocks.json

Norms, linear maps and BERT's layers are torch.nn modules; attention is scaled_dot_product_attention with masks made
position by position; rotary positions are complex products. Queries, keys and values are maps of their own, stacked
only where the file is written. Every part has its parameters (three decimals), an input, its output and the norms of
the gradients of sum(output * probe).
"""
import json
import math
import platform
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)
HIDDEN, HEADS, FFN, ROWS, LENGTH = 8, 2, 6, 2, 5
HEAD = HIDDEN // HEADS
random = np.random.default_rng(11)


def numbers(*shape, scale=1.0):
    return torch.from_numpy(np.round(random.normal(0, scale, shape), 3))


def draw(module):
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            parameter.copy_(centre + numbers(*parameter.shape, scale=0.4))
    return module


def ours(prefix, *modules, rows=slice(None), of="{}"):
    """Our parameters: name -> pieces (parameter, its rows) that are stacked."""
    pieces = [{n: getattr(m, of.format(n), None) for n in ("weight", "bias")} for m in modules]
    return {f"{prefix}.{n}": [(p[n], rows) for p in pieces] for n in ("weight", "bias") if pieces[0][n] is not None}


def case(parameters, inputs, output, extra=None):
    probe = numbers(*output.shape)
    (output * probe).sum().backward()
    made = {"output": output.tolist(), "probe": probe.tolist(), "weights": {}, "gradient_norms": {}}
    for name, pieces in parameters.items():
        made["weights"][name] = torch.cat([p.detach()[rows] for p, rows in pieces]).tolist()
        made["gradient_norms"][name] = torch.cat([p.grad[rows] for p, rows in pieces]).norm().item()
    for name, value in inputs.items():
        made[name] = value.tolist()
        if value.requires_grad:
            made["gradient_norms"][name] = value.grad.norm().item()
    return made | (extra or {})


def heads(x):
    return x.view(x.shape[0], x.shape[1], HEADS, -1).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def turned(x, pairs):
    """Rotary positions as complex numbers; `pairs`: (j, j + half) or (2 j, 2 j + 1)."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2])[:, None] * torch.tensor([10000.0 ** (-j / half) for j in range(half)])
    turn = torch.polar(torch.ones_like(angle), angle)
    if pairs == "split":
        z = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * turn
        return torch.cat([z.real, z.imag], -1)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2).contiguous()) * turn
    return torch.view_as_real(z).reshape(x.shape)


def additive(rule, rows, columns):
    return torch.tensor([[0.0 if rule(i, j) else -math.inf for j in range(columns)] for i in range(rows)])


def causal(i, j):
    return j <= i


def one_tower(i, j):
    """noisy_0, clean_0, noisy_1, clean_1, …: clean ones before, and itself."""
    return j == i or (j % 2 == 1 and j < i)


def rms_norm():
    norm = draw(nn.ModuleDict({"norm": nn.RMSNorm(HIDDEN, eps=1e-3)}))["norm"]
    x, shift, scale = (numbers(*shape).requires_grad_() for shape in [(ROWS, LENGTH, HIDDEN)] + 2 * [(ROWS, 1, HIDDEN)])
    extra = {"plain": norm(x).tolist(), "same_for_all": (norm(x) * (1 + scale[0, 0]) + shift[0, 0]).tolist()}
    return case(ours("norm", norm), {"x": x, "shift": shift, "scale": scale}, norm(x) * (1 + scale) + shift, extra)


ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + torch.exp(-x)),
}


class FeedForward(nn.Module):
    """As in Llama: gate_proj, up_proj, down_proj; or one map, an activation, one map."""

    def __init__(self, activation, bias):
        super().__init__()
        self.activation = activation
        self.gate = nn.Linear(HIDDEN, FFN, bias=bias) if activation == "swiglu" else None
        self.up = nn.Linear(HIDDEN, FFN, bias=bias)
        self.down = nn.Linear(FFN, HIDDEN, bias=bias)

    def forward(self, x):
        if self.gate is not None:
            return self.down(ACTIVATIONS["silu"](self.gate(x)) * self.up(x))
        return self.down(ACTIVATIONS[self.activation](self.up(x)))

    def names(self, prefix):
        return ours(prefix + "in", *(m for m in (self.gate, self.up) if m)) | ours(prefix + "out", self.down)


def mlp(activation, bias):
    net = draw(FeedForward(activation, bias))
    x = numbers(ROWS, LENGTH, HIDDEN).requires_grad_()
    return case(net.names("ffn."), {"x": x}, net(x), {"bias": bias})


class Attention(nn.Module):
    def __init__(self, bias, pairs=None):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN, bias=bias) for _ in range(4))
        self.pairs = pairs

    def forward(self, x, keys, mask):
        q, k, v = heads(self.q(x)), heads(self.k(keys)), heads(self.v(keys))
        if self.pairs:
            q, k = turned(q, self.pairs), turned(k, self.pairs)
        return self.o(joined(functional.scaled_dot_product_attention(q, k, v, mask)))

    def names(self, prefix):
        # The maps whose half-split pairs are these ones' interleaved ones.
        pair_order = [*range(0, HEAD, 2), *range(1, HEAD, 2)]
        order = [h * HEAD + p for h in range(HEADS) for p in pair_order]
        rows = order if self.pairs == "interleaved" else slice(None)
        names, values = ours(prefix + "qkv", self.q, self.k, rows=rows), ours(prefix + "qkv", self.v)
        return {n: pieces + values[n] for n, pieces in names.items()} | ours(prefix + "out", self.o)


class Block(nn.Module):
    def __init__(self, eps, activation, attention_bias, ffn_bias, pairs):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.RMSNorm(HIDDEN, eps=eps), nn.RMSNorm(HIDDEN, eps=eps)
        self.attention = Attention(attention_bias, pairs)
        self.ffn = FeedForward(activation, ffn_bias)

    def forward(self, x, mask):
        n = self.attention_norm(x)
        x = x + self.attention(n, n, mask)
        return x + self.ffn(self.ffn_norm(x))


def block(eps, activation, attention_bias, ffn_bias, pairs, rule, length):
    net = draw(Block(eps, activation, attention_bias, ffn_bias, pairs))
    x = numbers(ROWS, length, HIDDEN).requires_grad_()
    mask = additive(rule, length, length)
    names = ours("attention_norm", net.attention_norm) | ours("ffn_norm", net.ffn_norm)
    names |= net.attention.names("attention.") | net.ffn.names("ffn.")
    return case(names, {"x": x}, net(x, mask),
                {"eps": eps, "allowed": (mask == 0).tolist(), "attention_bias": attention_bias, "ffn_bias": ffn_bias})


class Denoiser(nn.Module):
    """LCM's Two-Tower denoiser layer (spec in its paper, section 2.3.4): self-attention to itself alone,
    cross-attention to keys 0 … r, FFN, each with AdaLN."""

    def __init__(self):
        super().__init__()
        self.attention_norm, self.cross_norm, self.ffn_norm = (nn.RMSNorm(HIDDEN, eps=1e-5) for _ in range(3))
        self.attention, self.cross = Attention(True), Attention(True)
        self.ffn = FeedForward("swiglu", True)
        self.modulation = nn.Linear(HIDDEN, 9 * HIDDEN)

    def forward(self, x, keys, condition):
        m = self.modulation(functional.silu(condition))[:, None].split(HIDDEN, -1)
        n = self.attention_norm(x) * (1 + m[1]) + m[0]
        x = x + m[2] * self.attention(n, n, additive(lambda i, j: i == j, LENGTH, LENGTH))
        n = self.cross_norm(x) * (1 + m[4]) + m[3]
        x = x + m[5] * self.cross(n, keys, additive(lambda i, j: j <= i, LENGTH, LENGTH))
        n = self.ffn_norm(x) * (1 + m[7]) + m[6]
        return x + m[8] * self.ffn(n)


def denoiser():
    net = draw(Denoiser())
    x, keys = numbers(ROWS, LENGTH, HIDDEN).requires_grad_(), numbers(ROWS, LENGTH, HIDDEN).requires_grad_()
    condition = numbers(ROWS, HIDDEN).requires_grad_()
    names = ours("modulation", net.modulation) | ours("value", net.attention.v) | ours("value_out", net.attention.o)
    for name in ("attention_norm", "cross_norm", "ffn_norm"):
        names |= ours(name, getattr(net, name))
    names |= ours("cross.query", net.cross.q) | ours("cross.key_value", net.cross.k, net.cross.v)
    names |= ours("cross.out", net.cross.o)
    return case(names | net.ffn.names("ffn."), {"x": x, "keys": keys, "condition": condition},
                net(x, keys, condition))


def bert_layer_names(layer, prefix):
    """PyTorch has queries, keys and values in one map, as we have."""
    names = ours(prefix + "attention.qkv", layer.self_attn, of="in_proj_{}")
    names |= ours(prefix + "attention.out", layer.self_attn.out_proj) | ours(prefix + "attention_norm", layer.norm1)
    names |= ours(prefix + "ffn.in", layer.linear1) | ours(prefix + "ffn.out", layer.linear2)
    if not isinstance(layer, nn.TransformerDecoderLayer):
        return names | ours(prefix + "ffn_norm", layer.norm2)
    cross = layer.multihead_attn
    names |= ours(prefix + "cross.query", cross, rows=slice(HIDDEN), of="in_proj_{}")
    names |= ours(prefix + "cross.key_value", cross, rows=slice(HIDDEN, None), of="in_proj_{}")
    names |= ours(prefix + "cross.out", cross.out_proj) | ours(prefix + "cross_norm", layer.norm2)
    return names | ours(prefix + "ffn_norm", layer.norm3)


SETTINGS = {"d_model": HIDDEN, "nhead": HEADS, "dim_feedforward": FFN, "dropout": 0.0, "activation": "gelu",
            "layer_norm_eps": 1e-12, "batch_first": True, "norm_first": False}
LENGTHS = [5, 3]
PADDING = torch.tensor([[j >= n for j in range(LENGTH)] for n in LENGTHS])


def bert():
    vocabulary, positions, layers = 9, 7, 2
    net = nn.ModuleDict({
        "words": nn.Embedding(vocabulary, HIDDEN), "positions": nn.Embedding(positions, HIDDEN),
        "token_types": nn.Embedding(2, HIDDEN), "embedding_norm": nn.LayerNorm(HIDDEN, eps=1e-12),
    } | {f"layer_{i}": nn.TransformerEncoderLayer(**SETTINGS) for i in range(layers)})
    draw(net)
    ids = torch.from_numpy(random.integers(0, vocabulary, (ROWS, LENGTH)))
    types = torch.tensor([[0, 0, 1, 1, 1], [0, 1, 1, 0, 0]])

    def run(types):
        x = net["words"](ids) + net["positions"](torch.arange(LENGTH)) + net["token_types"](types)
        x = net["embedding_norm"](x)
        for i in range(layers):
            x = net[f"layer_{i}"](x, src_key_padding_mask=PADDING)
        return x * ~PADDING[:, :, None]

    names = {}
    for name in ("words", "positions", "token_types", "embedding_norm"):
        names |= ours(name, net[name])
    for i in range(layers):
        names |= bert_layer_names(net[f"layer_{i}"], f"layer_{i}.")
    return case(names, {"ids": ids, "types": types}, run(types),
                {"vocabulary": vocabulary, "positions": positions, "layers": layers, "lengths": LENGTHS,
                 "first_type": run(torch.zeros_like(types)).tolist()})


def decoder():
    """DiffuSIA's layers: BERT's with cross-attention."""
    net = draw(nn.TransformerDecoderLayer(**SETTINGS))
    x, memory = numbers(ROWS, LENGTH, HIDDEN).requires_grad_(), numbers(ROWS, LENGTH, HIDDEN).requires_grad_()
    return case(bert_layer_names(net, ""), {"x": x, "memory": memory},
                net(x, memory, memory_key_padding_mask=PADDING), {"lengths": LENGTHS})


def time_embedding():
    features = 6
    net = draw(nn.ModuleDict({"in": nn.Linear(features, FFN), "out": nn.Linear(FFN, HIDDEN)}))
    t = torch.tensor([0.0, 0.25, 17.0, 999.0])
    angle = torch.tensor([[float(v) / 10000 ** (j / (features / 2)) for j in range(features // 2)] for v in t])
    sinusoid = torch.cat([torch.cos(angle), torch.sin(angle)], 1)
    return case(ours("in", net["in"]) | ours("out", net["out"]), {"t": t},
                net["out"](ACTIVATIONS["silu"](net["in"](sinusoid))), {"features": sinusoid.tolist()})


def masks():
    length, block_size, prefixes = 7, 3, [0, 2, 7]
    square = range(length)
    return {
        "length": length, "block": block_size, "prefixes": prefixes,
        "causal": [[j <= i for j in square] for i in square],
        "block_causal": [[j // block_size <= i // block_size for j in square] for i in square],
        "prefix": [[[j <= i or j < p for j in square] for i in square] for p in prefixes],
    }


def main():
    made = {
        "made_by": f"blocks.py, torch {torch.__version__}, numpy {np.__version__}, Python {platform.python_version()}",
        "sizes": {"hidden": HIDDEN, "heads": HEADS, "ffn": FFN},
        "rms_norm": rms_norm(),
        "mlp": {f"{name}{'' if bias else '_unbiased'}": mlp(name, bias)
                for name in [*ACTIVATIONS, "swiglu"] for bias in (True, False)},
        "blocks": {
            "llama": block(1e-6, "swiglu", False, False, "split", causal, LENGTH),
            "base_lcm": block(1e-5, "swiglu", True, True, "interleaved", causal, LENGTH),
            "one_tower": block(1e-5, "gelu", True, True, None, one_tower, 6),
        },
        "denoiser": denoiser(), "bert": bert(), "decoder": decoder(), "time": time_embedding(), "masks": masks(),
    }
    json.dump(made, sys.stdout, indent=None, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
