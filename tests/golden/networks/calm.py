#!/usr/bin/env python3
"""Writes calm.json: CALM's autoencoder, language model and three heads in float64, with losses, gradients and samples.

    pip install torch numpy
    python3 calm.py > calm.json

The networks from their definition (Shao et al. 2025; the diffusion head after Nichol & Dhariwal 2021), under the names
of the published checkpoints: norms, attention, rotary positions, activations and losses are written out, row by row
where that is plainer; torch gives the gradients only. Weights, noise and times have four decimals, so that the file
holds them exactly. Before writing, the same functions must give the known numbers below (J1_…, J2_…, tables).

Axes: row, chunk, then a vector; samples (N, M) stand before the rows. Chunks 0 to 3 are read, 1 to 4 predicted.
"gradient_probes" are sum_k gradient_k cos(0.7 k), k row-major: they see a transposed gradient, which a norm does not.
VLB term, in bits, mean over the latent: KL(q(x_{t-1} | x_t, x_0) || p) / log 2; for t = 0 the continuous Gaussian
-log p(x_0 | x_1) / log 2. The mean of p is detached, its variance share not clamped. The diffusion loss is MSE + VLB.
Energy: loss = 2 fidelity - diversity, both with the power alpha; every loss is a mean over positions.
"sampling" is from the hidden state after chunk 3 of each row, for the discrete form.
"""
import json
import math
import platform
import sys

import numpy as np
import torch

SEED = 13
VOCABULARY, K, LATENT = 13, 2, 3
AE_HIDDEN, AE_FFN, AE_LAYERS = 8, 12, 2  # of the encoder, and of the decoder
HIDDEN, FFN, BLOCKS, HEADS, HEAD_BLOCKS, NOISE = 12, 20, 2, 2, 2, 4
N, M, ROWS, CHUNKS = 3, 5, 2, 5
READ = CHUNKS - 1
DROPOUT, KL_CLIP, BETA = 0.15, 0.5, 0.001
ALPHAS = [1.0, 1.5]
STEPS, SAMPLING_STEPS, FLOW_STEPS, TIME = 1000, 100, 4, 256
EPSILON = 1e-6  # of every norm


# Parts. A part's parameters are a dict without the part's prefix.

def part(p, prefix):
    return {name[len(prefix):]: value for name, value in p.items() if name.startswith(prefix)}


def silu(x):
    return x / (1 + torch.exp(-x))


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def rms_norm(p, name, x):
    return x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + EPSILON) * p[name + ".weight"]


def plain_norm(x):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + EPSILON)


def layer_norm(p, name, x):
    return plain_norm(x) * p[name + ".weight"] + p[name + ".bias"]


def swiglu(p, name, x):
    inner = silu(linear(p, name + ".gate_proj", x)) * linear(p, name + ".up_proj", x)
    return linear(p, name + ".down_proj", inner)


def time_features(t):
    """[TIME]: cosines, then sines."""
    angles = [t * math.exp(-math.log(10000.0) * j / (TIME // 2)) for j in range(TIME // 2)]
    return torch.tensor([math.cos(a) for a in angles] + [math.sin(a) for a in angles], dtype=torch.float64)


# Autoencoder

def autoencoder_shapes(vocabulary, hidden, ffn, k, latent):
    def layers(name):
        for i in range(AE_LAYERS):
            yield f"{name}.{i}.mlp.gate_proj.weight", (ffn, hidden)
            yield f"{name}.{i}.mlp.up_proj.weight", (ffn, hidden)
            yield f"{name}.{i}.mlp.down_proj.weight", (hidden, ffn)
            yield f"{name}.{i}.layernorm.weight", (hidden,)

    yield "encoder.embed_tokens.weight", (vocabulary, hidden)
    yield from layers("encoder.encoder_layers")
    yield "encoder.hidden_to_latent.weight", (2 * latent, hidden)
    yield "encoder.hidden_to_latent.bias", (2 * latent,)
    yield "encoder.squeeze_layer.weight", (hidden, k * hidden)
    yield "encoder.squeeze_layer.bias", (hidden,)
    yield "encoder.norm.weight", (hidden,)
    yield "decoder.latent_to_hidden.weight", (hidden, latent)
    yield "decoder.latent_to_hidden.bias", (hidden,)
    yield from layers("decoder.decoder_layers")
    yield "decoder.expand_layer.weight", (k * hidden, hidden)
    yield "decoder.expand_layer.bias", (k * hidden,)
    yield "decoder.norm.weight", (hidden,)


def autoencoder_layer(p, name, x):
    return x + swiglu(p, name + ".mlp", rms_norm(p, name + ".layernorm", x))


def encode(p, chunk):
    """ids [K] of one chunk -> mean [l], log of the standard deviation [l]."""
    x = torch.stack([p["encoder.embed_tokens.weight"][token] for token in chunk])
    for i in range(AE_LAYERS // 2):
        x = autoencoder_layer(p, f"encoder.encoder_layers.{i}", x)
    x = linear(p, "encoder.squeeze_layer", torch.cat(list(x)))
    for i in range(AE_LAYERS // 2, AE_LAYERS):
        x = autoencoder_layer(p, f"encoder.encoder_layers.{i}", x)
    x = linear(p, "encoder.hidden_to_latent", rms_norm(p, "encoder.norm", x))
    return x[:len(x) // 2], x[len(x) // 2:]


def decode(p, z, k):
    """z [l] -> logits [K, V]."""
    x = linear(p, "decoder.latent_to_hidden", z)
    for i in range(AE_LAYERS // 2):
        x = autoencoder_layer(p, f"decoder.decoder_layers.{i}", x)
    x = torch.stack(linear(p, "decoder.expand_layer", x).chunk(k))
    for i in range(AE_LAYERS // 2, AE_LAYERS):
        x = autoencoder_layer(p, f"decoder.decoder_layers.{i}", x)
    return rms_norm(p, "decoder.norm", x) @ p["encoder.embed_tokens.weight"].T


def kl_terms(mean, log_std):
    return 0.5 * (mean ** 2 + torch.exp(2 * log_std) - 1 - 2 * log_std)


def floored(kl):
    return torch.where(kl > KL_CLIP, kl, torch.full_like(kl, KL_CLIP))


def autoencoder_loss(p, chunks, noise, token_mask, latent_mask):
    """chunks [C, K]; masks of the same length, 1 = dropped, None = no dropout."""
    means, log_stds, latents, logits, nll = [], [], [], [], []
    for c, chunk in enumerate(chunks):
        seen = [0 if token_mask and token_mask[c][i] else token for i, token in enumerate(chunk)]
        mean, log_std = encode(p, seen)
        z = mean + noise[c] * torch.exp(log_std)
        if latent_mask:
            z = torch.stack([z[i] * (0.0 if latent_mask[c][i] else 1 / (1 - DROPOUT)) for i in range(len(z))])
        rows = decode(p, z, len(chunk))
        nll += [torch.logsumexp(row, 0) - row[token] for row, token in zip(rows, chunk)]
        for values, value in ((means, mean), (log_stds, log_std), (latents, z), (logits, rows)):
            values.append(value)
    found = {"mean": torch.stack(means), "log_std": torch.stack(log_stds), "z": torch.stack(latents),
             "logits": torch.stack(logits), "cross_entropy": torch.stack(nll).mean()}
    kl = kl_terms(found["mean"], found["log_std"])
    found["kl"], found["kl_clipped"] = kl.sum(1).mean(), floored(kl).sum(1).mean()
    found["loss"] = len(chunks[0]) * found["cross_entropy"] + BETA * found["kl_clipped"]
    return found


# Language model

def backbone_shapes():
    yield "transformer.embed_tokens.weight", (VOCABULARY, HIDDEN)
    for i in range(BLOCKS):
        layer = f"transformer.layers.{i}."
        for name in "qkvo":
            yield f"{layer}self_attn.{name}_proj.weight", (HIDDEN, HIDDEN)
        yield layer + "mlp.gate_proj.weight", (FFN, HIDDEN)
        yield layer + "mlp.up_proj.weight", (FFN, HIDDEN)
        yield layer + "mlp.down_proj.weight", (HIDDEN, FFN)
        yield layer + "input_layernorm.weight", (HIDDEN,)
        yield layer + "post_attention_layernorm.weight", (HIDDEN,)
    yield "transformer.norm.weight", (HIDDEN,)
    yield "embed_proj.0.weight", (2 * HIDDEN, K * HIDDEN)
    yield "embed_proj.0.bias", (2 * HIDDEN,)
    yield "embed_proj.2.weight", (HIDDEN, 2 * HIDDEN)
    yield "embed_proj.2.bias", (HIDDEN,)
    yield "embed_proj.3.weight", (HIDDEN,)
    yield "embed_proj.3.bias", (HIDDEN,)
    yield "latent_proj.weight", (HIDDEN, LATENT)
    yield "latent_proj.bias", (HIDDEN,)


def read_by(form, name):
    """Whether an input form uses the parameter."""
    if name.startswith("latent_proj."):
        return form != "discrete"
    return form != "continuous" or not name.startswith(("embed_proj.", "transformer.embed_tokens."))


def rotary(x, position):
    """x [width]: the pairs (j, j + width / 2) as complex numbers, times exp(i position 10000^(-2 j / width))."""
    half = x.shape[0] // 2
    first, second = [], []
    for j in range(half):
        angle = position * 10000.0 ** (-2 * j / x.shape[0])
        c, s = math.cos(angle), math.sin(angle)
        first.append(x[j] * c - x[j + half] * s)
        second.append(x[j] * s + x[j + half] * c)
    return torch.stack(first + second)


def self_attention(p, x, cache):
    """x [H] of the chunk after those in the cache; one (key, value) per chunk and head."""
    query, key, value = (linear(p, f"self_attn.{name}_proj", x).chunk(HEADS) for name in "qkv")
    position = len(cache)
    cache.append([(rotary(key[h], position), value[h]) for h in range(HEADS)])
    found = []
    for h in range(HEADS):
        turned = rotary(query[h], position)
        scores = torch.stack([turned @ chunk[h][0] for chunk in cache]) / math.sqrt(len(turned))
        weight = torch.exp(scores - scores.max())
        found.append(weight / weight.sum() @ torch.stack([chunk[h][1] for chunk in cache]))
    return linear(p, "self_attn.o_proj", torch.cat(found))


def compressed(p, form, chunk, latent):
    x = 0.0
    if form != "continuous":
        tokens = torch.cat([p["transformer.embed_tokens.weight"][token] for token in chunk])
        x = layer_norm(p, "embed_proj.3", linear(p, "embed_proj.2", silu(linear(p, "embed_proj.0", tokens))))
    return x if form == "discrete" else x + linear(p, "latent_proj", latent)


def step(p, x, caches):
    """Hidden state [H] of one chunk; the caches grow by it."""
    for i in range(BLOCKS):
        layer = part(p, f"transformer.layers.{i}.")
        x = x + self_attention(layer, rms_norm(layer, "input_layernorm", x), caches[i])
        x = x + swiglu(layer, "mlp", rms_norm(layer, "post_attention_layernorm", x))
    return rms_norm(p, "transformer.norm", x)


def fresh():
    return [[] for _ in range(BLOCKS)]


def hidden_states(p, form, ids, latents, count):
    """[rows, count, H] for the first chunks, one after another."""
    rows = []
    for r in range(ROWS):
        caches = fresh()
        rows.append(torch.stack([step(p, compressed(p, form, ids[r][c], latents[r, c]), caches)
                                 for c in range(count)]))
    return torch.stack(rows)


def at_once(p, form, ids, latents, count):
    """The same, layer by layer over all chunks with a causal mask."""
    rows, width = [], HIDDEN // HEADS
    hidden = torch.tensor([[j > i for j in range(count)] for i in range(count)])
    for r in range(ROWS):
        x = torch.stack([compressed(p, form, ids[r][c], latents[r, c]) for c in range(count)])
        for i in range(BLOCKS):
            layer, found = part(p, f"transformer.layers.{i}."), []
            query, key, value = (linear(layer, f"self_attn.{name}_proj", rms_norm(layer, "input_layernorm", x))
                                 for name in "qkv")
            for h in range(HEADS):
                of = slice(h * width, (h + 1) * width)
                q, k = (torch.stack([rotary(v[c, of], c) for c in range(count)]) for v in (query, key))
                scores = (q @ k.T / math.sqrt(width)).masked_fill(hidden, -math.inf)
                found.append(torch.softmax(scores, 1) @ value[:, of])
            x = x + linear(layer, "self_attn.o_proj", torch.cat(found, 1))
            x = x + swiglu(layer, "mlp", rms_norm(layer, "post_attention_layernorm", x))
        rows.append(rms_norm(p, "transformer.norm", x))
    return torch.stack(rows)


# Energy head

def energy_shapes(hidden, noise, latent, blocks):
    def map_of(name, outputs, inputs):
        yield name + ".weight", (outputs, inputs)
        yield name + ".bias", (outputs,)

    def norm(name):
        yield name + ".weight", (hidden,)
        yield name + ".bias", (hidden,)

    yield from map_of("noise_embd", hidden, noise)
    yield from map_of("hidden_embd", hidden, hidden)
    yield from norm("norm_hidden")
    yield from norm("norm_noise")
    for i in range(blocks):
        yield from norm(f"mlp_blocks.{i}.in_ln")
        yield from map_of(f"mlp_blocks.{i}.linears.0", hidden, 2 * hidden)
        yield from map_of(f"mlp_blocks.{i}.linears.2", hidden, hidden)
        yield from map_of(f"mlp_blocks.{i}.linears.4", 2 * hidden, hidden)
        yield from map_of(f"mlp_blocks.{i}.down_proj", hidden, hidden)
    yield from norm("final_layer.in_ln")
    yield from map_of("final_layer.linears.0", hidden, hidden)
    yield from map_of("final_layer.linears.2", latent, hidden)


def energy_head(p, hidden, noise):
    """hidden [.., H], noise [N, .., n] -> samples [N, .., l]."""
    samples = []
    y = layer_norm(p, "norm_hidden", linear(p, "hidden_embd", hidden))
    for one in noise:
        e = layer_norm(p, "norm_noise", linear(p, "noise_embd", one))
        for i in range(HEAD_BLOCKS):
            b = part(p, f"mlp_blocks.{i}.")
            a = torch.cat([layer_norm(b, "in_ln", e), y], -1)
            a = linear(b, "linears.4", silu(linear(b, "linears.2", silu(linear(b, "linears.0", a)))))
            gate, up = a.chunk(2, -1)
            e = e + linear(b, "down_proj", silu(gate) * up)
        e = silu(linear(p, "final_layer.linears.0", layer_norm(p, "final_layer.in_ln", e)))
        samples.append(linear(p, "final_layer.linears.2", e))
    return torch.stack(samples)


def distance(x, y, alpha):
    return torch.sqrt(((x - y) ** 2).sum(-1)) ** alpha


def energy_terms(samples, targets, alpha):
    """E|x - y|^alpha and, over different samples, E|x - x'|^alpha, for every position."""
    n, m = len(samples), len(targets)
    fidelity = sum(distance(x, y, alpha) for x in samples for y in targets) / (n * m)
    diversity = sum(distance(samples[i], samples[k], alpha) for i in range(n) for k in range(n) if i != k)
    return fidelity, diversity / (n * (n - 1))


# Diffusion and flow heads

def denoiser_shapes(outputs):
    yield "input_proj.weight", (HIDDEN, LATENT)
    yield "input_proj.bias", (HIDDEN,)
    yield "cond_embed.weight", (HIDDEN, HIDDEN)
    yield "cond_embed.bias", (HIDDEN,)
    yield "time_embed.mlp.0.weight", (HIDDEN, TIME)
    yield "time_embed.mlp.0.bias", (HIDDEN,)
    yield "time_embed.mlp.2.weight", (HIDDEN, HIDDEN)
    yield "time_embed.mlp.2.bias", (HIDDEN,)
    for i in range(HEAD_BLOCKS):
        block = f"res_blocks.{i}."
        yield block + "in_ln.weight", (HIDDEN,)
        yield block + "in_ln.bias", (HIDDEN,)
        yield block + "mlp.0.weight", (HIDDEN, HIDDEN)
        yield block + "mlp.0.bias", (HIDDEN,)
        yield block + "mlp.2.weight", (HIDDEN, HIDDEN)
        yield block + "mlp.2.bias", (HIDDEN,)
        yield block + "adaLN_modulation.1.weight", (3 * HIDDEN, HIDDEN)
        yield block + "adaLN_modulation.1.bias", (3 * HIDDEN,)
    yield "final_layer.linear.weight", (outputs, HIDDEN)
    yield "final_layer.linear.bias", (outputs,)
    yield "final_layer.adaLN_modulation.1.weight", (2 * HIDDEN, HIDDEN)
    yield "final_layer.adaLN_modulation.1.bias", (2 * HIDDEN,)


def denoiser(p, x, t, hidden):
    """x [l], t a number, hidden [H] -> [outputs]."""
    time = linear(p, "time_embed.mlp.2", silu(linear(p, "time_embed.mlp.0", time_features(t))))
    y = silu(time + linear(p, "cond_embed", hidden))
    x = linear(p, "input_proj", x)
    for i in range(HEAD_BLOCKS):
        b = part(p, f"res_blocks.{i}.")
        shift, scale, gate = linear(b, "adaLN_modulation.1", y).chunk(3)
        inner = layer_norm(b, "in_ln", x) * (1 + scale) + shift
        x = x + gate * linear(b, "mlp.2", silu(linear(b, "mlp.0", inner)))
    shift, scale = linear(p, "final_layer.adaLN_modulation.1", y).chunk(2)
    return linear(p, "final_layer.linear", plain_norm(x) * (1 + scale) + shift)


class Schedule:
    """q and its posterior for betas; variances of the posterior at 0 are those at 1, which are not zero."""

    def __init__(self, betas):
        self.betas, self.kept, product = betas, [], 1.0
        for beta in betas:
            product *= 1 - beta
            self.kept.append(product)
        before = [1.0] + self.kept[:-1]
        variances = [b * (1 - last) / (1 - now) for b, last, now in zip(betas, before, self.kept)]
        self.log_variances = [math.log(v) for v in [variances[1]] + variances[1:]]
        self.of_start = [b * math.sqrt(last) / (1 - now) for b, last, now in zip(betas, before, self.kept)]
        self.of_noisy = [(1 - last) * math.sqrt(1 - b) / (1 - now) for b, last, now in zip(betas, before, self.kept)]

    def noisy(self, z, t, noise):
        return math.sqrt(self.kept[t]) * z + math.sqrt(1 - self.kept[t]) * noise

    def posterior_mean(self, z, x, t):
        return self.of_start[t] * z + self.of_noisy[t] * x

    def predicted(self, x, t, noise, share):
        """Mean and log variance of p; share in [-1, 1] from the posterior's log variance to log beta."""
        start = (x - math.sqrt(1 - self.kept[t]) * noise) / math.sqrt(self.kept[t])
        upper = (share + 1) / 2
        return self.posterior_mean(start, x, t), upper * math.log(self.betas[t]) + (1 - upper) * self.log_variances[t]


def cosine_betas():
    def kept(t):
        return math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2

    return [min(1 - kept((i + 1) / STEPS) / kept(i / STEPS), 0.999) for i in range(STEPS)]


def respaced(schedule):
    """The kept steps of the long schedule, and the schedule over them."""
    steps = [round(i * (STEPS - 1) / (SAMPLING_STEPS - 1)) for i in range(SAMPLING_STEPS)]
    kept = [1.0] + [schedule.kept[t] for t in steps]
    return steps, Schedule([1 - now / last for last, now in zip(kept, kept[1:])])


def vlb_term(schedule, z, x, t, noise, share):
    mean, log_variance = schedule.predicted(x, t, noise.detach(), share)
    if t == 0:
        nats = 0.5 * (math.log(2 * math.pi) + log_variance + (z - mean) ** 2 * torch.exp(-log_variance))
    else:
        wanted, true = schedule.posterior_mean(z, x, t), schedule.log_variances[t]
        nats = 0.5 * (log_variance - true - 1 + torch.exp(true - log_variance)
                      + (wanted - mean) ** 2 * torch.exp(-log_variance))
    return nats.mean() / math.log(2)


def solve(field, x, steps, solver):
    """x after every step from t = 0 to 1."""
    found = []
    for i in range(steps):
        t, dt = i / steps, 1 / steps
        x = x + dt * (field(x, t) if solver == "euler" else field(x + dt / 2 * field(x, t), t + dt / 2))
        found.append(x)
    return found


# Numbers known from elsewhere

def filled(shapes):
    """fill(i, k) = sin(0.37 k + i): i counts the tensors from 1, k their elements."""
    made = {}
    for i, (name, shape) in enumerate(shapes, 1):
        fill = np.sin(0.37 * np.arange(np.prod(shape)) + i).reshape(shape)
        if len(shape) == 2:
            fill = fill / math.sqrt(shape[1])
        else:
            is_scale = name.endswith(".weight")  # one-dimensional weights are those of norms
            fill = 0.1 * fill + (1.0 if is_scale else 0.0)
        made[name] = torch.tensor(fill)
    return made


J1_SAMPLES = [
    [[0.075024705187, -0.118824320023, 0.125948000318], [0.084477212926, -0.081981573152, 0.071948759994]],
    [[0.116483872063, -0.079299949516, 0.036699737538], [0.136569217677, -0.107885437458, 0.051177235233]],
    [[0.10910846786, -0.112322548656, 0.084002916353], [0.082520022551, -0.114408419049, 0.113113397028]]]
J1_LOSSES = {1.0: [1.656967493787, 1.673905166996], 1.5: [1.590694436729, 1.608513363389]}

J2_MEAN = [[-1.288852266233, 1.062392383277, -1.15762492589], [-0.061688500965, -0.029960860124, -0.236004649231]]
J2_LOG_STD = [[0.932970669176, -0.846498741573, 0.699135291729], [0.212391186681, -0.350656578971, 0.444336403948]]
J2_LOGITS = [
    [0.5524878, -0.593742014, 0.615470799, -0.616959598, 0.598159449, -0.559688603, 0.502812188, -0.429400606,
     0.341868025, -0.243092986, 0.136323743],
    [-0.242853496, 0.263242265, -0.274974213, 0.277663531, -0.27122178, 0.255860799, -0.232085741, 0.200678456,
     -0.162671785, 0.119315591, -0.07203566],
    [0.512232287, -0.556778218, 0.583014289, -0.590077717, 0.577736219, -0.546395649, 0.497086654, -0.431430778,
     0.35158714, -0.260181427, 0.160219551],
    [-0.263520581, 0.280104212, -0.28747651, 0.285395036, -0.27392824, 0.253453211, -0.224643278, 0.188445867,
     -0.146051344, 0.098853867, -0.048405544]]
J2_PARTS = {"cross_entropy": 2.732915683067, "kl": 2.789556328068, "kl_clipped": 3.313218723399,
            "loss": 5.469144584858}

KL_MEAN, KL_STD = [0, 1, 0.9, -1.2, 0.1, 2, 0, 0], [1, 1, 0.3, 0.3, 0.9, 0.05, 0.3, 0.25]
KL_SUMS = [9.301805563310, 10.286445047652]
BETAS = {0: 4.128422482197e-05, 499: 3.145886230478e-03, 999: 0.999}
KEPT = {0: 0.999958715775, 499: 0.493843590441, 999: 2.428767e-09}
FLOW_ENDS = {("euler", 4): 2.340540540541, ("euler", 10): 2.430782604899, ("midpoint", 1): 2.4,
             ("midpoint", 2): 2.494386694387, ("midpoint", 4): 2.498291215391}
FEATURES_OF_50 = {0: 0.964966028, 1: -0.827987174, 64: 0.877582562, 128: -0.262374854, 129: 0.560747037}
TURNED = [-1.413352521, 1.879118067, -2.828857482, 4.058191135]  # [1, 2, 3, 4] at position 3


def same(found, wanted, tolerance=1e-9):
    found, wanted = (torch.as_tensor(v, dtype=torch.float64) for v in (found, wanted))
    assert found.shape == wanted.shape and (found - wanted).abs().max() <= tolerance, (found, wanted)


def wave(f, step, *shape):
    return torch.tensor(f(step * np.arange(np.prod(shape))).reshape(shape))


def check():
    p = filled(energy_shapes(6, 4, 3, 2))
    samples = energy_head(p, wave(np.cos, 0.5, 2, 6), 0.5 * wave(np.sin, 1.3, 3, 2, 4))
    same(samples, J1_SAMPLES)
    for alpha, wanted in J1_LOSSES.items():
        fidelity, diversity = energy_terms(samples, 0.7 * wave(np.cos, 0.9, 4, 2, 3), alpha)
        same(2 * fidelity - diversity, wanted)

    p = filled(autoencoder_shapes(11, 8, 12, 2, 3))
    found = autoencoder_loss(p, [[1, 5], [7, 0]], torch.zeros(2, 3, dtype=torch.float64), None, None)
    same(found["mean"], J2_MEAN)
    same(found["log_std"], J2_LOG_STD)
    same(found["logits"].reshape(4, 11), J2_LOGITS)
    for name, wanted in J2_PARTS.items():
        same(found[name], wanted)

    kl = kl_terms(*(torch.tensor(v, dtype=torch.float64) for v in (KL_MEAN, np.log(KL_STD))))
    same([kl.sum(), floored(kl).sum()], KL_SUMS)
    schedule = Schedule(cosine_betas())
    for t in BETAS:
        same([schedule.betas[t], schedule.kept[t]], [BETAS[t], KEPT[t]], 1e-12)

    def field(x, t):
        return 2 + (t * 0.25 - (1 - t)) / ((1 - t) ** 2 + t * t * 0.25) * (x - 2 * t)

    for (solver, steps), wanted in FLOW_ENDS.items():
        same(solve(field, 1.0, steps, solver)[-1], wanted)
    features = time_features(50)
    for i, wanted in FEATURES_OF_50.items():
        same(features[i], wanted)
    same(rotary(torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64), 3), TURNED)


# The file

def weights(random, shapes):
    made = {}
    for name, shape in shapes:
        is_scale = len(shape) == 1 and name.endswith("weight")
        value = random.normal(0, 0.35, shape) + (1.0 if is_scale else 0.0)
        if name.endswith(("time_embed.mlp.0.weight", "hidden_to_latent.weight")):
            value /= 4  # many inputs; standard deviations near 1
        made[name] = np.round(value, 4)
    return made


def prefixed(prefix, shapes):
    return ((prefix + name, shape) for name, shape in shapes)


def drawn(random, *shape):
    return torch.tensor(np.round(random.normal(0, 1, shape), 4))


def leaves(*parts):
    return {name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
            for numbers in parts for name, value in numbers.items()}


def rounded(values):
    if torch.is_tensor(values):
        values = values.tolist()
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.12g}")


def gradients(loss, p, full=False):
    """Of every parameter; autograd refuses one that the loss does not use."""
    grads = dict(zip(p, torch.autograd.grad(loss, list(p.values()), retain_graph=True)))
    made = {"gradient_norms": {name: rounded(g.norm()) for name, g in grads.items()},
            "gradient_probes": {name: rounded((g.flatten() * wave(np.cos, 0.7, g.numel())).sum())
                                for name, g in grads.items()}}
    return made | ({"gradients": {name: rounded(g) for name, g in grads.items()}} if full else {})


def listed(weights):
    return {name: value.tolist() for name, value in weights.items()}


def autoencoder_part(numbers, ids, random):
    noise = drawn(random, ROWS, CHUNKS, LATENT)
    token_mask = [[[0, 1], [0, 0], [1, 0], [0, 0], [0, 0]], [[0, 0], [1, 1], [0, 0], [0, 1], [0, 0]]]
    latent_mask = [[[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0]],
                   [[0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]]
    cases = {}
    for name, masks in {"dropout": (sum(token_mask, []), sum(latent_mask, [])), "plain": (None, None)}.items():
        p = leaves(numbers)
        found = autoencoder_loss(p, sum(ids, []), noise.reshape(-1, LATENT), *masks)
        kl = kl_terms(found["mean"], found["log_std"])
        assert (kl < KL_CLIP).any() and (kl > KL_CLIP).any() and (kl - KL_CLIP).abs().min() > 1e-3, kl
        cases[name] = {
            "mean": rounded(found["mean"].reshape(ROWS, CHUNKS, LATENT)),
            "log_std": rounded(found["log_std"].reshape(ROWS, CHUNKS, LATENT)),
            "z": rounded(found["z"].reshape(ROWS, CHUNKS, LATENT)),
            "logits": rounded(found["logits"].reshape(ROWS, CHUNKS * K, VOCABULARY)),
        } | {key: rounded(found[key]) for key in J2_PARTS} | gradients(found["loss"], p, full=True)
    return {"weights": listed(numbers), "dropout_rate": DROPOUT, "kl_clip": KL_CLIP, "beta": BETA,
            "noise": noise.tolist(), "token_mask": [sum(row, []) for row in token_mask], "latent_mask": latent_mask,
            "cases": cases}


@torch.no_grad()
def posterior(numbers, ids):
    """Mean and standard deviation [rows, chunks, l] of clean chunks."""
    p = leaves(numbers)
    both = [[encode(p, chunk) for chunk in row] for row in ids]
    return tuple(torch.stack([torch.stack([f(c) for c in row]) for row in both])
                 for f in (lambda c: c[0], lambda c: torch.exp(c[1])))


def targets_of(law, noise):
    return law[0][:, 1:] + noise * law[1][:, 1:]


def energy_part(backbone, ids, latents, law, random):
    head = weights(random, prefixed("generative_head.", energy_shapes(HIDDEN, NOISE, LATENT, HEAD_BLOCKS)))
    noise = torch.tensor(np.floor((random.random((N, ROWS, READ, NOISE)) - 0.5) * 1e4) / 1e4)
    posterior_noise = drawn(random, M, ROWS, READ, LATENT)
    targets, forms = targets_of(law, posterior_noise), {}
    for form in ("discrete", "continuous", "both"):
        p = leaves({name: value for name, value in backbone.items() if read_by(form, name)}, head)
        hidden = hidden_states(p, form, ids, latents, READ)
        same(hidden, at_once(p, form, ids, latents, READ), 1e-12)
        samples, losses = energy_head(part(p, "generative_head."), hidden, noise), []
        for alpha in ALPHAS:
            fidelity, diversity = energy_terms(samples, targets, alpha)
            loss = 2 * fidelity - diversity
            losses.append({"alpha": alpha, "fidelity": rounded(fidelity.mean()),
                           "diversity": rounded(diversity.mean()), "losses": rounded(loss),
                           "loss": rounded(loss.mean())}
                          | gradients(loss.mean(), p, full=form == "discrete" and alpha == 1))
        forms[form] = {"hidden": rounded(hidden), "samples": rounded(samples), "alphas": losses}
    return {"weights": listed(head), "noise": noise.tolist(), "posterior_noise": posterior_noise.tolist(),
            "targets": rounded(targets), "forms": forms}


def positions():
    return [(n, r, c) for n in range(N) for r in range(ROWS) for c in range(READ)]


def shaped(values, *shape):
    return rounded(torch.stack(values).reshape(N, ROWS, READ, *shape))


def diffusion_part(backbone, ids, latents, law, random):
    head = weights(random, prefixed("generative_head.", denoiser_shapes(2 * LATENT)))
    posterior_noise, noise = drawn(random, N, ROWS, READ, LATENT), drawn(random, N, ROWS, READ, LATENT)
    t = random.integers(0, STEPS, (N, ROWS, READ))
    t.flat[[0, 5, 9, 14, 20]] = [0, 1, 998, 0, 17]
    p = leaves({name: value for name, value in backbone.items() if read_by("discrete", name)}, head)
    net, schedule = part(p, "generative_head."), Schedule(cosine_betas())
    hidden, targets = hidden_states(p, "discrete", ids, latents, READ), targets_of(law, posterior_noise)
    outputs, mse, vlb = [], [], []
    for n, r, c in positions():
        z, at = targets[n, r, c], int(t[n, r, c])
        x = schedule.noisy(z, at, noise[n, r, c])
        outputs.append(denoiser(net, x, at, hidden[r, c]))
        predicted, share = outputs[-1].chunk(2)
        mse.append(((predicted - noise[n, r, c]) ** 2).mean())
        vlb.append(vlb_term(schedule, z, x, at, predicted, share))
    loss = torch.stack(mse).mean() + torch.stack(vlb).mean()
    made = {"weights": listed(head), "posterior_noise": posterior_noise.tolist(), "noise": noise.tolist(),
            "t": t.tolist(), "targets": rounded(targets), "outputs": shaped(outputs, 2 * LATENT),
            "mses": shaped(mse), "vlbs": shaped(vlb), "mse": rounded(torch.stack(mse).mean()),
            "vlb": rounded(torch.stack(vlb).mean()), "loss": rounded(loss)} | gradients(loss, p)

    steps, short = respaced(schedule)
    made["sampling"] = {"timesteps": steps, "betas": rounded(short.betas)}
    with torch.no_grad():
        for name, first in {"start": SAMPLING_STEPS - 1, "end": 2}.items():
            start, drawn_noise = drawn(random, ROWS, LATENT), drawn(random, 3, ROWS, LATENT)
            x, states, laws = start, [], []
            for number, i in enumerate(range(first, first - 3, -1)):
                law = []
                for r in range(ROWS):
                    output = denoiser(net, x[r], steps[i], hidden[r, -1])
                    law.append(torch.stack(short.predicted(x[r], i, *output.chunk(2))))
                mean, log_variance = torch.stack(law).unbind(1)
                x = mean + (torch.exp(log_variance / 2) * drawn_noise[number] if i > 0 else 0)
                states.append(x)
                laws.append((mean, log_variance))
            made["sampling"][name] = {
                "indices": list(range(first, first - 3, -1)), "x": start.tolist(), "noise": drawn_noise.tolist(),
                "means": [rounded(m) for m, _ in laws], "log_variances": [rounded(v) for _, v in laws],
                "states": [rounded(s) for s in states]}
    return made


def flow_part(backbone, ids, latents, law, random):
    head = weights(random, prefixed("generative_head.", denoiser_shapes(LATENT)))
    posterior_noise, noise = drawn(random, N, ROWS, READ, LATENT), drawn(random, N, ROWS, READ, LATENT)
    # A 5 as the fourth decimal: 1000 t is no whole number in any precision.
    t = (random.integers(0, STEPS, (N, ROWS, READ)) * 10 + 5) / 10000
    p = leaves({name: value for name, value in backbone.items() if read_by("discrete", name)}, head)
    net = part(p, "generative_head.")
    hidden, targets = hidden_states(p, "discrete", ids, latents, READ), targets_of(law, posterior_noise)
    outputs, losses = [], []
    for n, r, c in positions():
        z, start, at = targets[n, r, c], noise[n, r, c], float(t[n, r, c])
        outputs.append(denoiser(net, (1 - at) * start + at * z, math.floor(1000 * at), hidden[r, c]))
        losses.append(((outputs[-1] - (z - start)) ** 2).mean())
    loss = torch.stack(losses).mean()
    made = {"weights": listed(head), "posterior_noise": posterior_noise.tolist(), "noise": noise.tolist(),
            "t": t.tolist(), "targets": rounded(targets), "outputs": shaped(outputs, LATENT),
            "losses": shaped(losses), "loss": rounded(loss)} | gradients(loss, p)
    with torch.no_grad():
        start = drawn(random, ROWS, LATENT)

        def field(x, t):
            return torch.stack([denoiser(net, x[r], math.floor(1000 * t), hidden[r, -1]) for r in range(ROWS)])

        made["sampling"] = {"steps": FLOW_STEPS, "x": start.tolist()} | {
            solver: [rounded(x) for x in solve(field, start, FLOW_STEPS, solver)] for solver in ("euler", "midpoint")}
    return made


@torch.no_grad()
def prefix_part(backbone, ids, latents):
    """Of the last chunk, after 1 to 5 chunks."""
    made = {}
    for form in ("discrete", "continuous", "both"):
        p = leaves(backbone)
        last = torch.stack([hidden_states(p, form, ids, latents, count)[:, -1] for count in range(1, CHUNKS + 1)])
        same(last.transpose(0, 1), at_once(p, form, ids, latents, CHUNKS), 1e-12)
        made[form] = rounded(last)
    return made


def main():
    torch.set_num_threads(1)
    check()
    random = np.random.default_rng(SEED)
    autoencoder = weights(random, autoencoder_shapes(VOCABULARY, AE_HIDDEN, AE_FFN, K, LATENT))
    backbone = weights(random, backbone_shapes())
    ids = random.integers(0, VOCABULARY, (ROWS, CHUNKS, K)).tolist()
    law = posterior(autoencoder, ids)
    latents = torch.tensor(np.round((law[0] + drawn(random, ROWS, CHUNKS, LATENT) * law[1]).numpy(), 4))
    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"vocabulary": VOCABULARY, "chunk": K, "latent": LATENT, "autoencoder_hidden": AE_HIDDEN,
                  "autoencoder_ffn": AE_FFN, "encoder_layers": AE_LAYERS, "decoder_layers": AE_LAYERS,
                  "hidden": HIDDEN, "ffn": FFN, "layers": BLOCKS, "heads": HEADS, "head_blocks": HEAD_BLOCKS,
                  "noise": NOISE, "samples": N, "target_samples": M},
        "ids": [sum(row, []) for row in ids], "latents": latents.tolist(),
        "autoencoder": autoencoder_part(autoencoder, ids, random), "backbone": {"weights": listed(backbone)},
        "energy": energy_part(backbone, ids, latents, law, random),
        "diffusion": diffusion_part(backbone, ids, latents, law, random),
        "flow": flow_part(backbone, ids, latents, law, random),
        "prefix": prefix_part(backbone, ids, latents),
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
