#!/usr/bin/env python3
"""Writes lcm.json: the five Large Concept Models and a sentence autoencoder in float64: losses, gradients, samples.

    pip install torch numpy
    python3 lcm.py > lcm.json

The networks from their definition (LCM team 2024), tiny: norms, attention, rotary positions, activations, schedule,
sampler and losses are written out; torch gives the gradients only. Weights, vectors and noise have four decimals, so
that the file holds them exactly. Before writing, the same functions must give the known numbers below (J3_OUT, the
schedule, timesteps, DDIM and guidance, masks, residual codes), and each network must hold its own laws: what comes
later changes nothing, guidance 1 is none, a whole document and a context alone give the same prediction.

Axes: document, sentence, then channels. A vector is normalised: every channel has variance 1. Step i is 0 to T - 1.
"gradient_probes" are sum_k gradient_k cos(0.7 k), k row-major: they see a transposed gradient, which a norm does not.
Losses are squared errors summed over channels (times the case's weight), "loss" their mean; cross-entropies in nats.
A dropped target sees nothing of its document: Two-Tower the zero vector alone, the others itself alone; its own
position stays. "sampling" predicts sentence 2 of document 0 from the two before it: "estimates" are the x0 of every
step after guidance, "states" x after it; the last x0 is the result. Noise of the last step has no effect (variance 0).
Variance at eta 1: (1 - abar') / (1 - abar) (1 - abar / abar'). Clean entries of quant_* are the vectors themselves.
concept_*: "vectors" are without noise; logits at padding read padding and count nowhere.
"""
import json
import math
import platform
import sys

import numpy as np
import torch

SEED = 20
DOCUMENTS, SENTENCES, WIDTH = 2, 4, 6
HIDDEN, HEADS, FFN, LAYERS = 8, 2, 12, 2  # layers of each tower
T, S, TIME = 100, 5, 16
BOOKS, CENTROIDS = 3, 5
VOCABULARY, LENGTH = 9, 5
BEGIN, PAD, END = 0, 1, 2
SIGMA = 0.3
SCALING = 1.00045
KNOWN = 2  # sentences of the sampling context
CLAMP = (0.001, 5.0)
EPSILON = 1e-5  # of every norm


# Parts. A part's parameters are a dict without the part's prefix.

def part(p, prefix):
    return {name[len(prefix):]: value for name, value in p.items() if name.startswith(prefix)}


def silu(x):
    return x / (1 + torch.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def rms_norm(p, name, x):
    return x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + EPSILON) * p[name + ".weight"]


def layer_norm(p, name, x):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + EPSILON) * p[name + ".weight"]


def swiglu(p, name, x):
    gate, up = linear(p, name + ".in", x).chunk(2, -1)
    return linear(p, name + ".out", silu(gate) * up)


def attend(query, key, value, seen):
    """[Q, H], [K, H], [K, H], seen [Q][K] -> [Q, H]."""
    found = []
    for q, k, v in zip(query.chunk(HEADS, -1), key.chunk(HEADS, -1), value.chunk(HEADS, -1)):
        rows = []
        for one, allowed in zip(q, seen):
            chosen = [j for j, is_seen in enumerate(allowed) if is_seen]
            scores = k[chosen] @ one / math.sqrt(len(one))
            weight = torch.exp(scores - scores.max())
            rows.append(weight / weight.sum() @ v[chosen])
        found.append(torch.stack(rows))
    return torch.cat(found, -1)


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


def turned(x):
    return torch.stack([torch.cat([rotary(head, n) for head in row.chunk(HEADS)]) for n, row in enumerate(x)])


def causal(count):
    return [[j <= i for j in range(count)] for i in range(count)]


def llama_block(p, x):
    query, key, value = linear(p, "attention.qkv", rms_norm(p, "attention_norm", x)).chunk(3, -1)
    x = x + linear(p, "attention.out", attend(turned(query), turned(key), value, causal(len(x))))
    return x + swiglu(p, "ffn", rms_norm(p, "ffn_norm", x))


def plain_block(p, x, seen, norm):
    query, key, value = linear(p, "attention.qkv", norm(p, "attention_norm", x)).chunk(3, -1)
    x = x + linear(p, "attention.out", attend(query, key, value, seen))
    return x + linear(p, "ffn.out", gelu(linear(p, "ffn.in", norm(p, "ffn_norm", x))))


def time_features(i, size):
    """Cosines, then sines."""
    angles = [i * 10000.0 ** (-2 * j / size) for j in range(size // 2)]
    return torch.tensor([math.cos(a) for a in angles] + [math.sin(a) for a in angles], dtype=torch.float64)


def time_embedding(p, i):
    return linear(p, "time.out", silu(linear(p, "time.in", time_features(i, TIME))))


def squared(difference):
    return (difference ** 2).sum(-1)


# Shapes

def map_of(name, outputs, inputs):
    yield name + ".weight", (outputs, inputs)
    yield name + ".bias", (outputs,)


def llama_shapes(name):
    yield name + ".attention_norm.weight", (HIDDEN,)
    yield name + ".ffn_norm.weight", (HIDDEN,)
    yield from map_of(name + ".attention.qkv", 3 * HIDDEN, HIDDEN)
    yield from map_of(name + ".attention.out", HIDDEN, HIDDEN)
    yield from map_of(name + ".ffn.in", 2 * FFN, HIDDEN)
    yield from map_of(name + ".ffn.out", HIDDEN, FFN)


def plain_shapes(name):
    yield name + ".attention_norm.weight", (HIDDEN,)
    yield name + ".ffn_norm.weight", (HIDDEN,)
    yield name + ".attention.qkv.weight", (3 * HIDDEN, HIDDEN)
    yield name + ".attention.out.weight", (HIDDEN, HIDDEN)
    yield from map_of(name + ".ffn.in", FFN, HIDDEN)
    yield from map_of(name + ".ffn.out", HIDDEN, FFN)


def denoiser_shapes(name):
    for norm in ("self", "cross", "ffn"):
        yield f"{name}.{norm}_norm.weight", (HIDDEN,)
    for square in ("self_value", "self_out", "cross_query"):
        yield from map_of(f"{name}.{square}", HIDDEN, HIDDEN)
    yield from map_of(name + ".cross_key_value", 2 * HIDDEN, HIDDEN)
    yield from map_of(name + ".cross_out", HIDDEN, HIDDEN)
    yield from map_of(name + ".ffn.in", 2 * FFN, HIDDEN)
    yield from map_of(name + ".ffn.out", HIDDEN, FFN)
    yield from map_of(name + ".modulation", 9 * HIDDEN, HIDDEN)


def time_shapes():
    yield from map_of("time.in", HIDDEN, TIME)
    yield from map_of("time.out", HIDDEN, HIDDEN)


def base_shapes():
    yield from map_of("input", HIDDEN, WIDTH)
    for i in range(LAYERS):
        yield from llama_shapes(f"block_{i}")
    yield "norm.weight", (HIDDEN,)
    yield from map_of("output", WIDTH, HIDDEN)


def two_tower_shapes():
    yield from map_of("context_input", HIDDEN, WIDTH)
    for i in range(LAYERS):
        yield from llama_shapes(f"context_{i}")
    yield "context_norm.weight", (HIDDEN,)
    yield from map_of("denoiser_input", HIDDEN, WIDTH)
    yield from time_shapes()
    for i in range(LAYERS):
        yield from denoiser_shapes(f"denoiser_{i}")
    yield "denoiser_norm.weight", (HIDDEN,)
    yield from map_of("output", WIDTH, HIDDEN)


def sequence_shapes(outputs, is_quantised):
    yield from map_of("input", HIDDEN, WIDTH + HIDDEN)
    if is_quantised:
        yield "steps.weight", (BOOKS + 1, HIDDEN)
    else:
        yield from time_shapes()
    yield "positions.weight", (SENTENCES, HIDDEN)
    for i in range(LAYERS):
        yield from plain_shapes(f"block_{i}")
    yield "norm.weight", (HIDDEN,)
    yield from map_of("output", outputs, HIDDEN)


def concept_shapes(slots):
    yield "embedding.weight", (VOCABULARY, HIDDEN)
    yield "positions.weight", (LENGTH, HIDDEN)
    for name in ("encoder", "decoder"):
        yield from plain_shapes(name + "_0")
        yield name + "_norm.weight", (HIDDEN,)
    yield from map_of("to_vector", WIDTH, slots * HIDDEN)
    yield from map_of("from_vector", slots * HIDDEN, WIDTH)


# Networks, of one document

def base(p, vectors):
    """[n, w] -> the prediction after each."""
    x = linear(p, "input", vectors)
    for i in range(LAYERS):
        x = llama_block(part(p, f"block_{i}."), x)
    return linear(p, "output", rms_norm(p, "norm", x))


def contextualised(p, vectors):
    """Keys [n + 1, H]: a zero vector, then the state after each vector."""
    x = linear(p, "context_input", vectors)
    for i in range(LAYERS):
        x = llama_block(part(p, f"context_{i}."), x)
    return torch.cat([torch.zeros(1, HIDDEN, dtype=torch.float64), rms_norm(p, "context_norm", x)])


def two_tower_mask(rows, keys, dropped):
    return [[j == 0 or (j <= n and not dropped[n]) for j in range(keys)] for n in range(rows)]


def denoiser_layer(p, x, keys, time, seen):
    m = linear(p, "modulation", silu(time)).chunk(9, -1)

    def gated(x, name, f, shift, scale, gate):
        return x + gate * f(rms_norm(p, name, x) * (1 + scale) + shift)

    def cross(h):
        key, value = linear(p, "cross_key_value", keys).chunk(2, -1)
        return linear(p, "cross_out", attend(linear(p, "cross_query", h), key, value, seen))

    x = gated(x, "self_norm", lambda h: linear(p, "self_out", linear(p, "self_value", h)), *m[:3])
    x = gated(x, "cross_norm", cross, *m[3:6])
    return gated(x, "ffn_norm", lambda h: swiglu(p, "ffn", h), *m[6:])


def two_tower(p, keys, noisy, steps, seen):
    """One row for each noisy vector."""
    time = torch.stack([time_embedding(p, i) for i in steps])
    x = linear(p, "denoiser_input", noisy)
    for i in range(LAYERS):
        x = denoiser_layer(part(p, f"denoiser_{i}."), x, keys, time, seen)
    return linear(p, "output", rms_norm(p, "denoiser_norm", x))


def mark(p, number):
    """[H] of an entry: 0 is clean; a noisy one has its step + 1, or the book it predicts."""
    return p["steps.weight"][number] if "steps.weight" in p else time_embedding(p, number)


def sequence(p, vectors, marks, positions, seen):
    """Output of every entry of a One-Tower or Quant sequence."""
    x = torch.stack([torch.cat([vector, mark(p, m)]) for vector, m in zip(vectors, marks)])
    x = linear(p, "input", x) + p["positions.weight"][positions]
    for i in range(LAYERS):
        x = plain_block(part(p, f"block_{i}."), x, seen, rms_norm)
    return linear(p, "output", rms_norm(p, "norm", x))


def one_tower_mask(count, dropped):
    """Rows and columns noisy_0, clean_0, noisy_1, …"""
    def is_seen(row, column):
        if row % 2 == 0:
            return row == column or (column % 2 == 1 and column < row and not dropped[row // 2])
        return column % 2 == 1 and column <= row

    return [[is_seen(row, column) for column in range(2 * count)] for row in range(2 * count)]


def interleaved(p, noisy, clean, marks, dropped):
    """Outputs of the noisy entries."""
    count = len(noisy)
    vectors = [vector for pair in zip(noisy, clean) for vector in pair]
    return sequence(p, vectors, [m for one in marks for m in (one, 0)], [n // 2 for n in range(2 * count)],
                    one_tower_mask(count, dropped))[::2]


def after(p, context, vector, number, is_conditional):
    """Output of one noisy entry after clean ones, which it sees or not."""
    n = len(context)
    seen = causal(n + 1)
    seen[n] = [is_conditional or j == n for j in range(n + 1)]
    return sequence(p, [*context, vector], [0] * n + [number], list(range(n + 1)), seen)[n]


# Residual quantisation

def nearest(centroids, x):
    distances = squared(centroids - x)
    first, second = torch.sort(distances)[0][:2]
    assert second - first > 1e-3, distances  # the same choice in every precision
    return int(distances.argmin())


def quantised(codebooks, x):
    """Codes, and the sums before the first book, after it, …"""
    codes, sums = [], [torch.zeros_like(x)]
    for centroids in codebooks:
        codes.append(nearest(centroids, x - sums[-1]))
        sums.append(sums[-1] + centroids[codes[-1]])
    return codes, sums


# Sentence autoencoder

def encode(p, form, ids):
    real = [token != PAD for token in ids]
    x = p["embedding.weight"][ids] * math.sqrt(HIDDEN) + p["positions.weight"][:len(ids)]
    x = plain_block(part(p, "encoder_0."), x, [real] * len(ids), layer_norm)
    x = layer_norm(p, "encoder_norm", x) * torch.tensor(real, dtype=torch.float64)[:, None]
    u = linear(p, "to_vector", x.flatten() if form == "slots" else x.sum(0) / sum(real))
    return u / torch.sqrt((u ** 2).mean() + 1e-6)


def decode(p, form, ids, vector):
    """Logits [L, V] of ids."""
    slots = linear(p, "from_vector", vector)
    slots = slots.reshape(LENGTH, HIDDEN) if form == "slots" else slots.expand(LENGTH, HIDDEN)
    x = p["embedding.weight"][[BEGIN] + ids[:-1]] * math.sqrt(HIDDEN) + p["positions.weight"] + slots
    x = plain_block(part(p, "decoder_0."), x, causal(LENGTH), layer_norm)
    return layer_norm(p, "decoder_norm", x) @ p["embedding.weight"].T


def cross_entropy(logits, choice):
    largest = logits.max()
    return largest + torch.log(torch.exp(logits - largest).sum()) - logits[choice]


# Diffusion

def cosine_betas(steps):
    def kept(t):
        return math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2

    return [min(1 - kept((i + 1) / steps) / kept(i / steps), 0.999) for i in range(steps)]


def kept_of(betas):
    """abar, rescaled so that the last is 0."""
    roots, product = [], 1.0
    for beta in betas:
        product *= 1 - beta
        roots.append(math.sqrt(product))
    first, last = roots[0], roots[-1]
    return [((root - last) * first / (first - last)) ** 2 for root in roots]


KEPT = kept_of(cosine_betas(T))


def clamped_snr(kept):
    return max(min(kept / (1 - kept), CLAMP[1]), CLAMP[0])


def noised(x, i, noise):
    return math.sqrt(KEPT[i]) * x + math.sqrt(1 - KEPT[i]) * noise


TARGETS = {"x0": lambda x, kept, noise: x,
           "epsilon": lambda x, kept, noise: noise,
           "v": lambda x, kept, noise: math.sqrt(kept) * noise - math.sqrt(1 - kept) * x}


def paper_steps(steps, count):
    """Descending, 0-based."""
    return [round(steps - j * steps / count) - 1 for j in range(count)]


def noise_of(x, x0, kept):
    return (x - math.sqrt(kept) * x0) / math.sqrt(1 - kept)


def deviation(x):
    return math.sqrt(float(((x - x.mean()) ** 2).sum()) / (len(x) - 1))


def guided(x, conditional, unconditional, kept, guidance, rescale):
    """x0, noise."""
    e, free = noise_of(x, conditional, kept), noise_of(x, unconditional, kept)
    g = free + guidance * (e - free)
    g = g * (rescale * deviation(e) / deviation(g) + 1 - rescale)
    return (x - math.sqrt(1 - kept) * g) / math.sqrt(kept), g


def ddim_step(x0, e, kept, following, scaling=1.0, eta=0.0, noise=0.0):
    variance = eta ** 2 * (1 - following) / (1 - kept) * (1 - kept / following)
    x = math.sqrt(following) * x0 + math.sqrt(1 - following - variance) * e / scaling + math.sqrt(variance) * noise
    return x.clamp(-100, 100)


def sample(predict, start, guidance, sigma, rescale, scaling, eta, noise, is_forced=False):
    """predict(x, i, is_conditional) -> x0; states and estimates. Guidance 1 asks for one branch unless forced."""
    x, states, estimates = (sigma * start).clamp(-100, 100), [], []
    steps = paper_steps(T, S)
    for number, i in enumerate(steps):
        kept, following = KEPT[i], KEPT[steps[number + 1]] if number + 1 < S else 1.0
        x0 = predict(x, i, True)
        e = noise_of(x, x0, kept)
        if kept > 0 and (guidance != 1 or is_forced):
            x0, e = guided(x, x0, predict(x, i, False), kept, guidance, rescale)
        x = ddim_step(x0, e, kept, following, scaling, eta, noise[number])
        states.append(x)
        estimates.append(x0)
    same(states[-1], estimates[-1], 1e-12)
    return torch.stack(states), torch.stack(estimates)


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


def official_layer_shapes():
    for attention in ("self_attn", "cross_attention"):
        for name in ("q", "k", "v", "output"):
            yield from map_of(f"{attention}.{name}_proj", 8, 8)
    for norm in ("self_attn", "cross_attention", "ffn"):
        yield norm + "_layer_norm.weight", (8,)
    yield from map_of("ffn.gate_proj", 12, 8)
    yield from map_of("ffn.inner_proj", 12, 8)
    yield from map_of("ffn.output_proj", 8, 12)
    yield from map_of("modulator.fc", 72, 8)


OURS = {"self_value": ["self_attn.v_proj"], "self_out": ["self_attn.output_proj"],
        "cross_query": ["cross_attention.q_proj"], "cross_out": ["cross_attention.output_proj"],
        "cross_key_value": ["cross_attention.k_proj", "cross_attention.v_proj"],
        "self_norm": ["self_attn_layer_norm"], "cross_norm": ["cross_attention_layer_norm"],
        "ffn_norm": ["ffn_layer_norm"], "ffn.in": ["ffn.gate_proj", "ffn.inner_proj"],
        "ffn.out": ["ffn.output_proj"], "modulation": ["modulator.fc"]}

J3_OUT = [
    [0.91197142527, 0.789338491758, 0.772405162393, 0.786832047772, -0.027919604548, -0.017483026756, 0.037143197205,
     -1.034467179729],
    [-0.441414940345, -1.525133721524, -2.292186049456, -0.67735092842, 0.836670144638, -0.534698409174,
     -1.870523431632, -1.615869566635],
    [-0.034403055049, 0.403401489279, 0.573329036755, 0.343451322314, 0.66985776675, 1.33961424741, 1.658612389544,
     1.224629937403]]

ALPHAS = {9: 0.985940859077, 24: 0.920293499659, 49: 0.702593604784, 74: 0.379525962451, 89: 0.154798594141, 99: 0.0}
BETA_ENDS = [0.000631281598342, 0.999]
CLAMPED = {-10: 0.001, -7: 0.001, -3: 0.049787068368, -1: 0.367879441171, 0: 1.0, 1: 2.718281828459,
           1.5: 4.481689070338, 2: 5.0, 3: 5.0}
PAPER_40 = [2, 5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30, 32, 35, 38, 40, 42, 45, 48, 50, 52, 55, 58, 60, 62, 65, 68, 70,
            72, 75, 78, 80, 82, 85, 88, 90, 92, 95, 98, 100]
DDIM_X, DDIM_X0, DDIM_FREE = [0.6, -0.3, 1.2, 0.0], [0.5, -0.1, 0.9, 0.2], [0.1, 0.0, 0.4, -0.2]
DDIM = [(99, 97, [0.0, 0.000941648500797], [0.6, -0.3, 1.2, 0.0],
         [0.614790833327, -0.302792472902, 1.226513037480, 0.006137258348]),
        (59, 57, [0.340570186698, 0.370413382560], [0.379541856563, -0.297568824129, 0.830948977025, -0.143730527796],
         [0.605325678290, -0.296865824141, 1.206786679911, 0.007729353339]),
        (1, -1, [0.998251936090, 1.0], [2.402237677946, -4.785652692088, 7.194164591302, -4.779378470820], DDIM_X0)]
GUIDED_NOISE = [-0.261220737763, -0.205679705669, 0.150138673574, -0.960828784429]
GUIDED_X0 = [1.391616560727, -0.227863050208, 1.847342661143, 1.336986371872]
GUIDED_NEXT = [0.639783775496, -0.301807317611, 1.243398410718, 0.051670200390]

MASK_3 = ["100000", "010000", "011000", "010100", "010110", "010101"]
MASK_3_DROP_2 = MASK_3[:4] + ["000010", "010101"]
MASK_5 = ["100000", "110000", "111000", "111100", "111110"]
MASK_5_DROP_1_3 = ["100000", "100000", "111000", "100000", "111110"]

RVQ_BOOKS = [[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]],
             [[0.25, 0.0], [0.0, 0.25], [-0.25, 0.0]]]
RVQ_SUMS = [[0.0, 0.0], [4.0, 0.0], [5.0, 0.0], [4.75, 0.0]]
FEATURES_OF_50 = {0: 0.964966028492, 1: -0.827987174034, 64: 0.877582561890, 128: -0.262374853704, 129: 0.560747037117}
TURNED = [-1.413352520780, 1.879118067, -2.828857481741, 4.058191135401]  # [1, 2, 3, 4] at position 3


def same(found, wanted, tolerance=1e-9):
    found, wanted = (torch.as_tensor(v, dtype=torch.float64) for v in (found, wanted))
    assert found.shape == wanted.shape and (found - wanted).abs().max() <= tolerance, (found, wanted)


def wave(f, step, *shape):
    return torch.tensor(f(step * np.arange(np.prod(shape))).reshape(shape))


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def pictured(mask):
    return ["".join("01"[is_seen] for is_seen in row) for row in mask]


def check():
    official = filled(official_layer_shapes())
    p = {f"{name}.{kind}": torch.cat([official[f"{source}.{kind}"] for source in sources])
         for name, sources in OURS.items() for kind in ("weight", "bias") if f"{sources[0]}.{kind}" in official}
    keys = torch.cat([torch.zeros(1, 8, dtype=torch.float64), wave(np.sin, 0.4, 2, 8)])
    same(denoiser_layer(p, wave(np.cos, 0.3, 3, 8), keys, wave(np.sin, 0.21, 3, 8), causal(3)), J3_OUT)

    betas = cosine_betas(T)
    same([betas[0], betas[-1]], BETA_ENDS, 1e-12)
    for i, alpha in ALPHAS.items():
        same(math.sqrt(KEPT[i]), alpha, 1e-12)
    for snr, weight in CLAMPED.items():
        same(clamped_snr(1 / (1 + math.exp(-snr))), weight, 1e-12)
    assert paper_steps(100, 40)[::-1] == [i - 1 for i in PAPER_40] and paper_steps(T, S) == [99, 79, 59, 39, 19]

    x, x0 = tensor(DDIM_X), tensor(DDIM_X0)
    for i, following, kept, e, wanted in DDIM:
        now, then = KEPT[i], KEPT[following] if following >= 0 else 1.0
        same([now, then], kept, 1e-12)
        same(noise_of(x, x0, now), e)
        same(ddim_step(x0, noise_of(x, x0, now), now, then, SCALING), wanted)
    found = guided(x, x0, tensor(DDIM_FREE), KEPT[59], 3, 0.7)
    same(found[0], GUIDED_X0)
    same(found[1], GUIDED_NOISE)
    same(ddim_step(*found, KEPT[59], KEPT[57], SCALING), GUIDED_NEXT)

    assert pictured(one_tower_mask(3, [False] * 3)) == MASK_3
    assert pictured(one_tower_mask(3, [False, False, True])) == MASK_3_DROP_2
    assert pictured(two_tower_mask(5, 6, [False] * 5)) == MASK_5
    assert pictured(two_tower_mask(5, 6, [False, True, False, True, False])) == MASK_5_DROP_1_3
    codes, sums = quantised(tensor(RVQ_BOOKS), tensor([4.6, -0.2]))
    assert codes == [1, 1, 2]
    same(torch.stack(sums), RVQ_SUMS)
    features = time_features(50, 256)
    for i, wanted in FEATURES_OF_50.items():
        same(features[i], wanted)
    same(rotary(tensor([1.0, 2.0, 3.0, 4.0]), 3), TURNED)


# The file

def weights(random, shapes):
    made = {}
    for name, shape in shapes:
        is_scale = len(shape) == 1 and name.endswith("weight")
        made[name] = np.round(random.normal(0, 0.35, shape) + (1.0 if is_scale else 0.0), 4)
    return made


def drawn(random, *shape):
    return torch.tensor(np.round(random.normal(0, 1, shape), 4))


def leaves(numbers):
    return {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in numbers.items()}


def rounded(values):
    if torch.is_tensor(values):
        values = values.tolist()
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.12g}")


def gradients(loss, p):
    """Of every parameter; autograd refuses one that the loss does not use."""
    grads = dict(zip(p, torch.autograd.grad(loss, list(p.values()), retain_graph=True)))
    return {"gradient_norms": {name: rounded(g.norm()) for name, g in grads.items()},
            "gradient_probes": {name: rounded((g.flatten() * wave(np.cos, 0.7, g.numel())).sum())
                                for name, g in grads.items()}}


def listed(weights):
    return {name: value.tolist() for name, value in weights.items()}


def changed_from(vectors, n):
    other = vectors.clone()
    other[n:] += 1.5
    return other


def base_part(vectors, random):
    numbers = weights(random, base_shapes())
    p = leaves(numbers)
    predictions = torch.stack([base(p, document[:-1]) for document in vectors])
    losses = squared(predictions - vectors[:, 1:])
    for document, found in zip(vectors, predictions):
        for n in range(1, SENTENCES):
            same(base(p, document[:n])[-1], found[n - 1], 1e-12)
            same(base(p, changed_from(document, n))[:n], found[:n], 1e-12)
    return {"weights": listed(numbers), "predictions": rounded(predictions), "losses": rounded(losses),
            "loss": rounded(losses.mean())} | gradients(losses.mean(), p) | {
                "next": rounded(base(p, vectors[0, :KNOWN])[-1])}


def two_tower_document(p, vectors, noisy, steps, dropped):
    keys = contextualised(p, vectors)
    return two_tower(p, keys, noisy, steps, two_tower_mask(len(vectors), len(keys), dropped))


def two_tower_after(p, context, x, i, is_conditional):
    keys = contextualised(p, context) if is_conditional else torch.zeros(1, HIDDEN, dtype=torch.float64)
    return two_tower(p, keys, x[None], [i], [[True] * len(keys)])[0]


def one_tower_document(p, vectors, noisy, steps, dropped):
    return interleaved(p, noisy, vectors, [i + 1 for i in steps], dropped)


def one_tower_after(p, context, x, i, is_conditional):
    return after(p, context, x, i + 1, is_conditional)


SAMPLERS = {  # guidance, sigma_init, rescale, epsilon scaling, eta
    "plain": (1.0, 1.0, 0.0, 1.0, 0.0),
    "guided": (1.5, 1.0, 0.7, 1.0, 0.0),
    "paper": (3.0, 0.6, 0.7, SCALING, 0.0),
    "eta": (1.5, 1.0, 0.7, 1.0, 0.5)}


@torch.no_grad()
def sampling_part(p, predict_after, context, random):
    start, noise = drawn(random, WIDTH), drawn(random, S, WIDTH)

    def predict(x, i, is_conditional):
        return predict_after(p, context, x, i, is_conditional)

    made = {"start": start.tolist(), "noise": noise.tolist(), "timesteps": paper_steps(T, S), "cases": {}}
    for name, (guidance, sigma, rescale, scaling, eta) in SAMPLERS.items():
        states, estimates = sample(predict, start, guidance, sigma, rescale, scaling, eta, noise)
        assert states.abs().max() < 100, states
        if guidance == 1:
            for share in (0.0, 0.7):
                forced = sample(predict, start, 1.0, sigma, share, scaling, eta, noise, is_forced=True)
                same(forced[0], states, 1e-10)
        made["cases"][name] = {"guidance": guidance, "sigma_init": sigma, "rescale": rescale,
                               "epsilon_scaling": scaling, "eta": eta, "states": rounded(states),
                               "estimates": rounded(estimates), "result": rounded(estimates[-1])}
    same(made["cases"]["plain"]["estimates"][0], made["cases"]["guided"]["estimates"][0], 0)
    return made


def diffusion_part(shapes, predict_document, predict_after, vectors, random):
    numbers = weights(random, shapes)
    noise = drawn(random, DOCUMENTS, SENTENCES, WIDTH)
    steps = random.integers(0, T, (DOCUMENTS, SENTENCES))
    steps[0, 1], steps[1, 3] = 0, T - 1
    steps = steps.tolist()
    dropped = [[False, False, True, False], [False, True, False, False]]
    noisy = torch.stack([torch.stack([noised(vectors[d, n], steps[d][n], noise[d, n]) for n in range(SENTENCES)])
                         for d in range(DOCUMENTS)])
    cases = {}
    for name in ("x0", "x0_clamped_snr", "epsilon", "v"):
        kind, is_clamped = name.removesuffix("_clamped_snr"), name.endswith("_clamped_snr")
        p, losses = leaves(numbers), []
        predictions = torch.stack([predict_document(p, *row) for row in zip(vectors, noisy, steps, dropped)])
        for d in range(DOCUMENTS):
            for n in range(SENTENCES):
                kept = KEPT[steps[d][n]]
                wanted = TARGETS[kind](vectors[d, n], kept, noise[d, n])
                losses.append((clamped_snr(kept) if is_clamped else 1.0) * squared(predictions[d, n] - wanted))
        losses = torch.stack(losses).reshape(DOCUMENTS, SENTENCES)
        cases[name] = {"target": kind, "weight": "clamped_snr" if is_clamped else "none",
                       "predictions": rounded(predictions), "losses": rounded(losses),
                       "loss": rounded(losses.mean())} | gradients(losses.mean(), p)

    with torch.no_grad():
        for d, document in enumerate(vectors):
            for n in range(SENTENCES):
                one = predict_after(p, document[:n], noisy[d, n], steps[d][n], n > 0 and not dropped[d][n])
                same(one, predictions[d, n], 1e-12)
                other = predict_document(p, changed_from(document, n), noisy[d], steps[d], dropped[d])
                same(other[:n + 1], predictions[d, :n + 1], 1e-12)
                if n + 1 < SENTENCES and not dropped[d][n + 1]:
                    assert (other[n + 1] - predictions[d, n + 1]).abs().max() > 1e-4
                elif n + 1 < SENTENCES:
                    same(other[n + 1], predictions[d, n + 1], 1e-12)
                alone = noisy[d].clone()
                alone[n] += 1.5  # a noisy vector is seen by itself only
                other = predict_document(p, document, alone, steps[d], dropped[d])
                same(torch.cat([other[:n], other[n + 1:]]),
                     torch.cat([predictions[d, :n], predictions[d, n + 1:]]), 1e-12)
    return {"weights": listed(numbers), "t": steps, "noise": noise.tolist(), "dropped": dropped,
            "noisy": rounded(noisy), "cases": cases,
            "sampling": sampling_part(p, predict_after, vectors[0, :KNOWN], random)}


@torch.no_grad()
def quant_sampling(p, form, codebooks, context, guidance):
    def guided_after(x, k, guidance):
        conditional = after(p, context, x, k, True)
        if guidance == 1:
            return conditional
        free = after(p, context, x, k, False)
        return free + guidance * (conditional - free)

    total, made = torch.zeros(WIDTH, dtype=torch.float64), {"guidance": guidance, "outputs": [], "codes": [],
                                                           "vectors": []}
    for k, centroids in enumerate(codebooks, 1):
        output = guided_after(total, k, guidance)
        if form == "c":
            choice = nearest(centroids, output - total)
        else:
            choice = int(output.argmax())
            first, second = torch.sort(output, descending=True)[0][:2]
            assert first - second > 1e-3, output
        total = total + centroids[choice]
        made["outputs"].append(rounded(output))
        made["codes"].append(choice)
        made["vectors"].append(rounded(total))
    return made


def quant_part(form, vectors, codebooks, random):
    numbers = weights(random, sequence_shapes(WIDTH if form == "c" else CENTROIDS, True))
    p = leaves(numbers)
    books = [[2, 3, 1, 3], [1, 2, 3, 2]]
    dropped = [[False, False, False, True], [False, True, False, False]]
    coded = [[quantised(codebooks, x) for x in document] for document in vectors]
    noisy = [torch.stack([sums[k - 1] for (_, sums), k in zip(row, ks)]) for row, ks in zip(coded, books)]
    outputs, losses = torch.stack([interleaved(p, *row) for row in zip(noisy, vectors, books, dropped)]), []
    for d in range(DOCUMENTS):
        for n in range(SENTENCES):
            choice = coded[d][n][0][books[d][n] - 1]
            losses.append(squared(outputs[d, n] - vectors[d, n]) if form == "c"
                          else cross_entropy(outputs[d, n], choice))
            same(after(p, vectors[d, :n], noisy[d][n], books[d][n], not dropped[d][n]), outputs[d, n], 1e-12)
            other = interleaved(p, noisy[d], changed_from(vectors[d], n), books[d], dropped[d])
            same(other[:n + 1], outputs[d, :n + 1], 1e-12)
    losses = torch.stack(losses).reshape(DOCUMENTS, SENTENCES)
    context = vectors[0, :KNOWN]
    free, sampled = (quant_sampling(p, form, codebooks, context, s) for s in (1, 3 if form == "c" else 2))
    assert free["codes"] != sampled["codes"]
    return {"weights": listed(numbers), "k": books, "dropped": dropped,
            "predictions" if form == "c" else "logits": rounded(outputs), "losses": rounded(losses),
            "loss": rounded(losses.mean())} | gradients(losses.mean(), p) | {
                "sampling": sampled, "unguided_sampling": free}


def concept_part(form, ids, noise, random):
    numbers = weights(random, concept_shapes(LENGTH if form == "slots" else 1))
    p = leaves(numbers)
    vectors = torch.stack([encode(p, form, row) for row in ids])
    read = vectors + SIGMA * noise
    logits = torch.stack([decode(p, form, row, vector) for row, vector in zip(ids, read)])
    terms = [cross_entropy(logits[r, n], token) for r, row in enumerate(ids) for n, token in enumerate(row)
             if token != PAD]
    loss = torch.stack(terms).mean()
    for r, row in enumerate(ids):
        if form == "mean":
            same(encode(p, form, [token for token in row if token != PAD]), vectors[r], 1e-12)
        for n in range(LENGTH):
            other = row[:n] + [3 + (token + 1) % 6 for token in row[n:]]
            same(decode(p, form, other, read[r])[:n + 1], logits[r, :n + 1], 1e-12)
    return {"weights": listed(numbers), "ids": ids, "sigma": SIGMA, "noise": noise.tolist(),
            "vectors": rounded(vectors), "logits": rounded(logits), "loss": rounded(loss)} | gradients(loss, p)


@torch.no_grad()
def fragility_part(form, ids, random):
    """The share of tokens that are not the likeliest from sqrt(1 - a) x + sqrt(a) e, brought back to raw vectors."""
    numbers = weights(random, concept_shapes(LENGTH))
    p = leaves(numbers)
    center, scale = drawn(random, WIDTH), 1 + drawn(random, WIDTH).abs()
    draws = [{"variance": [0.1, 0.4, 0.9, 0.3], "noise": drawn(random, len(ids), WIDTH)},
             {"variance": [0.8, 0.2, 0.5, 0.6], "noise": drawn(random, len(ids), WIDTH)}]
    normalised = torch.stack([(encode(p, form, row) - center) / scale for row in ids])
    wrong = torch.zeros(len(ids), dtype=torch.float64)
    for draw in draws:
        for r, row in enumerate(ids):
            a = draw["variance"][r]
            vector = center + scale * (math.sqrt(1 - a) * normalised[r] + math.sqrt(a) * draw["noise"][r])
            real = [n for n, token in enumerate(row) if token != PAD]
            for n, scores in zip(real, decode(p, form, row, vector)[real]):
                first, second = torch.sort(scores, descending=True)[0][:2]
                assert first - second > 1e-5, scores
                wrong[r] += (int(scores.argmax()) != row[n]) / len(real) / len(draws)
    assert 0 < wrong.min() < wrong.max() <= 1, wrong
    return {"weights": listed(numbers), "ids": ids, "center": center.tolist(), "scale": scale.tolist(),
            "normalised": rounded(normalised),
            "draws": [{"variance": d["variance"], "noise": d["noise"].tolist()} for d in draws],
            "fragility": rounded(wrong), "loss_weight": rounded(1 / (1 + torch.exp(4 * wrong - 3.5)))}


def main():
    torch.set_num_threads(1)
    check()
    random = np.random.default_rng(SEED)
    vectors = drawn(random, DOCUMENTS, SENTENCES, WIDTH)
    codebooks = torch.stack([torch.round(drawn(random, CENTROIDS, WIDTH) * size, decimals=4)
                             for size in (0.9, 0.6, 0.4)])
    ids = [[4, 7, 5, 3, END], [8, 3, END, PAD, PAD], [6, END, PAD, PAD, PAD], [3, 8, 8, END, PAD]]
    noise = drawn(random, len(ids), WIDTH)
    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"documents": DOCUMENTS, "sentences": SENTENCES, "width": WIDTH, "hidden": HIDDEN, "heads": HEADS,
                  "ffn": FFN, "layers": LAYERS, "context_layers": LAYERS, "denoiser_layers": LAYERS, "steps": T,
                  "sampling_steps": S, "time_features": TIME, "books": BOOKS, "centroids": CENTROIDS,
                  "vocabulary": VOCABULARY, "length": LENGTH, "known": KNOWN, "norm_epsilon": EPSILON,
                  "snr_clamp": CLAMP},
        "vectors": vectors.tolist(), "codebooks": codebooks.tolist(),
        "codes": [[quantised(codebooks, x)[0] for x in document] for document in vectors],
        "base": base_part(vectors, random),
        "two_tower": diffusion_part(two_tower_shapes(), two_tower_document, two_tower_after, vectors, random),
        "one_tower": diffusion_part(sequence_shapes(WIDTH, False), one_tower_document, one_tower_after, vectors,
                                    random),
        "quant_c": quant_part("c", vectors, codebooks, random),
        "quant_d": quant_part("d", vectors, codebooks, random),
        "concept_slots": concept_part("slots", ids, noise, random),
        "concept_mean": concept_part("mean", ids, noise, random),
        "fragility": fragility_part("slots", ids, random),
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
