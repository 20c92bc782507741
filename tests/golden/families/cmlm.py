"""CMLM with the contrastive loss, Look Neighbors and CORR (Guo et al. 2023) as in AllForward/Isotropy-Enhanced-CMLM
a02860c6; every sentence for itself."""
import math

import torch

from blocks import (BOS, EOS, FIRST_ROW, MASK, PAD, Parts, best, best_first, cross_entropies, gelu, layer_shapes,
                    linear)
from streams import Stream

LENGTHS = 256


def lowest(values, count):
    return sorted(sorted(values, key=lambda i: (values[i], i))[:count])


class Cmlm(Parts):
    def __init__(self, c, vocabulary):
        self.c, hidden = c, c["model.hidden"]
        self.neighbours, self.top = c["look_neighbors.attention"], c["look_neighbors.top"]
        names = {"length": (LENGTHS, hidden), "embedding.weight": (vocabulary, hidden)}
        for side in ("encoder", "decoder"):
            names[side + "_positions.weight"] = (c["model.max_positions"] + FIRST_ROW, hidden)
            for i in range(c[f"model.{side}_layers"]):
                layer_shapes(names, f"{side}_layer_{i}", hidden, c["model.ffn"], cross=side == "decoder",
                             neighbours=self.neighbours and side == "decoder")
        if self.top == "official":
            linear(names, "decoder_top.in", c["model.ffn"], 2 * hidden, bias=False)
            linear(names, "decoder_top.out", hidden, c["model.ffn"], bias=False)
        elif self.top == "paper":
            linear(names, "decoder_top.out", hidden, 2 * hidden, bias=False)
        super().__init__(names, c["model.heads"], 8)

    def embed(self, side, ids):
        table = self.p[side + "_positions.weight"]
        return self.p["embedding.weight"][ids] + table[FIRST_ROW:FIRST_ROW + len(ids)]

    def encode(self, source):
        states = self.layers("encoder", self.c["model.encoder_layers"], self.embed("encoder", source))
        return states, states.mean(0) @ self.p["length"].T

    def token_mixing(self, prefix, x, allowed):
        full = super().token_mixing(prefix, x, allowed)
        if prefix + ".alpha" not in self.p:
            return full
        at = torch.arange(len(x))
        near = (at.unsqueeze(0) - at.unsqueeze(1)).abs() <= self.c["look_neighbors.window"]
        alpha = self.p[prefix + ".alpha"]
        return alpha * full + (1 - alpha) * self.self_attention(prefix + ".neighbours", x, near)

    def decode(self, ids, memory):
        h = self.layers("decoder", self.c["model.decoder_layers"], self.embed("decoder", ids), memory)
        if self.top == "none":
            return h
        both = torch.cat([h[:-2], h[2:]], 1)
        if self.top == "paper":
            inner = h[1:-1] + self.lin("decoder_top.out", both)
        else:
            inner = gelu(h[1:-1] + self.lin("decoder_top.out", gelu(self.lin("decoder_top.in", both))))
        return torch.cat([h[:1], inner, h[-1:]])

    def logits(self, states):
        return states @ self.p["embedding.weight"].T

    @torch.no_grad()
    def predict(self, ids, memory):
        """Log-probabilities under the rest once BOS, PAD, EOS and the mask are banned."""
        logits = self.logits(self.decode(ids, memory))
        logits[:, [BOS, PAD, EOS, MASK]] = -math.inf
        return torch.log_softmax(logits, 1)

    def masked_positions(self, r, target, draw):
        """Positions of the masked tokens, and of those that CORR replaces."""
        ordinary = range(1, len(target) - 1)
        count = min(len(ordinary), math.floor(len(ordinary) * draw("mask.count").uniform(r)) + 1)
        masked = lowest({i: draw("mask.rank").uniform(r, i - 1) for i in ordinary}, count)
        revealed = [i for i in ordinary if i not in masked]
        if self.c["self_correction.rule"] == "off":
            return masked, []
        count = math.floor(self.c["self_correction.rate"] * len(revealed) + 1e-9)
        return masked, lowest({i: draw("corr.rank").uniform(r, i - 1) for i in revealed}, count)

    def correction(self, read, target, memory, replaced):
        hidden = [BOS] + [MASK] * (len(target) - 2) + [EOS]
        predicted = best(self.predict(hidden, memory)[replaced])
        corrupted = list(read)
        for i, token in zip(replaced, predicted):
            corrupted[i] = int(token)
        logits = self.logits(self.decode(corrupted, memory))[replaced]
        return cross_entropies(logits, [target[i] for i in replaced])

    def loss(self, batch, seed, step, first_row):
        token, corrected, lengths, states = [], [], [], []
        for r, (source, target) in enumerate(batch):
            memory, length_logits = self.encode(source)
            masked, replaced = self.masked_positions(first_row + r, target, lambda p: Stream(seed, p, step))
            read = [MASK if i in masked else y for i, y in enumerate(target)]
            states.append(self.decode(read, memory))
            token.append(cross_entropies(self.logits(states[-1])[masked], [target[i] for i in masked]))
            if replaced:
                corrected.append(self.correction(read, target, memory, replaced))
            lengths.append(-torch.log_softmax(length_logits, 0)[min(len(target), LENGTHS - 1)])
        parts = {"loss_token": self.smoothed(token), "masked_nll": torch.cat([a for a, _ in token]).mean(),
                 "loss_length": torch.stack(lengths).mean()}
        total = parts["loss_token"]
        if self.c["self_correction.rule"] == "isotropy":
            assert corrected
            parts["loss_corr"] = self.smoothed(corrected)
            total = 0.5 * total + 0.5 * parts["loss_corr"]
        total = total + self.c["loss.length_weight"] * parts["loss_length"]
        if self.c["contrastive.weight"] > 0:
            parts["loss_cl_logits"] = self.contrast([self.logits(x) for x in states])
            parts["loss_cl_features"] = self.contrast(states)
            total = total + self.c["contrastive.weight"] * (parts["loss_cl_logits"] + parts["loss_cl_features"])
        return total, parts, {"masked": sum(len(a) for a, _ in token), "replaced": sum(len(a) for a, _ in corrected)}

    def smoothed(self, terms):
        eps = self.c["loss.label_smoothing"]
        return (1 - eps) * torch.cat([a for a, _ in terms]).mean() + eps * torch.cat([b for _, b in terms]).mean()

    def contrast(self, sentences):
        """Mean over all ordered pairs of the batch of max(0, margin - s_ii + s_ij)."""
        terms = []
        for x in sentences:
            unit = x / x.norm(dim=1, keepdim=True)
            for i in range(len(x)):
                for j in range(len(x)):
                    if i != j:
                        own = unit[i] @ unit[i]
                        terms.append((self.c["contrastive.margin"] - own + unit[i] @ unit[j]).clamp_min(0))
        return torch.stack(terms).mean()

    @torch.no_grad()
    def generate(self, sources, _seed):
        rows = []
        for source in sources:
            memory, logits = self.encode(source)
            middle, beam = max(2, int(best(logits))), self.c["sampler.length_beam"]
            lengths = [min(max(middle - beam // 2 + k, 3), self.c["model.max_positions"]) for k in range(beam)]
            rows.append(best_first([self.mask_predict(n - 2, memory) for n in lengths]))
        return rows, {}

    def mask_predict(self, n, memory):
        tokens, scores, masked, passes = [MASK] * n, [0.0] * n, set(range(n)), self.c["sampler.steps"]
        every = self.c["self_correction.rule"] != "off"  # CORR overwrites what it read
        for s in range(passes):
            read = [BOS] + [MASK if i in masked else tokens[i] for i in range(n)] + [EOS]
            log_p = self.predict(read, memory)[1:-1]
            for i in range(n) if every else sorted(masked):
                tokens[i] = int(best(log_p[i]))
                scores[i] = float(log_p[i].max())
            masked = set(lowest(dict(enumerate(scores)), n * (passes - s - 1) // passes))
        return {"ids": tokens, "score": sum(scores) / (n + 2)}
