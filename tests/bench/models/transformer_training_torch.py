#!/usr/bin/env python3
"""Training steps of the small Transformer in PyTorch, and training_bench's, in turns.

    python transformer_training_torch.py [--ours build/release/bin/training_bench] [--rounds 7] [--steps 40] [--compile]

One thread, processor time, rounds A B A B; prints steps per second of all and the ratios with their 10-90 % range. Needs torch 2.11.
The model is the Transformer of Vaswani et al. 2017, sections 3 and 5.4, as one would write it: preset "tiny", one table for source,
target and output, norms behind the residual sum, label smoothing 0.1, AdamW, clip_grad_norm_.
"""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from difformer_torch import H, PAD, ROWS, SOURCE, TARGET, V, Layer, side
from in_turns import add_options, compare_training

LAYERS, SMOOTHING = 2, 0.1


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V, H, padding_idx=PAD)
        self.encoder = nn.ModuleList([Layer(0.0, False) for _ in range(LAYERS)])
        self.decoder = nn.ModuleList([Layer(0.0, True) for _ in range(LAYERS)])
        angle = torch.arange(130)[:, None] * torch.exp(torch.arange(H // 2) * (-math.log(1e4) / (H // 2 - 1)))
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1))
        nn.init.normal_(self.embedding.weight, 0, H**-0.5)

    def embed(self, ids):
        return self.embedding(ids) * math.sqrt(H) + self.positions[: ids.size(1)]

    def loss(self, source, target):
        memory_mask = source.ne(PAD)[:, None, None, :]
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, memory_mask)
        read, wanted = target[:, :-1], target[:, 1:]
        x, real = self.embed(read), wanted.ne(PAD)
        causal = torch.ones(read.size(1), read.size(1), dtype=torch.bool).tril()
        for layer in self.decoder:
            x = layer(x, causal, memory, memory_mask)
        log_p = F.log_softmax(F.linear(x[real], self.embedding.weight), -1)
        nll = -log_p.gather(1, wanted[real].unsqueeze(1)).mean()
        return (1 - SMOOTHING) * nll - SMOOTHING * log_p.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    add_options(parser, rounds=7, steps=40)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Transformer()
    source, target = side(ROWS, SOURCE), side(ROWS, TARGET)
    print("parameters", sum(p.numel() for p in model.parameters()), "target tokens", int(target.ne(PAD).sum()))
    command = options.ours and [options.ours, "1", str(options.steps), "0", "transformer"]
    compare_training(model, lambda loss, i: loss(source, target), command, options, betas=(0.9, 0.98), weight_decay=0.01)


if __name__ == "__main__":
    main()
