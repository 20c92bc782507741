#!/usr/bin/env python3
"""LCM in the published operation order in eager PyTorch, and lcm_bench in turns with it.

    python lcm_torch.py --ours build/release/bin/lcm_bench [--size tiny] [--rounds 7] [--steps 20] [--only two-tower]

One thread, processor time, rounds A B A B; prints training steps per second of the five kinds and denoised sentences per second
of Two-Tower, and the ratios with their 10-90 % range. Needs torch 2.11. Base and Two-Tower are those of the repository
facebookresearch/large_concept_model: queries, keys and values are maps of their own, a denoiser layer attends to itself under a
diagonal mask, makes its modulations for every position and, in every step, keys and values of the whole context for both halves
of the guidance. One-Tower and Quant follow LCM, sections 2.3.3 and 2.3.5. The denoised vectors of both must be the same.
"""
import argparse
import json
import math
import subprocess
import tempfile
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

from in_turns import add_options, compare, compare_training, printed

# name: width, hidden, ffn, heads, layers and denoiser layers of two-tower, layers of base, of the others, centroids,
# documents and sentences of a step
SIZES = {"tiny": (64, 96, 256, 4, 2, 2, 2, 4, 256, 64, 6),
         "small": (256, 512, 1408, 8, 3, 6, 6, 6, 256, 16, 16)}
T, S, FEATURES, BOOKS, POSITIONS, DROP = 100, 20, 256, 8, 128, 0.15
GUIDANCE, RESCALE, SCALING = 1.5, 0.7, 1.00045
NEXT = 4  # sentences denoised one after another
KINDS = ("base", "one-tower", "two-tower", "quant-c", "quant-d")


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


class Glu(nn.Module):
    def __init__(self, d, ff):
        super().__init__()
        self.gate, self.inner, self.out = nn.Linear(d, ff), nn.Linear(d, ff), nn.Linear(ff, d)

    def forward(self, x):
        return self.out(F.silu(self.gate(x)) * self.inner(x))


class Attention(nn.Module):
    def __init__(self, d, heads, bias=True):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(d, d, bias=bias) for _ in range(3))
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x, keys, mask=None, rotary=None, cache=None):
        """`cache` is a list of keys and values, which grow by cat."""
        def split(y):
            return y.view(*y.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(keys)), split(self.value(keys))
        if rotary is not None:
            q, k = rotated(q, *rotary), rotated(k, *rotary)
        if cache is not None:
            if cache:
                k, v = torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)
            cache[:] = [k, v]
        causal = rotary is not None and x.size(1) > 1
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(x.shape))


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Llama(nn.Module):
    """Causal blocks and a norm."""

    class Block(nn.Module):
        def __init__(self, d, ff, heads):
            super().__init__()
            self.attention_norm, self.ffn_norm = RmsNorm(d), RmsNorm(d)
            self.attention, self.ffn = Attention(d, heads), Glu(d, ff)

        def forward(self, x, rotary, cache):
            y = self.attention_norm(x)
            x = x + self.attention(y, y, rotary=rotary, cache=cache)
            return x + self.ffn(self.ffn_norm(x))

    def __init__(self, d, ff, heads, layers):
        super().__init__()
        self.blocks, self.norm = nn.ModuleList([self.Block(d, ff, heads) for _ in range(layers)]), RmsNorm(d)
        width = d // heads
        angles = torch.outer(torch.arange(512.0), 10000.0 ** (-torch.arange(0, width, 2) / width)).repeat(1, 2)
        self.cos, self.sin = angles.cos(), angles.sin()

    def forward(self, x, first=0, caches=None):
        rotary = [table[first:first + x.size(1)] for table in (self.cos, self.sin)]
        for i, block in enumerate(self.blocks):
            x = block(x, rotary, None if caches is None else caches[i])
        return self.norm(x)


class TimeEmbedding(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Linear(FEATURES, d), nn.SiLU(), nn.Linear(d, d))
        half = FEATURES // 2
        self.frequencies = torch.exp(-math.log(10000) * torch.arange(half) / half)

    def forward(self, steps):
        angles = steps[..., None].float() * self.frequencies
        return super().forward(torch.cat([angles.cos(), angles.sin()], -1))


class Base(nn.Module):
    def __init__(self, w, d, ff, heads, layers):
        super().__init__()
        self.input, self.blocks, self.output = nn.Linear(w, d), Llama(d, ff, heads, layers), nn.Linear(d, w)

    def loss(self, x):
        found = self.output(self.blocks(self.input(x[:, :-1])))
        return (found - x[:, 1:]).square().sum(-1).mean()


class DenoiserLayer(nn.Module):
    def __init__(self, d, ff, heads):
        super().__init__()
        self.self_norm, self.cross_norm, self.ffn_norm = RmsNorm(d), RmsNorm(d), RmsNorm(d)
        self.self, self.cross, self.ffn = Attention(d, heads), Attention(d, heads), Glu(d, ff)
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(d, 9 * d))

    def forward(self, x, keys, time, own_mask, mask):
        own, cross, ffn = self.modulation(time).chunk(3, -1)
        shift, scale, gate = own.chunk(3, -1)
        y = self.self_norm(x) * (1 + scale) + shift
        x = x + gate * self.self(y, y, own_mask)
        shift, scale, gate = cross.chunk(3, -1)
        x = x + gate * self.cross(self.cross_norm(x) * (1 + scale) + shift, keys, mask)
        shift, scale, gate = ffn.chunk(3, -1)
        return x + gate * self.ffn(self.ffn_norm(x) * (1 + scale) + shift)


def noised(x):
    """Noisy vectors, their steps."""
    steps = torch.randint(T, x.shape[:2])
    kept = ALPHA_BARS[steps].unsqueeze(-1)
    return kept.sqrt() * x + (1 - kept).sqrt() * torch.randn_like(x), steps


class TwoTower(nn.Module):
    def __init__(self, w, d, ff, heads, layers, denoiser_layers):
        super().__init__()
        self.context_input, self.context = nn.Linear(w, d), Llama(d, ff, heads, layers)
        self.denoiser_input, self.time = nn.Linear(w, d), TimeEmbedding(d)
        self.layers = nn.ModuleList([DenoiserLayer(d, ff, heads) for _ in range(denoiser_layers)])
        self.norm, self.output = RmsNorm(d), nn.Linear(d, w)

    def denoised(self, x, steps, keys, own_mask, mask):
        x, time = self.denoiser_input(x), self.time(steps)
        for layer in self.layers:
            x = layer(x, keys, time, own_mask, mask)
        return self.output(self.norm(x))

    def loss(self, x):
        count = x.size(1)
        states = self.context(self.context_input(x))
        keys = torch.cat([torch.zeros_like(states[:, :1]), states], 1)
        seen = torch.ones(count, count + 1, dtype=torch.bool).tril()
        seen = seen & ~(torch.rand(*x.shape[:2], 1) < DROP)
        seen[:, :, 0] = True
        noisy, steps = noised(x)
        found = self.denoised(noisy, steps, keys, torch.eye(count, dtype=torch.bool), seen.unsqueeze(1))
        return (found - x).square().sum(-1).mean()

    def state(self, x, first, caches):
        """Of the context behind one more sentence [B, w]: [B, 1, H]."""
        return self.context(self.context_input(x.unsqueeze(1)), first, caches)

    def sample(self, noise, states):
        """The next sentence from noise [B, w], behind states [B, n, H]: both halves of the guidance in one batch."""
        rows, count = states.size(0), states.size(1) + 1
        keys = torch.cat([torch.zeros_like(states[:, :1]), states], 1)
        keys = torch.cat([keys, torch.zeros_like(keys)])
        seen = torch.ones(2 * rows, 1, 1, count, dtype=torch.bool)
        seen[rows:, :, :, 1:] = False
        x = noise.clamp(-100, 100)
        indices = [round(T - k * T / S) - 1 for k in range(S)]
        for k, i in enumerate(indices):
            kept, following = float(ALPHA_BARS64[i]), float(ALPHA_BARS64[indices[k + 1]]) if k + 1 < S else 1.0
            both = self.denoised(torch.cat([x, x]).unsqueeze(1), torch.full((2 * rows, 1), i), keys, None, seen).squeeze(1)
            estimate, free = both.chunk(2)
            e = (x - math.sqrt(kept) * estimate) / math.sqrt(1 - kept)
            if kept > 0:
                free = (x - math.sqrt(kept) * free) / math.sqrt(1 - kept)
                g = free + GUIDANCE * (e - free)
                e = g * (RESCALE * e.std(-1, keepdim=True) / g.std(-1, keepdim=True) + 1 - RESCALE)
                estimate = (x - math.sqrt(1 - kept) * e) / math.sqrt(kept)
            x = (math.sqrt(following) * estimate + math.sqrt(1 - following) * e / SCALING).clamp(-100, 100)
        return estimate


class PlainBlock(nn.Module):
    def __init__(self, d, ff, heads):
        super().__init__()
        self.attention_norm, self.ffn_norm = RmsNorm(d), RmsNorm(d)
        self.attention = Attention(d, heads, bias=False)
        self.ffn = nn.Sequential(nn.Linear(d, ff), nn.GELU("tanh"), nn.Linear(ff, d))

    def forward(self, x, mask):
        y = self.attention_norm(x)
        x = x + self.attention(y, y, mask)
        return x + self.ffn(self.ffn_norm(x))


class OneTower(nn.Module):
    """Quant is given its codebooks."""

    def __init__(self, kind, w, d, ff, heads, layers, codebooks):
        super().__init__()
        self.kind, self.codebooks = kind, codebooks
        self.input, self.positions = nn.Linear(w + d, d), nn.Embedding(POSITIONS, d)
        self.steps = TimeEmbedding(d) if kind == "one-tower" else nn.Embedding(BOOKS + 1, d)
        self.blocks = nn.ModuleList([PlainBlock(d, ff, heads) for _ in range(layers)])
        self.norm, self.output = RmsNorm(d), nn.Linear(d, codebooks.size(1) if kind == "quant-d" else w)

    def predict(self, noisy, clean, steps):
        rows, count = clean.shape[:2]
        vectors = torch.stack([noisy, clean], 2).flatten(1, 2)
        steps = torch.stack([steps, torch.zeros_like(steps)], 2).flatten(1, 2)
        place = torch.arange(2 * count)
        row, column = place[:, None], place[None]
        itself, before = row == column, (column % 2 == 1) & (column <= row)
        alone = ((torch.rand(rows, 2 * count) < DROP) & (place % 2 == 0)).unsqueeze(2)
        mask = (itself | (before & ~alone)).unsqueeze(1)
        x = self.input(torch.cat([vectors, self.steps(steps)], -1)) + self.positions(place // 2)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x[:, ::2]))

    def loss(self, x):
        if self.kind == "one-tower":
            noisy, steps = noised(x)
            return (self.predict(noisy, x, steps + 1) - x).square().sum(-1).mean()
        with torch.no_grad():
            left, codes, sums = x.flatten(0, 1), [], [torch.zeros_like(x.flatten(0, 1))]
            for book in self.codebooks:
                codes.append(torch.cdist(left, book).argmin(1))
                found = book[codes[-1]]
                left = left - found
                sums.append(sums[-1] + found)
            before, rows = torch.randint(BOOKS, (left.size(0),)), torch.arange(left.size(0))
            noisy = torch.stack(sums, 1)[rows, before].view(x.shape)
        found = self.predict(noisy, x, before.view(x.shape[:2]) + 1)
        if self.kind == "quant-c":
            return (found - x).square().sum(-1).mean()
        return F.cross_entropy(found.flatten(0, 1), torch.stack(codes, 1)[rows, before])


def alpha_bars():
    def kept(t):
        return math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    betas = torch.tensor([min(1 - kept((i + 1) / T) / kept(i / T), 0.999) for i in range(T)], dtype=torch.float64)
    roots = (1 - betas).cumprod(0).sqrt()
    return ((roots - roots[-1]) * roots[0] / (roots[0] - roots[-1])).square()


ALPHA_BARS64 = alpha_bars()
ALPHA_BARS = ALPHA_BARS64.float()


def read_tensors(file):
    data = Path(file).read_bytes()
    length = int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            first, end = (8 + length + offset for offset in entry["data_offsets"])
            found[name] = torch.frombuffer(bytearray(data[first:end]), dtype=torch.float32).view(entry["shape"])
    return found


def load(model, ours):
    """Our maps of several parts are taken apart; queries and keys of the diagonal attention stay as they are."""
    def give(target, name, parts=1, part=0):
        for kind in ("weight", "bias"):
            if f"{name}.{kind}" in ours:
                getattr(target, kind).data.copy_(ours[f"{name}.{kind}"].chunk(parts)[part])

    def give_glu(glu, name):
        give(glu.gate, name + ".in", 2, 0)
        give(glu.inner, name + ".in", 2, 1)
        give(glu.out, name + ".out")

    for name in ("context_input", "denoiser_input", "output"):
        give(getattr(model, name), name)
    give(model.context.norm, "context_norm")
    give(model.norm, "denoiser_norm")
    give(model.time[0], "time.in")
    give(model.time[2], "time.out")
    for i, block in enumerate(model.context.blocks):
        name = f"context_{i}."
        for part, target in enumerate((block.attention.query, block.attention.key, block.attention.value)):
            give(target, name + "attention.qkv", 3, part)
        give(block.attention.out, name + "attention.out")
        give(block.attention_norm, name + "attention_norm")
        give(block.ffn_norm, name + "ffn_norm")
        give_glu(block.ffn, name + "ffn")
    for i, layer in enumerate(model.layers):
        name = f"denoiser_{i}."
        for norm in ("self_norm", "cross_norm", "ffn_norm"):
            give(getattr(layer, norm), name + norm)
        give(layer.self.value, name + "self_value")
        give(layer.self.out, name + "self_out")
        give(layer.cross.query, name + "cross_query")
        give(layer.cross.key, name + "cross_key_value", 2, 0)
        give(layer.cross.value, name + "cross_key_value", 2, 1)
        give(layer.cross.out, name + "cross_out")
        give_glu(layer.ffn, name + "ffn")
        give(layer.modulation[1], name + "modulation")


def denoising(model, known, noise, repeats, made):
    """Sentences behind the known ones, but the last, whose states are there; the new ones go to `made`."""
    rows, count = known.shape[:2]

    @torch.no_grad()
    def run():
        seconds = 0
        for _ in range(repeats):
            caches = [[] for _ in model.context.blocks]
            states = model.context(model.context_input(known[:, :-1]), 0, caches)
            made.clear()
            start = time.process_time()
            for n in range(NEXT):
                state = model.state(made[-1] if made else known[:, -1], count - 1 + n, caches)
                states = torch.cat([states, state], 1)
                made.append(model.sample(noise[:, n], states))
            seconds += time.process_time() - start
        return rows * NEXT * repeats / seconds
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    add_options(parser, rounds=7, steps=20)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--only", choices=(*KINDS, "16", "128"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    w, d, ff, heads, layers, denoiser_layers, base_layers, tower_layers, centroids, documents, sentences = SIZES[options.size]
    ours, chosen = [options.ours, options.size], lambda name: options.only in (None, name)
    x = torch.randn(documents, sentences, w)
    for kind in filter(chosen, KINDS):
        if kind == "base":
            model = Base(w, d, ff, heads, base_layers)
        elif kind == "two-tower":
            model = TwoTower(w, d, ff, heads, layers, denoiser_layers)
        else:
            model = OneTower(kind, w, d, ff, heads, tower_layers, torch.randn(BOOKS, centroids, w))
        print(f"{options.size} {kind}: {sum(p.numel() for p in model.parameters())} parameters")
        compare_training(model, lambda loss, i: loss(x), [*ours, kind, "1", str(options.steps)], options, clip=10.0,
                         betas=(0.9, 0.95), weight_decay=0.01)
    with tempfile.TemporaryDirectory() as folder:
        for context in filter(chosen, ("16", "128")):
            file, made = f"{folder}/{context}", []
            subprocess.run([*ours, context, "0", "1", file], check=True)
            found = read_tensors(file)
            model = TwoTower(w, d, ff, heads, layers, denoiser_layers)
            load(model, found)
            theirs = denoising(model, found["known"], found["noise"], options.repeats, made)
            theirs()
            difference = (torch.stack(made, 1) - found["made"]).abs().max().item()
            print(f"{options.size}, context {context}: largest difference {difference:.1e} of "
                  f"{found['made'].abs().max().item():.2f}")
            compare("denoising", "sentences/s",
                    {"eager": theirs, "ours": printed([*ours, context, "1", str(options.repeats), file])}, options.rounds)


if __name__ == "__main__":
    main()
