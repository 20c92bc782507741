#!/usr/bin/env python3
"""DiffuSIA and DiffuED in the published operation order in eager PyTorch, and diffusia_bench in turns with it.

    python diffusia_torch.py --ours build/release/bin/diffusia_bench [--size tiny] [--rounds 5] [--steps 40] [--only diffused]

One thread, processor time, rounds A B A B; prints training steps and sampled sentences per second, and the ratios with their
10-90 % range. Needs torch 2.11. No code of DiffuSIA is published: losses, projections and the sampling loop are in the order
of DiffuSeq's (Shark-NLP/DiffuSeq), self-conditioning in that of SeqDiffuSeq's, layers are BERT's with queries, keys and values
of their own. That loop calls the whole network at every step, the encoder of DiffuED as well, and clamps by the distances to
all embeddings. Every second step is self-conditioned. The mean log-probabilities of the sampled texts must be the same.
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

# name: hidden, ffn, heads, layers of each side, latent, rows, length
SIZES = {"tiny": (128, 256, 4, 2, 32, 10, 24), "small": (256, 1024, 8, 4, 64, 32, 32)}
VOCABULARY, T, K, FEATURES, POSITIONS = 2000, 2000, 20, 128, 128
NETWORKS = ("diffused", "diffusia")


def sqrt_alpha_bars():
    def kept(s):
        return 1 - math.sqrt(s + 1e-4)
    betas = torch.tensor([min(1 - kept((i + 1) / T) / kept(i / T), 0.999) for i in range(T)], dtype=torch.float64)
    return (1 - betas).cumprod(0)


BARS = sqrt_alpha_bars()


def time_features(t):
    half = FEATURES // 2
    angles = t[:, None].float() * torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32) / half)[None]
    return torch.cat([torch.cos(angles), torch.sin(angles)], -1)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(d, d) for _ in range(4))
        self.heads = heads

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, read, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(read)), self.split(self.value(read))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores + mask
        found = (scores.softmax(-1) @ v).permute(0, 2, 1, 3).contiguous()
        return self.out(found.view(x.shape))


class Layer(nn.Module):
    def __init__(self, d, ff, heads, crosses):
        super().__init__()
        self.attention, self.cross = Attention(d, heads), Attention(d, heads) if crosses else None
        self.attention_norm, self.cross_norm, self.ffn_norm = (nn.LayerNorm(d, 1e-12) for _ in range(3))
        self.ffn = nn.Sequential(nn.Linear(d, ff), nn.GELU(), nn.Linear(ff, d))

    def forward(self, x, mask, read=None, read_mask=None):
        x = self.attention_norm(x + self.attention(x, x, mask))
        if self.cross is not None:
            x = self.cross_norm(x + self.cross(x, read, read_mask))
        return self.ffn_norm(x + self.ffn(x))


class Network(nn.Module):
    def __init__(self, kind, d, ff, heads, layers, latent, length):
        super().__init__()
        self.spiral = kind == "diffusia"
        self.condition_embedding, self.condition_positions = nn.Embedding(VOCABULARY, d), nn.Embedding(POSITIONS, d)
        self.target_embedding, self.target_positions = nn.Embedding(VOCABULARY, latent), nn.Embedding(length, d)
        self.condition_norm, self.target_norm = nn.LayerNorm(d, 1e-12), nn.LayerNorm(d, 1e-12)
        self.rounding = nn.Linear(latent, VOCABULARY)
        self.rounding.weight = self.target_embedding.weight
        self.mix = nn.Linear(2 * latent, latent)
        self.up = nn.Sequential(nn.Linear(latent, d), nn.Tanh(), nn.Linear(d, d))
        self.down = nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Linear(d, latent))
        self.time = nn.Sequential(nn.Linear(FEATURES, 4 * FEATURES), nn.SiLU(), nn.Linear(4 * FEATURES, d))
        self.encoder = nn.ModuleList([Layer(d, ff, heads, self.spiral) for _ in range(layers)])
        self.decoder = nn.ModuleList([Layer(d, ff, heads, True) for _ in range(layers)])

    def forward(self, x_t, t, previous, ids, mask):
        x = self.up(self.mix(torch.cat([x_t, previous], -1)))
        x = self.target_norm(x + self.target_positions.weight[None] + self.time(time_features(t * (1000 / T)))[:, None])
        c = self.condition_norm(self.condition_embedding(ids) + self.condition_positions.weight[None, :ids.size(1)])
        if self.spiral:
            for encoder, decoder in zip(self.encoder, self.decoder):
                c = encoder(c, mask, x)
                x = decoder(x, None, c, mask)
        else:
            for encoder in self.encoder:
                c = encoder(c, mask)
            for decoder in self.decoder:
                x = decoder(x, None, c, mask)
        return self.down(x)

    def loss(self, ids, mask, target, conditioned):
        t = torch.randint(T, (target.size(0),))
        bars = BARS.float()
        mean = self.target_embedding(target)
        x0 = mean + (1 - bars[0]).sqrt() * torch.randn_like(mean)
        kept = bars[t][:, None, None]
        x_t = kept.sqrt() * x0 + (1 - kept).sqrt() * torch.randn_like(x0)
        previous = torch.zeros_like(x_t)
        if conditioned:
            with torch.no_grad():
                previous = self(x_t, t, previous, ids, mask)
        found = self(x_t, t, previous, ids, mask)
        mse = (x0 - found).square().mean((1, 2))
        mse = torch.where(t == 0, (mean - found).square().mean((1, 2)), mse)
        prior = (bars[-1].sqrt() * x0).square().mean((1, 2))
        nll = F.cross_entropy(self.rounding(x0).flatten(0, 1), target.flatten(), reduction="none").view(target.shape).mean(1)
        with torch.no_grad():  # what is logged
            F.cross_entropy(self.rounding(found).flatten(0, 1), target.flatten())
        return (mse + nll + prior).mean()

    @torch.no_grad()
    def sample(self, ids, noise):
        """Log-probabilities of the likeliest words."""
        kept = [round(k * (T - 1) / (K - 1)) for k in range(K)]
        x, previous, table = noise[0], torch.zeros_like(noise[0]), self.target_embedding.weight
        for number, k in enumerate(reversed(range(K))):
            bar, following = float(BARS[kept[k]]), float(BARS[kept[k - 1]]) if k else 1.0
            raw = self(x, torch.full((x.size(0),), kept[k]), previous, ids, None)
            flat = raw.reshape(-1, raw.size(-1))
            distances = (table ** 2).sum(-1).view(-1, 1) + (flat ** 2).sum(-1).view(1, -1) - 2 * table @ flat.T
            x0 = table[distances.clamp(0).argmin(0)].view(raw.shape)
            beta = 1 - bar / following
            x = beta * math.sqrt(following) / (1 - bar) * x0 + (1 - following) * math.sqrt(1 - beta) / (1 - bar) * x
            if k:
                variance = beta * (1 - following) / (1 - bar)
                x = x + math.sqrt(variance) * noise[number + 1]
            previous = raw
        return self.rounding(x).log_softmax(-1).max(-1)


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
    def give(target, name, parts=1, part=0):
        for kind in ("weight", "bias"):
            if f"{name}.{kind}" in ours:
                getattr(target, kind).data.copy_(ours[f"{name}.{kind}"].chunk(parts)[part])

    for name in ("condition_embedding", "condition_positions", "target_embedding", "target_positions", "condition_norm",
                 "target_norm", "mix"):
        give(getattr(model, name), name)
    model.rounding.bias.data.copy_(ours["rounding_bias"])
    for name, target in (("input_projection", model.up), ("output_projection", model.down), ("time_projection", model.time)):
        give(target[0], name + ".in")
        give(target[2], name + ".out")
    for side, layers in (("encoder", model.encoder), ("decoder", model.decoder)):
        for i, layer in enumerate(layers):
            name = f"{side}_layer_{i}."
            for part, target in enumerate((layer.attention.query, layer.attention.key, layer.attention.value)):
                give(target, name + "attention.qkv", 3, part)
            give(layer.attention.out, name + "attention.out")
            give(layer.attention_norm, name + "attention_norm")
            give(layer.ffn_norm, name + "ffn_norm")
            give(layer.ffn[0], name + "ffn.in")
            give(layer.ffn[2], name + "ffn.out")
            if layer.cross is not None:
                give(layer.cross.query, name + "cross.query")
                give(layer.cross.key, name + "cross.key_value", 2, 0)
                give(layer.cross.value, name + "cross.key_value", 2, 1)
                give(layer.cross.out, name + "cross.out")
                give(layer.cross_norm, name + "cross_norm")


def training_batch(rows, length):
    lengths = torch.tensor([length - 6 + r % 5 for r in range(rows)])
    ids, target = torch.randint(5, VOCABULARY, (rows, length - 2)), torch.randint(5, VOCABULARY, (rows, length))
    mask = torch.where(torch.arange(length - 2)[None] < lengths[:, None], 0.0, -math.inf)[:, None, None]
    return ids, mask, target


def sampling(model, ids, noise, repeats):
    def run():
        start = time.process_time()
        for _ in range(repeats):
            model.sample(ids, noise)
        return ids.size(0) * repeats / (time.process_time() - start)
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    add_options(parser, rounds=5, steps=40)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--only", choices=NETWORKS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    d, ff, heads, layers, latent, rows, length = SIZES[options.size]
    for kind in NETWORKS if options.only is None else (options.only,):
        model = Network(kind, d, ff, heads, layers, latent, length)
        command = [options.ours, options.size, kind]
        print(f"{options.size} {kind}: {sum(p.numel() for p in model.parameters())} parameters")
        batch = training_batch(rows, length)
        compare_training(model, lambda loss, i: loss(*batch, i % 2 == 1), [*command, "1", str(options.steps)], options,
                         weight_decay=0)
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/made"
            subprocess.run([*command, "0", "1", file], check=True)
            found = read_tensors(file)
            load(model, found)
            ids, noise = found["ids"].long(), found["noise"]
            values, words = model.sample(ids, noise)
            ends = [(row.tolist() + [2]).index(2) + 1 for row in words]  # the id of </s>
            scores = torch.stack([row[:end].mean() for row, end in zip(values, ends)])
            print(f"scores of {len(scores)} texts: largest difference {(scores - found['scores']).abs().max():.1e} "
                  f"of {scores.abs().max():.2f}")
            compare("sampling", "sentences/s",
                    {"eager": sampling(model, ids, noise, options.repeats),
                     "ours": printed([*command, "1", str(options.repeats), file])}, options.rounds)


if __name__ == "__main__":
    main()
