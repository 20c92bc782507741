"""Difformer (Gao et al. 2022) as in zhjgao/difformer c1ec0e3, and SCLM (arXiv 2602.01807, section 4.2) on top of it.

Every sentence for itself: nothing here is padded. SCLM runs the decoder on the control points C = Psi+ Z and returns
Psi C; noise, losses and reverse steps stay in the space of words.
"""
import math

import numpy as np
import torch

from blocks import (BOS, EOS, FIRST_ROW, PAD, Parts, best, best_first, cross_entropies, layer_shapes, linear, norm)
from streams import Stream

LENGTHS = 256
OFFSET = 128


# Sentence curves: clamped uniform knots, the recurrence as it is written.

def curve_size(c, words):
    points = max(3, math.floor(c["map.rho"] * words + 0.5))
    return points, min(points - 1, c["map.degree"])


def basis(knots, j, degree, u):
    if degree == 0:
        last = knots[j + 1] == 1 and knots[j] < 1
        return 1.0 if knots[j] <= u < knots[j + 1] or (u == 1 and last) else 0.0
    left = knots[j + degree] - knots[j]
    right = knots[j + degree + 1] - knots[j + 1]
    return ((u - knots[j]) / left * basis(knots, j, degree - 1, u) if left else 0.0) + (
        (knots[j + degree + 1] - u) / right * basis(knots, j + 1, degree - 1, u) if right else 0.0)


def psi(c, words):
    points, degree = curve_size(c, words)
    spans = points - degree
    knots = [0.0] * (degree + 1) + [i / spans for i in range(1, spans)] + [1.0] * (degree + 1)
    margin = c["map.margin"]
    at = [margin + (1 - 2 * margin) * i / (words - 1) for i in range(words)]
    matrix = np.array([[basis(knots, j, degree, u) for j in range(points)] for u in at])
    assert np.allclose(matrix.sum(1), 1)
    return torch.from_numpy(matrix)


class Schedule:
    """sqrt: alpha*(s) = 1 - sqrt(s + 1e-4), the last beta clipped to 0.999."""

    def __init__(self, steps):
        star = [1 - math.sqrt(i / steps + 1e-4) for i in range(steps + 1)]
        betas = [min(1 - star[i + 1] / star[i], 0.999) for i in range(steps)]
        self.steps, self.alpha_bar = steps, np.cumprod(1 - np.array(betas))

    def reverse(self, count):
        """(t, c1, c2, sigma) of the respaced chain, noisiest first."""
        chosen = [round(s * (self.steps - 1) / (count - 1)) for s in range(count)]
        chain, before = [], 1.0
        for t in chosen:
            here = self.alpha_bar[t]
            beta = 1 - here / before
            chain.append([t, beta * math.sqrt(before) / (1 - here), (1 - before) * math.sqrt(1 - beta) / (1 - here),
                          math.sqrt(beta * (1 - before) / (1 - here))])
            before = here
        chain[0][3] = chain[1][3]
        return chain[::-1]


class Difformer(Parts):
    def __init__(self, c, vocabulary):
        self.c, self.curve, self.curves = c, "map.rho" in c, c.get("map.curves", 1)
        hidden, latent, longest = c["model.hidden"], c["model.latent"], c["model.max_positions"]
        names = {"embedding.weight": (vocabulary, latent)}
        linear(names, "encoder_project_in", hidden, latent, bias=False)
        names["encoder_positions.weight"] = (longest + FIRST_ROW, hidden)
        for i in range(c["model.encoder_layers"]):
            layer_shapes(names, f"encoder_layer_{i}", hidden, c["model.ffn"], cross=False)
        linear(names, "decoder_project_in", hidden, latent, bias=False)
        if c["diffusion.self_conditioning"] > 0:
            linear(names, "self_condition.in", hidden, 2 * hidden)
            linear(names, "self_condition.out", hidden, hidden)
        linear(names, "time.in", 4 * hidden, hidden)
        linear(names, "time.out", hidden, 4 * hidden)
        points = curve_size(c, longest)[0] if self.curve else longest
        names["decoder_positions.weight"] = (points + FIRST_ROW, hidden)
        norm(names, "decoder_norm", hidden)
        for i in range(c["model.decoder_layers"]):
            layer_shapes(names, f"decoder_layer_{i}", hidden, c["model.ffn"], cross=True)
        linear(names, "decoder_project_out", latent, hidden, bias=False)
        linear(names, "length", LENGTHS, hidden, bias=False)
        if self.curves > 1:
            names["curve_tokens.weight"] = (self.curves, hidden)
            linear(names, "curve_scorer.in", hidden, hidden)
            linear(names, "curve_scorer.out", 1, hidden)
        super().__init__(names, c["model.heads"], OFFSET)
        self.schedule = Schedule(c["diffusion.steps"])

    def encode(self, source):
        scale = math.sqrt(self.c["model.latent"])
        x = self.lin("encoder_project_in", scale * self.p["embedding.weight"][source])
        x = x + self.p["encoder_positions.weight"][FIRST_ROW:FIRST_ROW + len(source)]
        states = self.layers("encoder", self.c["model.encoder_layers"], x)
        return states, self.lin("length", states.mean(0))

    def time(self, t):
        """gamma(t 1000 / T) = cosines, then sines, through the FFN."""
        half = self.c["model.hidden"] // 2
        angle = t * 1000 / self.schedule.steps * 10000.0**(-torch.arange(half) / half)
        return self.feed_forward("time", torch.cat([angle.cos(), angle.sin()]))

    def denoise(self, z, previous, t, memory, decoding):
        to_words = psi(self.c, len(z)) if self.curve else torch.eye(len(z))
        to_tokens = torch.linalg.pinv(to_words)
        previous = torch.zeros_like(z) if previous is None else previous
        pair = [self.lin("decoder_project_in", to_tokens @ x) for x in (z, previous)]
        conditioned = self.c["diffusion.self_conditioning"] > 0
        tokens = self.feed_forward("self_condition", torch.cat(pair, 1)) if conditioned else pair[0]
        tokens = tokens + self.time(t)
        table, layers = self.p["decoder_positions.weight"], self.c["model.decoder_layers"]
        tokens = tokens + table[FIRST_ROW:FIRST_ROW + len(tokens)]
        if self.curves == 1:
            states = self.layers("decoder", layers, self.layer_norm("decoder_norm", tokens), memory)
        else:
            states = self.mixture(tokens, table[0] + self.time(t), memory, decoding)
        return self.lin("decoder_project_out", to_words @ states)

    def mixture(self, tokens, head, memory, decoding):
        """N runs, each after its own token e_n, which the scorer reads; decoding takes the best of them."""
        curves, scores = [], []
        for e in self.p["curve_tokens.weight"]:
            x = self.layer_norm("decoder_norm", torch.cat([(e + head).unsqueeze(0), tokens]))
            x = self.layers("decoder", self.c["model.decoder_layers"], x, memory)
            scores.append(self.feed_forward("curve_scorer", x[0]).squeeze())
            curves.append(x[1:])
        if decoding:
            return curves[int(best(torch.stack(scores)))]
        return sum(w * curve for w, curve in zip(torch.softmax(torch.stack(scores), 0), curves))

    def loss(self, batch, seed, step, first_row):
        coin = Stream(seed, "diffusion.self_conditioning", step).uniform(0)
        conditioned = coin < self.c["diffusion.self_conditioning"]
        square, nll, smooth, lengths = [], [], [], []
        for r, (source, target) in enumerate(batch):
            memory, length_logits = self.encode(source)
            t = math.floor(Stream(seed, "diffusion.time", step).uniform(first_row + r) * self.schedule.steps)
            clean = math.sqrt(self.c["model.latent"]) * self.p["embedding.weight"][target]
            noise = torch.from_numpy(Stream(seed, "diffusion.noise", step).normals(first_row + r, clean.shape))
            alpha_bar = self.schedule.alpha_bar[t]
            z = math.sqrt(alpha_bar) * clean + math.sqrt(1 - alpha_bar) * self.c["diffusion.noise_factor"] * noise
            previous = self.denoise(z, None, t, memory, False).detach() if conditioned else None
            estimate = self.denoise(z, previous, t, memory, False)
            square.append((estimate - clean).square())
            a, b = cross_entropies(estimate @ self.p["embedding.weight"].T, target)
            nll.append(a)
            smooth.append(b)
            wanted = min(max(len(target) - len(source) + OFFSET, 0), LENGTHS - 1)
            lengths.append(-torch.log_softmax(length_logits, 0)[wanted])
        eps = self.c["loss.label_smoothing"]
        parts = {"loss_diff": torch.cat(square).mean(), "rounding_nll": torch.cat(nll).mean(),
                 "loss_length": torch.stack(lengths).mean()}
        parts["loss_anchor"] = (1 - eps) * parts["rounding_nll"] + eps * torch.cat(smooth).mean()
        total = parts["loss_diff"] + parts["loss_anchor"] + self.c["loss.length_weight"] * parts["loss_length"]
        return total, parts, {"self_conditioned": conditioned}

    @torch.no_grad()
    def generate(self, sources, seed):
        """Candidates of every source, best first, and states and estimates of the first source's best one."""
        rows, trace = [], {}
        for s, source in enumerate(sources):
            memory, logits = self.encode(source)
            middle, beam = int(best(logits)) - OFFSET + len(source), self.c["sampler.length_beam"]
            candidates = []
            for k in range(beam):
                length = min(max(middle - beam // 2 + k, 2), self.c["model.max_positions"])
                for _ in range(self.c["sampler.noise_beam"]):
                    candidates.append(self.sample(length, (s << 16) + len(candidates), memory, seed))
            rows.append(best_first(candidates))
            if s == 0:
                trace = {key: rows[0][0][key] for key in ("noisy", "latent")}
        return [[{"ids": c["ids"], "score": c["score"]} for c in row] for row in rows], trace

    def sample(self, length, row, memory, seed):
        factor, shape = self.c["sampler.noise_factor"], (length, self.c["model.latent"])
        draw = [factor * torch.from_numpy(Stream(seed, "sampler.noise", i).normals(row, shape))
                for i in range(self.c["sampler.steps"])]
        z, previous, noisy, latent = draw[0], None, [], []
        for i, (t, c1, c2, sigma) in enumerate(self.schedule.reverse(len(draw))):
            estimate = self.denoise(z, previous, t, memory, True)
            noisy.append(z.tolist())
            latent.append(estimate.tolist())
            if self.c["diffusion.self_conditioning"] > 0:
                previous = estimate
            if i + 1 < len(draw):
                z = c1 * estimate + c2 * z + sigma * draw[i + 1]
        logits = estimate @ self.p["embedding.weight"].T
        ids, log_p = best(logits), torch.log_softmax(logits, 1).max(1).values
        return {"ids": [int(i) for i in ids if int(i) not in (BOS, EOS, PAD)], "score": float(log_p.mean()),
                "noisy": noisy, "latent": latent}
