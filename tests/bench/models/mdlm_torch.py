#!/usr/bin/env python3
"""MDLM in the published operation order in eager PyTorch, and mdlm_bench in turns with it.

    python mdlm_torch.py --ours build/release/bin/mdlm_bench [--size tiny] [--rounds 5] [--steps 10] [--texts 8]
    python mdlm_torch.py --size gpu --device cuda [--compile]    PyTorch alone, training, for gpu_bench

One thread, processor time (on a GPU wall time), rounds A B A B; prints training steps and sampled texts per second of both and the ratios
with their 10-90 % range. Needs torch 2.11. The model is DiT as the repository kuleshov-group/mdlm has it (models/dit.py,
diffusion.py): adaLN or none, rotary attention, an output projection of its own, SUBS over all positions, the log-linear
schedule, EMA; sampling is ddpm_cache with float64 Gumbel noise over all positions.
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from in_turns import add_options, compare, compare_training, printed, rate

# name: hidden, layers, heads, ffn, conditioning, vocabulary, rows, length
SIZES = {"tiny": (64, 2, 4, 256, 0, 1000, 16, 32), "medium": (256, 4, 8, 1024, 128, 8000, 8, 128),
         "paper": (768, 12, 12, 3072, 128, 30522, 2, 128), "gpu": (768, 12, 12, 3072, 128, 30522, 64, 128)}
EPS, NEG = 1e-3, -1e6


class LayerNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.layer_norm(x.float(), [x.size(-1)]) * self.weight[None, None, :]


def modulate(x, shift, scale):
    return x * (1 + scale) + shift


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


class Block(nn.Module):
    def __init__(self, d, heads, ffn, cond):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = LayerNorm(d), LayerNorm(d)
        self.attn_qkv, self.attn_out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.mlp = nn.Sequential(nn.Linear(d, ffn), nn.GELU(approximate="tanh"), nn.Linear(ffn, d))
        self.adaLN_modulation = nn.Linear(cond, 6 * d) if cond else None

    def forward(self, x, cos, sin, c):
        b, s, d = x.shape
        if self.adaLN_modulation is not None:
            shift1, scale1, gate1, shift2, scale2, gate2 = self.adaLN_modulation(c)[:, None].chunk(6, 2)
        else:
            shift1 = scale1 = shift2 = scale2 = 0
            gate1 = gate2 = 1
        qkv = self.attn_qkv(modulate(self.norm1(x), shift1, scale1)).view(b, s, 3, self.heads, -1)
        qkv = torch.cat([qkv[:, :, :2] * cos + rotate_half(qkv[:, :, :2]) * sin, qkv[:, :, 2:]], 2)
        q, k, v = (t.transpose(1, 2) for t in qkv.unbind(2))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, s, d)
        x = x + gate1 * self.attn_out(y)
        return x + gate2 * self.mlp(modulate(self.norm2(x), shift2, scale2))


class Mdlm(nn.Module):
    def __init__(self, size):
        super().__init__()
        d, layers, heads, ffn, cond, self.vocabulary, self.rows, self.length = size
        self.mask, self.width = 4, d // heads
        self.embedding = nn.Parameter(torch.randn(self.vocabulary, d) * 0.02)
        self.blocks = nn.ModuleList([Block(d, heads, ffn, cond) for _ in range(layers)])
        self.norm_final, self.linear = LayerNorm(d), nn.Linear(d, self.vocabulary)
        self.sigma_map = nn.Sequential(nn.Linear(256, cond), nn.SiLU(), nn.Linear(cond, cond)) if cond else None
        self.final_modulation = nn.Linear(cond, 2 * d) if cond else None
        inv = 1 / 10000 ** (torch.arange(0, self.width, 2).float() / self.width)
        angle = torch.outer(torch.arange(self.length).float(), inv)
        angle = torch.cat((angle, angle), -1)[None, :, None, None, :]
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def condition(self, sigma):
        if self.sigma_map is None:
            return None
        freqs = torch.exp(-torch.arange(128, device=sigma.device) * (9.210340371976184 / 128))
        args = sigma[:, None] * freqs[None]
        return F.silu(self.sigma_map(torch.cat([args.cos(), args.sin()], -1)))

    def log_p(self, ids):
        """SUBS: log-probabilities of every position."""
        x = self.embedding[ids]
        c = self.condition(torch.zeros(ids.size(0), device=ids.device))  # time conditioning is off
        for block in self.blocks:
            x = block(x, self.cos, self.sin, c)
        x = self.norm_final(x)
        if self.final_modulation is not None:
            shift, scale = self.final_modulation(c)[:, None].chunk(2, 2)
            x = modulate(x, shift, scale)
        logits = self.linear(x)
        logits[:, :, self.mask] += NEG
        logits = logits - torch.logsumexp(logits, -1, keepdim=True)
        unmasked = ids != self.mask
        logits[unmasked] = NEG
        logits[unmasked, ids[unmasked]] = 0
        return logits

    def loss(self, x0):
        t = torch.rand(x0.size(0), device=x0.device)
        t = (t / x0.size(0) + torch.arange(x0.size(0), device=x0.device) / x0.size(0)) % 1 * (1 - EPS) + EPS
        sigma = -torch.log1p(-(1 - EPS) * t)
        move = 1 - torch.exp(-sigma[:, None])
        xt = torch.where(torch.rand(*x0.shape, device=x0.device) < move, self.mask, x0)
        log_p = torch.gather(self.log_p(xt), -1, x0[:, :, None]).squeeze(-1)
        dsigma = (1 - EPS) / (1 - (1 - EPS) * t)
        return (-log_p * (dsigma / torch.expm1(sigma))[:, None]).mean()

    @torch.no_grad()
    def sample(self, texts, steps=64):
        x = torch.full((texts, self.length), self.mask, device=self.embedding.device)
        times = torch.linspace(1, 1e-5, steps + 1, device=x.device)
        dt, cache = (1 - 1e-5) / steps, None
        for i in range(steps):
            if cache is None:
                cache = self.log_p(x).exp()
            t = times[i] * torch.ones(texts, 1, 1, device=x.device)
            q = cache * (t - (t - dt))
            q[:, :, self.mask] = (t - dt)[:, :, 0]
            noise = 1e-10 - (torch.rand_like(q, dtype=torch.float64) + 1e-10).log()
            new = torch.where(x != self.mask, x, (q / noise).argmax(-1))
            if not torch.equal(new, x):
                cache = None
            x = new
        return self.log_p(x).argmax(-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--texts", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    add_options(parser, rounds=5, steps=10)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Mdlm(SIZES[options.size]).to(options.device)
    print(options.size, "parameters", sum(p.numel() for p in model.parameters()))
    shadow = [p.detach().clone() for p in model.parameters()]
    x0 = torch.randint(5, model.vocabulary, (model.rows, model.length), device=options.device)

    @torch.no_grad()
    def average():
        for s, p in zip(shadow, model.parameters()):
            s.sub_(1e-4 * (s - p))

    ours = lambda mode, count: options.ours and [options.ours, options.size, mode, "1", str(count)]
    compare_training(model, lambda loss, i: loss(x0), ours("train", options.steps), options, options.device, after=average,
                     weight_decay=0)
    model.eval()
    contenders = {"eager": rate(options.texts, lambda: model.sample(options.texts), options.device)}
    if options.ours:
        contenders["ours"] = printed(ours("sample", options.texts))
    compare("sampling, 64 steps", "texts/s", contenders, options.rounds)


if __name__ == "__main__":
    main()
