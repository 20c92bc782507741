#!/usr/bin/env python3
"""CALM in the published operation order in eager PyTorch, and calm_bench in turns with it.

    python calm_torch.py --ours build/release/bin/calm_bench [--size tiny] [--rounds 5] [--steps 10] [--texts 4]

One thread, processor time, rounds A B A B; prints training steps of the autoencoder and of the language model and sampled
tokens per second of both and the ratios with their 10-90 % range. Needs torch 2.11. The models are those of the repository
shaochenze/calm (modeling_autoencoder.py, modeling_calm.py, modeling_energy.py) with the Llama of transformers: the head reads
every hidden state N times, the energy loss broadcasts its differences, diagonal included; a chunk is sampled by Algorithm 2,
n = 2, from 200 draws whose logits are all there at once.
"""
import argparse
import random
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F

from in_turns import add_options, compare, compare_training, printed, rate

# name: vocabulary, latent, autoencoder's hidden and ffn, hidden, ffn, layers, heads, blocks, noise, targets,
# rows a step of the autoencoder and of the language model, chunks a row
SIZES = {"tiny": (1000, 64, 128, 320, 128, 320, 4, 4, 1, 32, 32, 16, 16, 16),
         "small": (8000, 128, 512, 1280, 768, 2048, 12, 12, 3, 64, 100, 8, 2, 32)}
CHUNK, SAMPLES, DRAWS, WRITTEN, SPECIALS = 4, 8, 200, 16, 5


class RmsNorm(nn.Module):
    """LlamaRMSNorm."""

    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        y = x.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(x.dtype)


class SwiGlu(nn.Module):
    def __init__(self, d, ff):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(d, ff, bias=False), nn.Linear(d, ff, bias=False)
        self.down_proj = nn.Linear(ff, d, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class AutoencoderLayer(nn.Module):
    def __init__(self, d, ff):
        super().__init__()
        self.mlp, self.layernorm = SwiGlu(d, ff), RmsNorm(d)

    def forward(self, x):
        return x + self.mlp(self.layernorm(x))


class Autoencoder(nn.Module):
    def __init__(self, vocabulary, latent, d, ff):
        super().__init__()
        self.d, self.latent, self.vocabulary = d, latent, vocabulary
        self.embed_tokens = nn.Embedding(vocabulary, d)
        self.encoder_layers = nn.ModuleList([AutoencoderLayer(d, ff) for _ in range(2)])
        self.squeeze_layer, self.norm = nn.Linear(CHUNK * d, d), RmsNorm(d)
        self.hidden_to_latent = nn.Linear(d, 2 * latent)
        self.latent_to_hidden = nn.Linear(latent, d)
        self.decoder_layers = nn.ModuleList([AutoencoderLayer(d, ff) for _ in range(2)])
        self.expand_layer, self.decoder_norm = nn.Linear(d, CHUNK * d), RmsNorm(d)

    def encode(self, ids):
        """ids [chunks, K] -> mean and log std [chunks, l]."""
        if self.training:
            ids = ids * (torch.rand_like(ids, dtype=torch.float) > 0.15)
        x = self.encoder_layers[0](self.embed_tokens(ids))
        x = self.squeeze_layer(x.view(ids.size(0), 1, CHUNK * self.d))
        x = self.norm(self.encoder_layers[1](x))
        return torch.chunk(self.hidden_to_latent(x).squeeze(1), 2, -1)

    def decode(self, z):
        """z [chunks, l] -> logits [chunks, K, V]."""
        x = self.decoder_layers[0](self.latent_to_hidden(z).unsqueeze(1))
        x = self.expand_layer(x).reshape(z.size(0), CHUNK, self.d)
        x = self.decoder_norm(self.decoder_layers[1](x))
        return F.linear(x, self.embed_tokens.weight).float()

    def loss(self, ids):
        mean, log_std = self.encode(ids)
        z = mean + torch.randn_like(mean) * torch.exp(log_std)
        kl = 0.5 * (torch.pow(mean, 2) + torch.pow(torch.exp(log_std), 2) - 1 - log_std * 2)
        kl = torch.sum(torch.clamp(kl, min=0.5), -1).mean()
        logits = self.decode(F.dropout(z, 0.15, self.training))
        return F.cross_entropy(logits.view(-1, self.vocabulary), ids.view(-1)) * CHUNK + kl * 0.001


def rotate_half(x):
    a, b = x[..., :x.shape[-1] // 2], x[..., x.shape[-1] // 2:]
    return torch.cat((-b, a), -1)


class LlamaLayer(nn.Module):
    def __init__(self, d, ff, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.mlp, self.input_layernorm, self.post_attention_layernorm = SwiGlu(d, ff), RmsNorm(d), RmsNorm(d)

    def forward(self, x, cos, sin, cache=None):
        """`cache` is a list of keys and values, which grow by cat."""
        b, length, d = x.shape
        y = self.input_layernorm(x)
        q, k, v = (p(y).view(b, length, self.heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        if cache is not None:
            if cache:
                k, v = torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)
            cache[:] = [k, v]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
        x = x + self.o_proj(y.transpose(1, 2).contiguous().view(b, length, d))
        return x + self.mlp(self.post_attention_layernorm(x))


class HeadBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.in_ln = nn.LayerNorm(d, eps=1e-6)
        self.linears = nn.Sequential(nn.Linear(2 * d, d), nn.SiLU(), nn.Linear(d, d), nn.SiLU(), nn.Linear(d, 2 * d))
        self.down_proj = nn.Linear(d, d)

    def forward(self, x, y):
        gate, up = torch.chunk(self.linears(torch.cat((self.in_ln(x), y), -1)), 2, -1)
        return x + self.down_proj(F.silu(gate) * up)


class EnergyHead(nn.Module):
    def __init__(self, d, blocks, noise, latent):
        super().__init__()
        self.noise = noise
        self.noise_embd, self.hidden_embd = nn.Linear(noise, d), nn.Linear(d, d)
        self.norm_noise, self.norm_hidden = nn.LayerNorm(d, eps=1e-6), nn.LayerNorm(d, eps=1e-6)
        self.mlp_blocks = nn.ModuleList([HeadBlock(d) for _ in range(blocks)])
        self.final_ln = nn.LayerNorm(d, eps=1e-6)
        self.final_linears = nn.Sequential(nn.Linear(d, d), nn.SiLU(), nn.Linear(d, latent))

    def sample(self, hidden):
        noise = torch.rand((*hidden.shape[:-1], self.noise), dtype=hidden.dtype) - 0.5
        x, y = self.norm_noise(self.noise_embd(noise)), self.norm_hidden(self.hidden_embd(hidden))
        for block in self.mlp_blocks:
            x = block(x, y)
        return self.final_linears(self.final_ln(x))


class Calm(nn.Module):
    def __init__(self, vocabulary, d, ff, layers, heads, blocks, noise, targets, autoencoder):
        super().__init__()
        self.d, self.width, self.targets = d, d // heads, targets
        self.autoencoder = [autoencoder.eval().requires_grad_(False)]  # not a parameter
        self.embed_tokens = nn.Embedding(vocabulary, d)
        self.embed_proj = nn.Sequential(nn.Linear(CHUNK * d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d),
                                        nn.LayerNorm(d, eps=1e-6))
        self.layers = nn.ModuleList([LlamaLayer(d, ff, heads) for _ in range(layers)])
        self.norm, self.head = RmsNorm(d), EnergyHead(d, blocks, noise, autoencoder.latent)

    def states(self, ids, first=0, caches=None):
        """ids [B, chunks, K]; the first chunk has that position."""
        x = self.embed_proj(self.embed_tokens(ids).reshape(ids.size(0), ids.size(1), CHUNK * self.d))
        inv = 1.0 / (10000.0 ** (torch.arange(0, self.width, 2, dtype=torch.float) / self.width))
        angles = torch.outer(torch.arange(first, first + ids.size(1)).float(), inv)
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos(), angles.sin()
        for i, layer in enumerate(self.layers):
            x = layer(x, cos, sin, None if caches is None else caches[i])
        return self.norm(x)

    def energy(self, x, mean, log_std):
        """x [N, P, l]."""
        def distance(a, b):
            return torch.pow(torch.linalg.norm(a - b, ord=2, dim=-1), 1.0)
        n = x.size(0)
        within = distance(x.unsqueeze(1), x.unsqueeze(0)).sum((0, 1)) / (n * (n - 1))
        std = torch.exp(log_std)
        y = mean + torch.randn((self.targets, *mean.shape)) * std
        across = distance(x.unsqueeze(1), y.unsqueeze(0)).mean((0, 1))
        return across * 2 - within

    def loss(self, ids):
        """ids [B, chunks + 1, K]."""
        hidden = self.states(ids[:, :-1]).reshape(-1, self.d)
        with torch.no_grad():
            mean, log_std = self.autoencoder[0].encode(ids[:, 1:].reshape(-1, CHUNK))
        return self.energy(self.head.sample(hidden.unsqueeze(0).repeat(SAMPLES, 1, 1)), mean, log_std).mean()

    def draw(self, hidden, n=2):
        """The next chunk of states [B, d]: Algorithm 2."""
        z = self.head.sample(hidden.unsqueeze(0).repeat(DRAWS, 1, 1))
        logits = self.autoencoder[0].decode(z.view(-1, z.size(-1)))
        tokens = torch.argmax(logits, -1).view(DRAWS, -1, CHUNK)
        chosen = []
        for row in range(hidden.size(0)):
            counts = Counter(tuple(p.tolist()) for p in tokens[:, row])
            for least in range(n, 0, -1):
                found = [(c, k) for c, k in counts.items() if k >= least]
                if found:
                    weights = [k * (k - 1) // 2 if least == 2 else k for _, k in found]
                    chosen.append(random.choices([c for c, _ in found], weights)[0])
                    break
        return torch.tensor(chosen)

    @torch.no_grad()
    def sample(self, texts):
        caches, first = [[] for _ in self.layers], 0
        ids, written = torch.zeros(texts, 1, CHUNK, dtype=torch.long), []
        for _ in range(WRITTEN):
            hidden = self.states(ids, first, caches)[:, -1]
            first += 1
            ids = self.draw(hidden).unsqueeze(1)
            written.append(ids)
        return torch.cat(written, 1)


def initialise(module):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        module.weight.data.normal_(0, 0.02)
        if getattr(module, "bias", None) is not None:
            module.bias.data.zero_()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    add_options(parser, rounds=5, steps=10)
    parser.add_argument("--texts", type=int, default=4)
    parser.add_argument("--only", choices=("autoencoder", "train", "sample", "sharp"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    (vocabulary, latent, codec_d, codec_ff, d, ff, layers, heads, blocks, noise, targets, codec_rows, rows,
     chunks) = SIZES[options.size]
    autoencoder = Autoencoder(vocabulary, latent, codec_d, codec_ff)
    autoencoder.apply(initialise)
    ours = lambda mode, count: options.ours and [options.ours, options.size, mode, "1", str(count)]
    wanted = lambda mode: options.only in (None, mode)
    texts = lambda *shape: torch.randint(SPECIALS, vocabulary, (*shape, CHUNK))
    if wanted("autoencoder"):
        print("autoencoder")
        chunk_ids = texts(codec_rows * chunks)
        compare_training(autoencoder, lambda loss, i: loss(chunk_ids), ours("autoencoder", options.steps), options,
                         betas=(0.9, 0.95), weight_decay=0.1)
    model = Calm(vocabulary, d, ff, layers, heads, blocks, noise, targets, autoencoder)
    model.apply(initialise)
    print(options.size, "parameters", sum(p.numel() for p in model.parameters()))
    if wanted("train"):
        ids = texts(rows, chunks + 1)
        compare_training(model, lambda loss, i: loss(ids), ours("train", options.steps), options, betas=(0.9, 0.95),
                         weight_decay=0.1)
    model.eval()
    # PyTorch makes all draws, whether they differ or many are equal.
    for mode, what in (("sample", "all differ"), ("sharp", "many equal")):
        if wanted(mode):
            contenders = {"eager": rate(options.texts * WRITTEN * CHUNK, lambda: model.sample(options.texts))}
            if options.ours:
                contenders["ours"] = printed(ours(mode, options.texts))
            compare(f"sampling, {DRAWS} draws a chunk, {what}", "tokens/s", contenders, options.rounds)


if __name__ == "__main__":
    main()
