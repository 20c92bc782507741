#!/usr/bin/env python3
"""The small Difformer of training_bench in PyTorch, and the two in turns; or the base size of gpu_bench on a GPU.

    python difformer_torch.py [--ours build/release/bin/training_bench] [--rounds 7] [--steps 40] [--dropout 0] [--fused]
    python difformer_torch.py --size base --device cuda [--compile] [--fused] [--dropout 0.1]

One thread, processor time (on a GPU wall time), rounds A B A B; prints steps per second of both and the ratio with its
10-90 % range.
Needs torch 2.11. The model is Difformer (Gao et al.; zhjgao/difformer) as one would write it: nn modules, scaled_dot_product_attention,
F.dropout, log_softmax over the vocabulary, AdamW, clip_grad_norm_.
"""
import argparse
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from in_turns import add_options, compare_training

# hidden, latent, heads, ffn, vocabulary, encoder layers, decoder layers, rows, source and target tokens
SIZES = {"tiny": (128, 64, 4, 256, 2000, 1, 2, 16, 15, 18), "base": (512, 128, 8, 2048, 10000, 6, 6, 64, 60, 60)}
H, D, HEADS, FFN, V, ENCODER, DECODER, ROWS, SOURCE, TARGET = SIZES["tiny"]
T, NOISE, PAD = 2000, 4.0, 1


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(H, H) for _ in range(4))

    def forward(self, x, memory, mask):
        split = lambda y: y.view(y.size(0), y.size(1), HEADS, H // HEADS).transpose(1, 2)
        y = F.scaled_dot_product_attention(split(self.q(x)), split(self.k(memory)), split(self.v(memory)), attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, dropout, cross):
        super().__init__()
        self.dropout = dropout
        self.attention, self.cross = Attention(), Attention() if cross else None
        self.fc1, self.fc2 = nn.Linear(H, FFN), nn.Linear(FFN, H)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(H), nn.LayerNorm(H), nn.LayerNorm(H) if cross else None

    def forward(self, x, mask, memory=None, memory_mask=None):
        drop = lambda y: F.dropout(y, self.dropout, self.training)
        x = self.norm1(x + drop(self.attention(x, x, mask)))
        if self.cross is not None:
            x = self.norm3(x + drop(self.cross(x, memory, memory_mask)))
        return self.norm2(x + drop(self.fc2(F.relu(self.fc1(x)))))


class Difformer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = dropout
        self.embedding = nn.Embedding(V, D, padding_idx=PAD)
        self.encoder_in, self.decoder_in = nn.Linear(D, H, bias=False), nn.Linear(D, H, bias=False)
        self.decoder_out = nn.Linear(H, D, bias=False)
        self.encoder_positions, self.decoder_positions = nn.Embedding(130, H), nn.Embedding(130, H)
        self.encoder = nn.ModuleList([Layer(dropout, False) for _ in range(ENCODER)])
        self.decoder = nn.ModuleList([Layer(dropout, True) for _ in range(DECODER)])
        self.mix1, self.mix2 = nn.Linear(2 * H, H), nn.Linear(H, H)
        self.time1, self.time2 = nn.Linear(H, 4 * H), nn.Linear(4 * H, H)
        self.norm = nn.LayerNorm(H)
        self.length = nn.Linear(H, 256, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.05)
        with torch.no_grad():
            self.embedding.weight.normal_(0, 0.12)
        abar = [1 - math.sqrt(i / T + 1e-4) for i in range(T + 1)]
        betas = [min(1 - abar[i + 1] / abar[i], 0.999) for i in range(T)]
        self.register_buffer("alpha_bar", torch.tensor(betas, dtype=torch.float64).neg().add(1).cumprod(0))

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def encode(self, source, mask):
        x = self.encoder_in(self.embedding(source) * math.sqrt(D))
        x = self.drop(x + self.encoder_positions(torch.arange(source.size(1), device=source.device)))
        for layer in self.encoder:
            x = layer(x, mask)
        return x

    def time(self, t):
        f = torch.exp(torch.arange(H // 2, device=t.device) * (-math.log(1e4) / (H // 2)))
        angle = (t * 1000.0 / T).unsqueeze(1) * f
        return self.time2(F.relu(self.time1(torch.cat([angle.cos(), angle.sin()], 1))))

    def denoise(self, z, previous, time, memory, mask, memory_mask):
        h = torch.cat([self.decoder_in(z), self.decoder_in(previous)], 2)
        h = self.drop(self.mix2(F.relu(self.mix1(h))))
        h = self.norm(h + time.unsqueeze(1) + self.decoder_positions(torch.arange(z.size(1), device=z.device)))
        h = self.drop(h)
        for layer in self.decoder:
            h = layer(h, mask, memory, memory_mask)
        return self.decoder_out(h)

    def loss(self, source, target):
        source_real, target_real = source.ne(PAD), target.ne(PAD)
        source_mask, target_mask = source_real[:, None, None, :], target_real[:, None, None, :]
        memory = self.encode(source, source_mask)
        z0 = self.embedding(target) * math.sqrt(D)
        t = torch.randint(0, T, (source.size(0),), device=source.device)
        abar = self.alpha_bar[t].float().view(-1, 1, 1)
        z = abar.sqrt() * z0 + (1 - abar).sqrt() * NOISE * torch.randn_like(z0)
        time = self.time(t)
        previous = torch.zeros_like(z0)
        if torch.rand(()).item() < 0.5:
            with torch.no_grad():
                previous = self.denoise(z, previous, time, memory, target_mask, source_mask)
        estimate = self.denoise(z, previous, time, memory, target_mask, source_mask)
        diff = (estimate - z0).pow(2).mean(2)[target_real].mean()
        log_p = F.log_softmax(F.linear(estimate[target_real], self.embedding.weight), -1)
        nll = -log_p.gather(1, target[target_real].unsqueeze(1)).mean()
        anchor = 0.9 * nll + 0.1 * -log_p.mean()
        pooled = (memory * source_real.unsqueeze(2)).sum(1) / source_real.sum(1, keepdim=True)
        classes = (target_real.sum(1) - source_real.sum(1) + 128).clamp(0, 255)
        return diff + anchor + 0.1 * F.cross_entropy(self.length(pooled), classes)


def side(rows, base):
    ids = torch.full((rows, base + 2), PAD)
    for r in range(rows):
        length = base + r % 5 - 2
        ids[r, :length] = torch.randint(5, V, (length,))
    return ids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--fused", action="store_true", help="AdamW(fused=True) for PyTorch")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--device", default="cpu")
    add_options(parser, rounds=7, steps=40)
    options = parser.parse_args()
    global H, D, HEADS, FFN, V, ENCODER, DECODER, ROWS, SOURCE, TARGET
    H, D, HEADS, FFN, V, ENCODER, DECODER, ROWS, SOURCE, TARGET = SIZES[options.size]
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Difformer(options.dropout).to(options.device)
    source, target = (side(ROWS, base).to(options.device) for base in (SOURCE, TARGET))
    print("parameters", sum(p.numel() for p in model.parameters()), "target tokens", int(target.ne(PAD).sum()))
    command = options.ours and [options.ours, "1", str(options.steps), str(options.dropout)]
    compare_training(model, lambda loss, i: loss(source, target), command, options, options.device, betas=(0.9, 0.98),
                     weight_decay=0.01, fused=options.fused or None)


if __name__ == "__main__":
    main()
