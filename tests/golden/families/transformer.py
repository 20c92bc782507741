"""The autoregressive Transformer (Vaswani et al. 2017) with fairseq's conventions: post-norm, one table for source,
target and output, scaled by sqrt(H) where it is read, EOS before the target, no BOS before the source; every sentence
for itself, and the whole prefix anew for every token."""
import math

import torch

from blocks import BOS, EOS, FIRST_ROW, MASK, PAD, Parts, best, cross_entropies, layer_shapes


class Transformer(Parts):
    def __init__(self, c, vocabulary):
        self.c, hidden, longest = c, c["model.hidden"], c["model.max_positions"]
        names = {"embedding.weight": (vocabulary, hidden)}
        for side in ("encoder", "decoder"):
            if c["model.positions"] == "learned":
                names[side + "_positions.weight"] = (longest + FIRST_ROW, hidden)
            for i in range(c[f"model.{side}_layers"]):
                layer_shapes(names, f"{side}_layer_{i}", hidden, c["model.ffn"], cross=side == "decoder")
        super().__init__(names, c["model.heads"])

    def positions(self, side, count):
        rows = torch.arange(FIRST_ROW, FIRST_ROW + count)
        if self.c["model.positions"] == "learned":
            return self.p[side + "_positions.weight"][rows]
        half = self.c["model.hidden"] // 2  # fairseq's sinusoid: sines, then cosines
        angle = rows.unsqueeze(1) * torch.exp(-math.log(1e4) / (half - 1) * torch.arange(half))
        return torch.cat([angle.sin(), angle.cos()], 1)

    def embed(self, side, ids):
        return math.sqrt(self.c["model.hidden"]) * self.p["embedding.weight"][ids] + self.positions(side, len(ids))

    def encode(self, source):
        return self.layers("encoder", self.c["model.encoder_layers"], self.embed("encoder", source[1:]))

    def logits(self, previous, memory):
        past = torch.ones(len(previous), len(previous), dtype=torch.bool).tril()
        x = self.layers("decoder", self.c["model.decoder_layers"], self.embed("decoder", previous), memory, past)
        return x @ self.p["embedding.weight"].T

    def loss(self, batch, *_):
        nll, smooth = [], []
        for source, target in batch:
            a, b = cross_entropies(self.logits([EOS] + target[1:-1], self.encode(source)), target[1:])
            nll.append(a)
            smooth.append(b)
        eps, nll = self.c["loss.label_smoothing"], torch.cat(nll).mean()
        return (1 - eps) * nll + eps * torch.cat(smooth).mean(), {"nll": nll}, {}

    @torch.no_grad()
    def generate(self, sources, _seed):
        """Greedy: no BOS, PAD or MASK, at least one token, EOS after so many."""
        rows = []
        for source in sources:
            memory, ids, total = self.encode(source), [], 0.0
            while True:
                log_p = torch.log_softmax(self.logits([EOS] + ids, memory)[-1], 0)
                allowed = log_p.clone()
                allowed[[PAD, BOS, MASK] + ([] if ids else [EOS])] = -math.inf
                token = EOS if len(ids) == self.c["sampler.max_length_b"] else int(best(allowed))
                total += float(log_p[token])
                if token == EOS:
                    break
                ids.append(token)
            rows.append([{"ids": ids, "score": total / (len(ids) + 1)**self.c["sampler.length_penalty"]}])
        return rows, {}
