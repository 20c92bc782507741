#!/usr/bin/env python3
"""Writes diffusia.json: DiffuSIA, DiffuED and DiffuSeq in float64: losses, gradients, samples; and their step sampler.

    pip install torch numpy
    python3 diffusia.py > diffusia.json

The networks from their definition (Tan et al. 2023; DiffuSeq, Gong et al. 2023), tiny: LayerNorm, attention, GELU,
sinusoid, schedule, losses and samplers are written out, sentence by sentence; torch gives the gradients only. Weights
and noise have four decimals, so that the file holds them exactly. Before writing, the same functions must give the
known numbers below (SCHEDULE_2000 to TOY_…), and each network and sampler must hold its own laws.

Axes: sentence, position, then channels. Step t is 0 to T - 1, already noised at 0; a network sees 1000 t / T.
"condition" and "target" are ids, 1 is padding. Padding of the condition is never a key; padding of the target is a
word like any other, unless "mask_target_pad": then it is no key and counts in no loss. Padding is a query all the same.
"weights" has the parameters by set; a case names its set and has those of its layers and options ("gradient_norms" of
its last step lists them).

cases.*: "network": "ed" (DiffuED), "sia" (DiffuSIA), "without_si" (all of the encoder reads x^0, all of the decoder
the last c) or "diffuseq" (one tower over the condition, then the target from row condition_length of one position
table; the condition has clean embeddings of the target's table, no noise, no estimate, but the time).
"self_conditioning": "none", "A" (x_t + estimate), "C" (mix of [x_t, estimate]) or "fused" ([x_t, estimate] itself).
"shared_embeddings": the condition's embedding is condition_projection of the target's.
"noise_factor" multiplies the noise of x_t only. x0 = embedding + sqrt(1 - abar_0) x0_noise,
x_t = sqrt(abar_t) x0 + factor sqrt(1 - abar_t) noise. "importance": weight of each sentence.
"first": estimate 0; "self_conditioned": the estimate is the "prediction" of "first", a constant. Of each:
"logits" are prediction E^T + rounding_bias, "rounding_nll" their cross-entropy by position. "condition_states" are
c^0, c^1, … (in "self_conditioned" only where they differ), "target_states" x^0, x^1, … (of DiffuSeq the whole row; in
"first" only).
"mse", "rounding", "prior" by sentence, means over positions (and channels): (x0 - prediction)^2, at t = 0 (embedding -
prediction)^2; cross-entropy of the words at x0, noise included; abar_{T-1} x0^2. "losses" are their sums.
"loss": "code", or "equation_3", the paper's: "mse" and "rounding" are sums over positions and channels, "losses" are
T mse + rounding (one step stands for the sum over all; times the importance its mean is the sum), no prior.
"length": cross-entropy of class (target - condition + classes / 2, words without padding) at length_head of the mean
of c^Le (DiffuED), c^0 (the others), padding left out. "batch_loss" = mean(importance losses) + length_weight
mean(length). "gradient_probes" are sum_k gradient_k cos(0.7 k), k row-major: they see a transposed gradient.

diffusion: "schedule" of T = 50: c1, c2 of the posterior mean c1 x0 + c2 x_t. "large" and "posterior" are variances;
index 0 of both is the posterior variance of index 1 (0 if there is none), and no step from index 0 has noise.
"chains": kept indices k of [0, T - 1], equally spaced, halves to even; one step keeps T - 1.
"moves" from t to another step, -1: no noise. "multistep": weight 1 / (2 r), estimate x0 + weight (x0 - previous_x0).
"nearest": id of the row of least distance, the lowest of several.
sampling.*, of the case's network, from the noisiest kept index down: "estimates" are the network's; with "clamp" the
rows "nearest" to them replace them; "feed": what the next pass is conditioned on; "states" x after the step;
noise[i] belongs to step i (DDPM; the last has no effect). DPM-Solver++ takes its last step, to x0, at first order, and
the one before too if "lower_order_final". "tokens": argmax of the last state's logits.

step_sampler: "updates" [t, loss] in order; T / buckets neighbouring steps share a history of the last losses. Until
every history is full: 1 / T, weight 1. Then q = root mean square of a history, p of a bucket 0.999 q / sum q + 0.001 /
buckets, of a step that / its steps in the bucket; weight 1 / (T p). "filled": share of all entries. "draws" [u, t]:
the first t whose cumulated p exceeds u, at the last point.
"reference": after 1000 updates of s = (1664525 s + 1013904223) mod 2^32, s = 1 before the first; for each update two
values v = s >> 16 are drawn: t = v mod T, loss = (v + 1) / 65536.
"""
import json
import math
import platform
import sys
from fractions import Fraction

import numpy as np
import torch

SEED = 25
VOCABULARY, HIDDEN, LATENT, HEADS, FFN = 11, 8, 6, 2, 12
TIME, TIME_INNER, CLASSES = 6, 24, 8
CONDITION_LENGTH, TARGET_LENGTH = 5, 4
T, STEPS = 50, 5
BEGIN, PAD, END = 0, 1, 2
EPSILON = 1e-12  # of every norm
CONDITION = [[BEGIN, 5, 9, 4, END], [BEGIN, 7, END, PAD, PAD]]
TARGET = [[BEGIN, 6, 10, END], [BEGIN, 8, END, PAD]]


# Parts. A part's parameters are a dict without the part's prefix.

def part(p, prefix):
    return {name[len(prefix):]: value for name, value in p.items() if name.startswith(prefix)}


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def silu(x):
    return x / (1 + torch.exp(-x))


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def mlp(p, name, activation, x):
    return linear(p, name + ".out", activation(linear(p, name + ".in", x)))


def layer_norm(p, name, x):
    centred = x - x.mean(-1, keepdim=True)
    scaled = centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + EPSILON)
    return scaled * p[name + ".weight"] + p[name + ".bias"]


def attend(query, key, value):
    """[Q, H], [K, H], [K, H] -> [Q, H]."""
    found = []
    for q, k, v in zip(query.chunk(HEADS, -1), key.chunk(HEADS, -1), value.chunk(HEADS, -1)):
        scores = q @ k.T / math.sqrt(k.shape[-1])
        weights = torch.exp(scores - scores.max(-1, keepdim=True).values)
        found.append(weights / weights.sum(-1, keepdim=True) @ v)
    return torch.cat(found, -1)


def self_attention(p, x, keys):
    query, key, value = linear(p, "attention.qkv", x).chunk(3, -1)
    return linear(p, "attention.out", attend(query, key[keys], value[keys]))


def cross_attention(p, x, read, keys):
    key, value = linear(p, "cross.key_value", read[keys]).chunk(2, -1)
    return linear(p, "cross.out", attend(linear(p, "cross.query", x), key, value))


def plain_layer(p, x, keys):
    """BERT's."""
    x = layer_norm(p, "attention_norm", x + self_attention(p, x, keys))
    return layer_norm(p, "ffn_norm", x + mlp(p, "ffn", gelu, x))


def crossing_layer(p, x, keys, read, read_keys):
    x = layer_norm(p, "attention_norm", x + self_attention(p, x, keys))
    x = layer_norm(p, "cross_norm", x + cross_attention(p, x, read, read_keys))
    return layer_norm(p, "ffn_norm", x + mlp(p, "ffn", gelu, x))


def time_features(time, size):
    """Cosines, then sines."""
    angles = [time * 10000.0 ** (-2 * j / size) for j in range(size // 2)]
    return torch.tensor([math.cos(a) for a in angles] + [math.sin(a) for a in angles], dtype=torch.float64)


def time_vector(p, t):
    return mlp(p, "time_projection", silu, time_features(1000 * t / T, TIME))


def cross_entropy(logits, choice):
    largest = logits.max()
    return largest + torch.log(torch.exp(logits - largest).sum()) - logits[choice]


def real(ids):
    return [n for n, token in enumerate(ids) if token != PAD]


# Shapes

def map_of(name, outputs, inputs):
    yield name + ".weight", (outputs, inputs)
    yield name + ".bias", (outputs,)


def mlp_shapes(name, widths):
    yield from map_of(name + ".in", widths[1], widths[0])
    yield from map_of(name + ".out", widths[2], widths[1])


def norm_shapes(name):
    yield name + ".weight", (HIDDEN,)
    yield name + ".bias", (HIDDEN,)


def layer_shapes(name, is_crossing):
    yield from map_of(name + ".attention.qkv", 3 * HIDDEN, HIDDEN)
    yield from map_of(name + ".attention.out", HIDDEN, HIDDEN)
    if is_crossing:
        yield from map_of(name + ".cross.query", HIDDEN, HIDDEN)
        yield from map_of(name + ".cross.key_value", 2 * HIDDEN, HIDDEN)
        yield from map_of(name + ".cross.out", HIDDEN, HIDDEN)
        yield from norm_shapes(name + ".cross_norm")
    yield from mlp_shapes(name + ".ffn", (HIDDEN, FFN, HIDDEN))
    yield from norm_shapes(name + ".attention_norm")
    yield from norm_shapes(name + ".ffn_norm")


def condition_shapes(case):
    if case["shared_embeddings"]:
        yield from map_of("condition_projection", HIDDEN, LATENT)
    else:
        yield "condition_embedding.weight", (VOCABULARY, HIDDEN)
    yield "condition_positions.weight", (CONDITION_LENGTH, HIDDEN)
    yield from norm_shapes("condition_norm")


def target_shapes(case, rows):
    form = case["self_conditioning"]
    yield "target_embedding.weight", (VOCABULARY, LATENT)
    yield "rounding_bias", (VOCABULARY,)
    yield "target_positions.weight", (rows, HIDDEN)
    if form == "C":
        yield from map_of("mix", LATENT, 2 * LATENT)
    yield from mlp_shapes("input_projection", ((2 if form == "fused" else 1) * LATENT, HIDDEN, HIDDEN))
    yield from mlp_shapes("time_projection", (TIME, TIME_INNER, HIDDEN))
    yield from norm_shapes("target_norm")
    yield from mlp_shapes("output_projection", (HIDDEN, HIDDEN, LATENT))


def shapes(case):
    network = case["network"]
    if network == "diffuseq":
        yield from target_shapes(case, CONDITION_LENGTH + TARGET_LENGTH)
    else:
        yield from condition_shapes(case)
        yield from target_shapes(case, TARGET_LENGTH)
    for i in range(case["encoder_layers"]):
        yield from layer_shapes(f"encoder_layer_{i}", network in ("sia", "without_si"))
    for i in range(case["decoder_layers"]):
        yield from layer_shapes(f"decoder_layer_{i}", True)
    if case["length_weight"] > 0:
        yield "length_head.weight", (CLASSES, HIDDEN)


# Networks, of one sentence

def calls(network, encoder_layers, decoder_layers):
    """[kind, layer, its own state, the state it reads] in turn: E reads nothing, C an x, D a c."""
    encoder = range(encoder_layers)
    if network == "ed":
        made = [("E", m, m, None) for m in encoder]
        return made + [("D", j, j, encoder_layers) for j in range(decoder_layers)]
    if network == "without_si":
        made = [("C", m, m, 0) for m in encoder]
        return made + [("D", j, j, encoder_layers) for j in range(decoder_layers)]
    first = max(0, encoder_layers - decoder_layers)
    made = [("C", m, m, 0) for m in range(first)]
    for j in range(decoder_layers):
        m = first + j
        if m < encoder_layers:
            made.append(("C", m, m, j))
        made.append(("D", j, j, min(m + 1, encoder_layers)))
    return made


def conditioned(p, form, x_t, estimate):
    """The input of the projection."""
    if form == "none":
        return x_t
    if form == "A":
        return x_t + estimate
    both = torch.cat([x_t, estimate], -1)
    return linear(p, "mix", both) if form == "C" else both


def condition_input(p, ids):
    if "condition_embedding.weight" in p:
        table = p["condition_embedding.weight"]
    else:
        table = linear(p, "condition_projection", p["target_embedding.weight"])
    return layer_norm(p, "condition_norm", table[ids] + p["condition_positions.weight"][:len(ids)])


def target_input(p, form, x_t, estimate, t):
    x = mlp(p, "input_projection", torch.tanh, conditioned(p, form, x_t, estimate))
    return layer_norm(p, "target_norm", x + p["target_positions.weight"][:len(x)] + time_vector(p, t))


def estimate_of(p, states):
    return mlp(p, "output_projection", torch.tanh, states)


def target_keys(case, target):
    return real(target) if case["mask_target_pad"] else list(range(len(target)))


def diffuseq(p, case, condition, target, x_t, estimate, t):
    count = len(condition)
    clean = p["target_embedding.weight"][condition]
    states = [target_input(p, case["self_conditioning"], torch.cat([clean, x_t]),
                           torch.cat([torch.zeros_like(clean), estimate]), t)]
    keys = real(condition) + [count + n for n in target_keys(case, target)]
    for i in range(case["encoder_layers"]):
        states.append(plain_layer(part(p, f"encoder_layer_{i}."), states[-1], keys))
    return estimate_of(p, states[-1][count:]), [], states


def predict(p, case, condition, target, x_t, estimate, t):
    """x0, condition states, target states. Of the target only its padding is read."""
    if case["network"] == "diffuseq":
        return diffuseq(p, case, condition, target, x_t, estimate, t)
    c, x = [condition_input(p, condition)], [target_input(p, case["self_conditioning"], x_t, estimate, t)]
    c_keys, x_keys = real(condition), target_keys(case, target)
    for kind, layer, own, read in calls(case["network"], case["encoder_layers"], case["decoder_layers"]):
        assert own == len(x if kind == "D" else c) - 1
        if kind == "E":
            c.append(plain_layer(part(p, f"encoder_layer_{layer}."), c[own], c_keys))
        elif kind == "C":
            c.append(crossing_layer(part(p, f"encoder_layer_{layer}."), c[own], c_keys, x[read], x_keys))
        else:
            x.append(crossing_layer(part(p, f"decoder_layer_{layer}."), x[own], x_keys, c[read], c_keys))
    return estimate_of(p, x[-1]), c, x


def logits_of(p, x):
    return x @ p["target_embedding.weight"].T + p["rounding_bias"]


# Diffusion

def sqrt_betas(steps):
    def kept(s):
        return 1 - math.sqrt(s + 1e-4)

    return [min(1 - kept((i + 1) / steps) / kept(i / steps), 0.999) for i in range(steps)]


def bars_of(betas):
    bars, product = [], 1.0
    for beta in betas:
        product *= 1 - beta
        bars.append(product)
    return bars


BETAS = sqrt_betas(T)
BARS = bars_of(BETAS)


def kept_steps(steps, count):
    if count == 1:
        return [steps - 1]
    return [round(Fraction(k * (steps - 1), count - 1)) for k in range(count)]


def step_of(t, bar, previous_bar):
    beta = 1 - bar / previous_bar
    return {"t": t, "model_time": 1000 * t / T, "beta": beta, "alpha_bar": bar, "previous_alpha_bar": previous_bar,
            "c1": beta * math.sqrt(previous_bar) / (1 - bar),
            "c2": (1 - previous_bar) * math.sqrt(1 - beta) / (1 - bar),
            "large": beta, "posterior": beta * (1 - previous_bar) / (1 - bar)}


def chain(bars, steps):
    """Cleanest first."""
    made = [step_of(t, bars[t], bars[steps[k - 1]] if k else 1.0) for k, t in enumerate(steps)]
    replaced = made[1]["posterior"] if len(made) > 1 else 0.0
    made[0] |= {"large": replaced, "posterior": replaced}
    return made


def noise_of(x, x0, bar):
    return (x - math.sqrt(bar) * x0) / math.sqrt(1 - bar)


def ddim(x, x0, bar, following, eta=0.0, noise=0.0):
    variance = eta ** 2 * (1 - following) / (1 - bar) * (1 - bar / following)
    mean = math.sqrt(following) * x0 + math.sqrt(1 - following - variance) * noise_of(x, x0, bar)
    return mean + math.sqrt(variance) * noise


def half_log_snr(bar):
    return math.log(math.sqrt(bar) / math.sqrt(1 - bar))


def multistep_weight(before, now, following):
    """1 / (2 r)."""
    r = (half_log_snr(now) - half_log_snr(before)) / (half_log_snr(following) - half_log_snr(now))
    return 1 / (2 * r)


def dpm(x, estimate, now, following):
    """Data prediction; `following` has noise."""
    h = half_log_snr(following) - half_log_snr(now)
    return math.sqrt((1 - following) / (1 - now)) * x - math.sqrt(following) * math.expm1(-h) * estimate


def squared(difference):
    return (difference ** 2).sum(-1)


def nearest(table, rows, is_unique=True):
    ids = []
    for row in rows:
        distances = squared(table - row)
        least, second = torch.sort(distances).values[:2]
        assert not is_unique or second - least > 1e-3, distances  # the same choice in every precision
        ids.append(int((distances == least).nonzero()[0]))
    return ids


def largest(rows):
    first, second = torch.sort(rows, descending=True).values[:, :2].T
    assert (first - second).min() > 1e-3, rows
    return rows.argmax(-1).tolist()


RUNS = {  # kind, variance, clamp, feed, lower_order_final
    "ddpm": ("ddpm", "posterior", True, "raw", False),
    "ddpm_large": ("ddpm", "large", True, "clamped", False),
    "ddim": ("ddim", None, False, "raw", False),
    "ddim_clamped": ("ddim", None, True, "raw", False),
    "dpm": ("dpm", None, False, "raw", False),
    "dpm_clamped": ("dpm", None, True, "clamped", False),
    "dpm_lower_order_final": ("dpm", None, False, "raw", True)}
SAMPLED = {"ed": list(RUNS), "sia_equal": ["ddpm", "ddpm_large", "ddim", "dpm", "dpm_lower_order_final"]}


def move(run, steps, k, x, x0, last, noise):
    """State after step k of the chain; last: the estimate used before, None at the start."""
    kind, variance, _, _, is_lower = run
    now = steps[k]
    bar, following = now["alpha_bar"], now["previous_alpha_bar"]
    if kind == "ddpm":
        return now["c1"] * x0 + now["c2"] * x + (math.sqrt(now[variance]) * noise if k > 0 else 0)
    if kind == "ddim":
        return ddim(x, x0, bar, following)
    if k == 0:
        return x0
    if last is not None and not (is_lower and k == 1):
        x0 = x0 + multistep_weight(steps[k + 1]["alpha_bar"], bar, following) * (x0 - last)
    return dpm(x, x0, bar, following)


def sample(denoise, table, start, noise, run, steps):
    """denoise(x, estimate, t) -> x0; states, estimates, nearest ids, of one sentence."""
    _, _, is_clamped, feed, _ = run
    x, fed, last, states, estimates, ids = start, torch.zeros_like(start), None, [], [], []
    for number, k in enumerate(reversed(range(len(steps)))):
        raw = x0 = denoise(x, fed, steps[k]["t"])
        if is_clamped:
            ids.append(nearest(table, raw))
            x0 = table[ids[-1]]
        x = move(run, steps, k, x, x0, last, noise[number])
        fed, last = (x0 if feed == "clamped" else raw), x0
        states.append(x)
        estimates.append(raw)
    same(states[-1], x0, 1e-12)
    return torch.stack(states), torch.stack(estimates), ids


# Losses

def noised(x0, t, noise, factor, bars):
    return math.sqrt(bars[t]) * x0 + factor * math.sqrt(1 - bars[t]) * noise


def start_of(p, ids, noise, bars):
    return p["target_embedding.weight"][ids] + math.sqrt(1 - bars[0]) * noise


def loss_parts(p, kind, ids, counted, t, x0, prediction, bars):
    """Of one sentence; `counted` positions."""
    wanted = p["target_embedding.weight"][ids] if t == 0 else x0
    errors = ((wanted - prediction)[counted]) ** 2
    words = logits_of(p, x0)
    entropies = torch.stack([cross_entropy(words[n], ids[n]) for n in counted])
    if kind == "equation_3":
        return {"mse": errors.sum(), "rounding": entropies.sum()}
    return {"mse": errors.mean(), "rounding": entropies.mean(), "prior": (bars[-1] * x0[counted] ** 2).mean()}


def total(kind, parts, steps):
    return steps * parts["mse"] + parts["rounding"] if kind == "equation_3" else sum(parts.values())


def length_class(target, condition, classes):
    return min(max(target - condition + classes // 2, 0), classes - 1)


def length_loss(p, case, condition, target, states):
    words = real(condition)
    mean = states[-1 if case["network"] == "ed" else 0][words].mean(0)
    return cross_entropy(mean @ p["length_head.weight"].T, length_class(len(real(target)), len(words), CLASSES))


# Step sampler: a history for each bucket of neighbouring steps

UNIFORM_SHARE = 0.001


def new_histories(buckets):
    return [[] for _ in range(buckets)]


def push(histories, steps, size, t, loss):
    history = histories[t // (steps // len(histories))]
    history.append(loss)
    del history[:-size]


def is_warm(histories, size):
    return all(len(history) == size for history in histories)


def step_probabilities(histories, steps, size):
    if not is_warm(histories, size):
        return [1 / steps] * steps
    q = [math.sqrt(sum(loss ** 2 for loss in history) / size) for history in histories]
    buckets, width = len(histories), steps // len(histories)
    return [((1 - UNIFORM_SHARE) * q[t // width] / sum(q) + UNIFORM_SHARE / buckets) / width for t in range(steps)]


def weights_of(probabilities):
    return [1 / (len(probabilities) * p) for p in probabilities]


def drawn_step(probabilities, u):
    cumulated = 0.0
    for t, p in enumerate(probabilities):
        cumulated += p
        assert abs(cumulated - u) > 1e-4, (cumulated, u)
        if cumulated > u:
            return t
    return len(probabilities) - 1


# Numbers known from elsewhere

SCHEDULE_2000 = {  # t: beta, abar, sqrt(1 - abar), c1, c2
    0: (0.01464131053, 0.9853586895, 0.1210012832, 1, 0),
    1: (0.008889087769, 0.9765997496, 0.1529714039, 0.3770803182, 0.6229032200),
    10: (0.003681796298, 0.9345119720, 0.2559062876, 0.0544491677, 0.9455213071),
    100: (0.001435439592, 0.7828844065, 0.4659566434, 0.005854026064, 0.994102336),
    500: (0.0009995007389, 0.5044448076, 0.7039568114, 0.001433227274, 0.9984821854),
    1000: (0.001206975928, 0.2954233151, 0.8393906629, 0.0009316546893, 0.9988899489),
    1500: (0.00215512668, 0.1349780357, 0.9300655699, 0.0009163169179, 0.9985852065),
    1900: (0.01014858661, 0.02526547535, 0.9872864451, 0.001663404785, 0.9946483666),
    1998: (0.5556111347, 2.020404081e-4, 0.9998989747, 0.01184939641, 0.6664565526),
    1999: (0.999, 2.020404081e-7, 0.9999998990, 0.01419988066, 0.03161639391)}
KEPT_2000 = {5: [0, 500, 1000, 1499, 1999], 10: [0, 222, 444, 666, 888, 1111, 1333, 1555, 1777, 1999]}
FEATURES = {0: [1, 1, 1, 1, 0, 0, 0, 0],
            1: [0.54030231, 0.99500417, 0.99995000, 0.99999950, 0.84147098, 0.09983342, 0.00999983, 0.00100000],
            500: [-0.88384927, 0.96496603, 0.28366219, 0.87758256, -0.46777181, -0.26237485, -0.95892427, 0.47942554]}

SPIRALS = {
    ("sia", 6, 6): "C0(c0,x0) D0(x0,c1) C1(c1,x1) D1(x1,c2) C2(c2,x2) D2(x2,c3) C3(c3,x3) D3(x3,c4) C4(c4,x4) "
                   "D4(x4,c5) C5(c5,x5) D5(x5,c6)",
    ("sia", 4, 8): "C0(c0,x0) D0(x0,c1) C1(c1,x1) D1(x1,c2) C2(c2,x2) D2(x2,c3) C3(c3,x3) D3(x3,c4) D4(x4,c4) "
                   "D5(x5,c4) D6(x6,c4) D7(x7,c4)",
    ("sia", 8, 4): "C0(c0,x0) C1(c1,x0) C2(c2,x0) C3(c3,x0) C4(c4,x0) D0(x0,c5) C5(c5,x1) D1(x1,c6) C6(c6,x2) "
                   "D2(x2,c7) C7(c7,x3) D3(x3,c8)",
    ("without_si", 6, 6): "C0(c0,x0) C1(c1,x0) C2(c2,x0) C3(c3,x0) C4(c4,x0) C5(c5,x0) D0(x0,c6) D1(x1,c6) "
                          "D2(x2,c6) D3(x3,c6) D4(x4,c6) D5(x5,c6)"}

LOSS = {
    "table": [[1, 0], [0, 1], [-1, -1]], "bias": [0, 0.1, -0.1], "ids": [[0, 2], [1, 0]], "t": [1000, 0],
    "x0_noise": [[[0.5, -0.5], [1, 0]], [[-1, 0.25], [0.5, 0.5]]],
    "noise": [[[1, 2], [-1, 0.5]], [[0.3, -0.6], [-0.2, 0.4]]],
    "prediction": [[[0.8, 0.1], [-0.7, -0.9]], [[0.1, 0.9], [1.1, -0.2]]],
    "x0": [[[1.06050064, -0.06050064], [-0.87899872, -1]], [[-0.12100128, 1.03025032], [1.06050064, 0.06050064]]],
    "x_t": [[[1.41580307, 1.64589750], [-1.31715159, -0.12383325]],
            [[-0.08381182, 0.95007963], [1.02850820, 0.10845662]]],
    "mse": [0.03391540, 0.01750000], "prior": [1.46527820e-7, 1.11343407e-7], "rounding": [0.25945149, 0.37523716],
    "output_rounding": [0.36519598, 0.38892772], "losses": [0.29336703, 0.39273727], "importance": [0.5, 2],
    "mean": 0.46607902}

TOY_UPDATES = [[1, 2], [0.5, 0.5], [3, 1], [0.1, 0.2]]
TOY_P = [0.35319849, 0.11186211, 0.49939454, 0.03554485]
TOY_WEIGHTS = [0.70781729, 2.23489431, 0.50060619, 7.03336785]


def same(found, wanted, tolerance=1e-9):
    found, wanted = (torch.as_tensor(v, dtype=torch.float64) for v in (found, wanted))
    assert found.shape == wanted.shape and (found - wanted).abs().max() <= tolerance, (found, wanted)


def near(found, wanted, digits):
    """To so many significant digits."""
    for one, other in zip(found, wanted, strict=True):
        assert abs(one - other) <= 10.0 ** (1 - digits) * abs(other), (found, wanted)


def differ(found, other):
    assert (found - other).abs().max() > 1e-4, (found, other)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def pictured(turns):
    return " ".join(f"{kind}{layer}({'x' if kind == 'D' else 'c'}{own},{'c' if kind == 'D' else 'x'}{read})"
                    for kind, layer, own, read in turns)


def check_schedule():
    bars = bars_of(sqrt_betas(2000))
    full = chain(bars, list(range(2000)))
    for t, (beta, bar, level, c1, c2) in SCHEDULE_2000.items():
        near([full[t]["beta"], full[t]["alpha_bar"], math.sqrt(1 - bars[t])], [beta, bar, level], 9)
        near([full[t]["c1"]], [c1], 9)
        same(full[t]["c2"], c2)
    near([full[0]["large"], full[1]["posterior"]], [0.005561816310] * 2, 9)
    betas = [one["beta"] for one in full]
    near([sum(betas), min(betas), sum(bars)], [8.996529758, 9.995003e-4, 672.7018772], 7)
    assert betas.index(min(betas)) == 499
    for count, kept in KEPT_2000.items():
        assert kept_steps(2000, count) == kept
    kept = kept_steps(2000, 20)
    assert kept[:6] + kept[-2:] == [0, 105, 210, 316, 421, 526, 1894, 1999] and kept_steps(2000, 1) == [1999]
    respaced = chain(bars, kept)
    near([respaced[0]["beta"], respaced[-1]["beta"]], [0.01464131, 0.99999247], 7)
    for time, features in FEATURES.items():
        same(time_features(time, 8), features, 1e-8)
    assert 1000 * 1999 / 2000 == 999.5
    return bars, full


def check_moves(bars, full):
    x, x0 = -0.2, 0.7
    one = full[1000]
    mean = one["c1"] * x0 + one["c2"] * x
    same([mean, math.sqrt(one["large"]), mean + math.sqrt(one["large"]) * 0.5],
         [-0.1991258315, 0.03474155909, -0.1817550519])
    same([ddim(x, x0, bars[1000], bars[999]), ddim(x, x0, bars[1000], bars[900]), noise_of(x, x0, bars[1000])],
         [-0.1996231060, -0.1618114691, -0.6915373619])
    same(ddim(x, x0, bars[1000], bars[999], 1.0), mean)
    first = dpm(x, x0, bars[1500], bars[1200])
    same(first, -0.09836982097)
    same(first, ddim(x, x0, bars[1500], bars[1200]), 1e-12)
    same([half_log_snr(bars[t]) for t in (1500, 1200, 900)], [-0.92882142, -0.61184133, -0.34945695], 1e-8)
    weight = multistep_weight(bars[1500], bars[1200], bars[900])
    same([1 / (2 * weight), 0.6 + weight * (0.6 - x0)], [1.20807528, 0.55861185], 1e-8)
    same(dpm(first, 0.6 + weight * (0.6 - x0), bars[1200], bars[900]), -0.01717016611)


def check_loss(bars):
    p = {"target_embedding.weight": tensor(LOSS["table"]), "rounding_bias": tensor(LOSS["bias"])}
    losses = []
    for b, (ids, t) in enumerate(zip(LOSS["ids"], LOSS["t"])):
        x0 = start_of(p, ids, tensor(LOSS["x0_noise"][b]), bars)
        same(x0, LOSS["x0"][b], 1e-8)
        same(noised(x0, t, tensor(LOSS["noise"][b]), 1.0, bars), LOSS["x_t"][b], 1e-8)
        prediction = tensor(LOSS["prediction"][b])
        parts = loss_parts(p, "code", ids, [0, 1], t, x0, prediction, bars)
        same([parts["mse"], parts["rounding"]], [LOSS["mse"][b], LOSS["rounding"][b]], 1e-8)
        near([parts["prior"]], [LOSS["prior"][b]], 9)
        words = logits_of(p, prediction)
        same(sum(cross_entropy(words[n], ids[n]) for n in range(2)) / 2, LOSS["output_rounding"][b], 1e-8)
        assert nearest(p["target_embedding.weight"], prediction) == ids == largest(words)
        losses.append(total("code", parts, 2000))
        sums = loss_parts(p, "equation_3", ids, [0, 1], t, x0, prediction, bars)
        same(total("equation_3", sums, 2000), 2000 * 4 * parts["mse"] + 2 * parts["rounding"])
    same(losses, LOSS["losses"], 1e-8)
    same(sum(w * loss for w, loss in zip(LOSS["importance"], losses)) / 2, LOSS["mean"], 1e-8)


def check_sampler():
    histories = new_histories(4)
    for t, losses in enumerate(TOY_UPDATES):
        assert step_probabilities(histories, 4, 2) == [0.25] * 4
        for loss in losses:
            push(histories, 4, 2, t, loss)
    p = step_probabilities(histories, 4, 2)
    same(p, TOY_P, 1e-8)
    same(weights_of(p), TOY_WEIGHTS, 1e-8)
    push(histories, 4, 2, 0, 5)
    assert histories[0] == [2, 5]


def check_laws():
    """Of T = 50."""
    full = chain(BARS, list(range(T)))
    same([one["beta"] for one in full], BETAS, 1e-12)
    same([BARS[i] for i in range(T - 1)], [(1 - math.sqrt((i + 1) / T + 1e-4)) / 0.99 for i in range(T - 1)], 1e-12)
    random = np.random.default_rng(SEED)
    for count in (1, 2, 3, STEPS, 10, T):
        steps = chain(BARS, kept_steps(T, count))
        assert steps[-1]["t"] == T - 1 and len({one["t"] for one in steps}) == count
        for k, one in enumerate(steps):
            x, x0 = random.normal(0, 1, 2)
            bar, previous = one["alpha_bar"], one["previous_alpha_bar"]
            same(one["c1"] + one["c2"] * math.sqrt(bar), math.sqrt(previous), 1e-12)
            if k > 0:
                same(ddim(x, x0, bar, previous, 1.0), one["c1"] * x0 + one["c2"] * x, 1e-12)
                same(ddim(x, x0, bar, previous, 1.0, 1.0) - ddim(x, x0, bar, previous, 1.0),
                     math.sqrt(one["posterior"]), 1e-9)
                same(dpm(x, x0, bar, previous), ddim(x, x0, bar, previous), 1e-12)
            else:
                assert abs(one["c2"]) < 1e-15
                same([one["c1"], ddim(x, x0, bar, previous)], [1, x0], 1e-12)


def check():
    bars, full = check_schedule()
    check_moves(bars, full)
    check_loss(bars)
    check_sampler()
    check_laws()
    for arguments, order in SPIRALS.items():
        assert pictured(calls(*arguments)) == order
    for layers in ((1, 1), (1, 3), (3, 1)):  # with one layer on either side nothing is interleaved
        assert calls("sia", *layers) == calls("without_si", *layers)
    for layers in ((2, 2), (2, 3), (3, 2)):
        assert calls("sia", *layers) != calls("without_si", *layers)


# The file

DEFAULTS = {"encoder_layers": 2, "decoder_layers": 2, "self_conditioning": "C", "shared_embeddings": False,
            "mask_target_pad": False, "length_weight": 0.0, "noise_factor": 1.0, "loss": "code"}
SMALL = {"encoder_layers": 1, "decoder_layers": 1}
TINY = SMALL | {"shared_embeddings": True, "mask_target_pad": True, "length_weight": 0.25, "noise_factor": 3.0}
SIA = {"network": "sia", "weights": "sia"}
CASES = {
    "ed": {"network": "ed", "weights": "ed", "t": [0, 23]},
    "sia_equal": SIA | {"t": [31, 0]},
    "sia_longer_decoder": SIA | {"decoder_layers": 3, "t": [12, 44]},
    "sia_longer_encoder": SIA | {"encoder_layers": 3, "t": [0, 37]},
    "without_si": SIA | {"network": "without_si", "t": [31, 0]},
    "diffuseq": {"network": "diffuseq", "decoder_layers": 0, "weights": "diffuseq", "t": [18, 0]},
    "sc_none": SMALL | {"network": "ed", "self_conditioning": "none", "weights": "ed", "t": [7, 49]},
    "sc_a": SMALL | SIA | {"self_conditioning": "A", "t": [0, 26]},
    "sc_fused": SMALL | SIA | {"self_conditioning": "fused", "weights": "fused", "t": [40, 0]},
    "tiny_ed": TINY | {"network": "ed", "weights": "tiny_ed", "t": [5, 20]},
    "tiny_sia": TINY | {"network": "sia", "weights": "tiny_sia", "t": [29, 0]},
    "equation_3": SMALL | {"network": "ed", "loss": "equation_3", "weights": "ed", "t": [0, 23]}}
SETS = {"ed": CASES["ed"], "sia": SIA | {"encoder_layers": 3, "decoder_layers": 3}} | {
    name: case for name, case in ((case["weights"], case) for case in CASES.values()) if name not in ("ed", "sia")}
BOTH_GRADIENTS = ("ed", "sia_equal")  # elsewhere only of the last pass
SCALES = {"target_embedding.weight": 1.0, "condition_embedding.weight": 0.7, "input_projection.in.weight": 0.7,
          "target_positions.weight": 0.7, "output_projection.in.weight": 0.7, "output_projection.out.weight": 1.0}
LENGTH_CLASSES = [(4, 5, 8), (3, 3, 8), (9, 4, 8), (8, 4, 8), (4, 8, 8), (4, 9, 8), (7, 7, 6), (12, 3, 256)]


def weights(random, shapes):
    made = {}
    for name, shape in shapes:
        is_scale = name.endswith("norm.weight")
        scale = SCALES.get(name, 0.15 if name.endswith("bias") or ".out." in name else 0.35)
        made[name] = np.round(random.normal(0, scale, shape) + (1.0 if is_scale else 0.0), 4)
    return made


def drawn(random, *shape):
    return torch.tensor(np.round(random.normal(0, 1, shape), 4))


def leaves(numbers):
    return {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in numbers.items()}


def rounded(values):
    if torch.is_tensor(values):
        values = values.tolist()
    if isinstance(values, dict):
        return {name: rounded(value) for name, value in values.items()}
    if isinstance(values, list):
        return [rounded(v) for v in values]
    return float(f"{values:.12g}") if isinstance(values, float) else values


def gradients(loss, p):
    """Of every parameter; autograd refuses one that the loss does not use."""
    grads = dict(zip(p, torch.autograd.grad(loss, list(p.values()))))
    return {"gradient_norms": {name: rounded(g.norm()) for name, g in grads.items()},
            "gradient_probes": {name: rounded((g.flatten() * probe(g.numel())).sum()) for name, g in grads.items()}}


def probe(count):
    return torch.cos(0.7 * torch.arange(count, dtype=torch.float64))


def forward(p, case, x0_noise, noise, estimates):
    """Everything of a training step before its gradients, lists by sentence."""
    made = {name: [] for name in ("x0", "x_t", "prediction", "condition_states", "target_states", "logits",
                                  "rounding_nll", "losses", "parts", "length")}
    for b, (source, target, t) in enumerate(zip(CONDITION, TARGET, case["t"])):
        x0 = start_of(p, target, x0_noise[b], BARS)
        x_t = noised(x0, t, noise[b], case["noise_factor"], BARS)
        prediction, c, x = predict(p, case, source, target, x_t, estimates[b], t)
        counted = target_keys(case, target)
        parts = loss_parts(p, case["loss"], target, counted, t, x0, prediction, BARS)
        logits = logits_of(p, prediction)
        made["rounding_nll"].append(torch.stack([cross_entropy(logits[n], target[n]) for n in range(len(target))]))
        if case["length_weight"] > 0:
            made["length"].append(length_loss(p, case, source, target, c))
        for name, value in (("x0", x0), ("x_t", x_t), ("prediction", prediction), ("condition_states", c),
                            ("target_states", x), ("logits", logits), ("parts", parts),
                            ("losses", total(case["loss"], parts, T))):
            made[name].append(value)
    return made


def batch_loss(case, importance, found):
    loss = sum(w * one for w, one in zip(importance, found["losses"])) / len(importance)
    if found["length"]:
        loss = loss + case["length_weight"] * sum(found["length"]) / len(found["length"])
    return loss


def stacked(rows):
    """[sentence][state] tensors -> a list for each state."""
    return [rounded(torch.stack(list(state))) for state in zip(*rows)]


def training_step(p, case, found, importance, has_gradients):
    loss = batch_loss(case, importance, found)
    made = {name: rounded(torch.stack(found[name])) for name in ("prediction", "logits", "rounding_nll")}
    if found["condition_states"][0]:
        made["condition_states"] = stacked(found["condition_states"])
    for name in found["parts"][0]:
        made[name] = [rounded(parts[name].item()) for parts in found["parts"]]
    if found["length"]:
        made["length"] = [rounded(one.item()) for one in found["length"]]
    made |= {"losses": [rounded(one.item()) for one in found["losses"]], "batch_loss": rounded(loss.item())}
    return made | (gradients(loss, p) if has_gradients else {})


@torch.no_grad()
def check_network(p, case, x0_noise, noise, zeros, found):
    prediction = torch.stack(found["prediction"])
    is_spiral = case["network"] in ("sia", "without_si")
    other_padding = {name: value.clone() for name, value in p.items()}
    for name in ("condition_embedding.weight", "target_embedding.weight"):
        if name in p:
            other_padding[name][PAD] += 1.5
    for b, (source, target, t) in enumerate(zip(CONDITION, TARGET, case["t"])):
        def again(p=p, source=source, x_t=found["x_t"][b], estimate=zeros[b], t=t):
            return predict(p, case, source, target, x_t, estimate, t)

        same(again()[0], prediction[b], 0)
        same(again(p=other_padding)[0], prediction[b], 1e-12)
        differ(again(t=(t + 9) % T)[0], prediction[b])
        differ(again(source=[3] + source[1:])[0], prediction[b])
        if case["network"] != "diffuseq":  # where the target's positions begin behind the padding
            same(again(source=[source[n] for n in real(source)])[0], prediction[b], 1e-12)
        if case["self_conditioning"] != "none":
            differ(again(estimate=zeros[b] + 0.5)[0], prediction[b])
        moved = found["x_t"][b].clone()
        moved[1] += 1.5
        other, c, _ = again(x_t=moved)
        differ(other[0], prediction[b][0])  # every position sees every other
        for m, state in enumerate(c):
            words = real(source)
            if is_spiral and m > 0:
                differ(state[words], found["condition_states"][b][m][words])
            else:
                same(state, found["condition_states"][b][m], 0)
        if PAD in target:
            moved = found["x_t"][b].clone()
            moved[target.index(PAD)] += 1.5
            words, (other, _, _) = real(target), again(x_t=moved)
            (same if case["mask_target_pad"] else differ)(other[words], prediction[b][words])
    if case["mask_target_pad"]:
        other_noise, other_x0 = noise.clone(), x0_noise.clone()
        other_noise[1, 3] += 1.5
        other_x0[1, 3] -= 1.5
        other = forward(p, case, other_x0, other_noise, zeros)
        same(torch.stack(other["losses"]), torch.stack(found["losses"]), 1e-12)
        same(torch.stack(other["length"]), torch.stack(found["length"]), 1e-12)


def case_part(name, case, numbers, random):
    p = leaves(numbers)
    x0_noise, noise = (drawn(random, len(TARGET), TARGET_LENGTH, LATENT) for _ in range(2))
    importance = np.round(random.uniform(0.4, 2.0, len(TARGET)), 4).tolist()
    zeros = torch.zeros_like(noise)
    first = forward(p, case, x0_noise, noise, zeros)
    check_network(p, case, x0_noise, noise, zeros, first)
    made = case | {"importance": importance, "x0_noise": x0_noise.tolist(), "noise": noise.tolist(),
                   "x0": rounded(torch.stack(first["x0"])), "x_t": rounded(torch.stack(first["x_t"]))}
    has_second = case["self_conditioning"] != "none"
    made["first"] = training_step(p, case, first, importance, name in BOTH_GRADIENTS or not has_second)
    made["first"]["target_states"] = stacked(first["target_states"])
    if has_second:
        estimates = torch.stack(first["prediction"]).detach()
        second = training_step(p, case, forward(p, case, x0_noise, noise, estimates), importance, True)
        if case["network"] == "ed":
            assert second.pop("condition_states") == made["first"]["condition_states"], name
        made["self_conditioned"] = second
    return made


@torch.no_grad()
def sampling_part(case, names, numbers, random):
    p = {name: tensor(value) for name, value in numbers.items()}
    table, steps = p["target_embedding.weight"], chain(BARS, kept_steps(T, STEPS))
    start = drawn(random, len(TARGET), TARGET_LENGTH, LATENT)
    noise = drawn(random, STEPS, len(TARGET), TARGET_LENGTH, LATENT)
    made = {"steps": STEPS, "start": start.tolist(), "noise": noise.tolist(), "runs": {}}
    for name in names:
        run, found = RUNS[name], []
        for b, source in enumerate(CONDITION):
            def denoise(x, estimate, t):
                x0, c, _ = predict(p, case, source, [BEGIN] * TARGET_LENGTH, x, estimate, t)
                encoded.append(c[-1])
                return x0

            encoded = []
            found.append(sample(denoise, table, start[b], noise[:, b], run, steps))
            if case["network"] == "ed":  # encoded once
                assert all(torch.equal(c, encoded[0]) for c in encoded)
            else:
                differ(encoded[1], encoded[0])
        states, estimates = (torch.stack([one[i] for one in found], 1) for i in (0, 1))
        assert states.abs().max() < 100, states
        tokens = [largest(logits_of(p, state)) for state in states[-1]]
        kind, variance, is_clamped, feed, is_lower = run
        made["runs"][name] = {"kind": kind} | ({"variance": variance} if variance else {}) | {
            "clamp": is_clamped, "feed": feed} | ({"lower_order_final": is_lower} if kind == "dpm" else {}) | {
            "estimates": rounded(estimates), "states": rounded(states), "tokens": tokens}
        if is_clamped:
            made["runs"][name]["nearest"] = [list(ids) for ids in zip(*(one[2] for one in found))]
    runs = made["runs"]
    assert len({token for run in runs.values() for row in run["tokens"] for token in row}) > 4
    assert any(run["nearest"][0] != run["nearest"][-1] for run in runs.values() if run["clamp"])
    for run in runs.values():
        same(run["estimates"][0], runs["ddpm"]["estimates"][0], 0)
    same(runs["dpm"]["states"][0], runs["ddim"]["states"][0], 1e-11)  # the first step is DDIM's
    same(runs["dpm"]["states"][:3], runs["dpm_lower_order_final"]["states"][:3], 0)
    return made


def diffusion_part(random):
    full = chain(BARS, list(range(T)))
    columns = ("beta", "alpha_bar", "c1", "c2", "large", "posterior")
    moves = []
    for t, to in ((1, 0), (20, 19), (20, 11), (37, 24), (49, 37), (49, 0), (0, -1), (30, -1)):
        one = step_of(t, BARS[t], BARS[to] if to >= 0 else 1.0)
        x, x0, noise = drawn(random, 3), drawn(random, 3), drawn(random, 3)
        previous = one["previous_alpha_bar"]
        mean = one["c1"] * x0 + one["c2"] * x
        made = {"from": t, "to": to, "x": x.tolist(), "x0": x0.tolist(), "noise": noise.tolist(),
                "epsilon": rounded(noise_of(x, x0, BARS[t])), "mean": rounded(mean)}
        if to >= 0:
            made |= {"large": rounded(mean + math.sqrt(one["large"]) * noise),
                     "posterior": rounded(mean + math.sqrt(one["posterior"]) * noise),
                     "ddim_eta_0.5": rounded(ddim(x, x0, BARS[t], previous, 0.5, noise))}
        moves.append(made | {"ddim": rounded(ddim(x, x0, BARS[t], previous))})
    multistep = []
    for before, now, to in ((49, 37, 24), (37, 24, 12), (24, 12, 0), (30, 29, 28)):
        x, x0, previous_x0 = drawn(random, 3), drawn(random, 3), drawn(random, 3)
        weight = multistep_weight(BARS[before], BARS[now], BARS[to])
        estimate = x0 + weight * (x0 - previous_x0)
        multistep.append({"before": before, "from": now, "to": to, "x": x.tolist(), "x0": x0.tolist(),
                          "previous_x0": previous_x0.tolist(), "weight": rounded(weight),
                          "estimate": rounded(estimate), "result": rounded(dpm(x, estimate, BARS[now], BARS[to]))})
    table = tensor([[1, 0], [0, 1], [-1, 0], [0, 1], [0.5, 0.5]])
    points = tensor([[1, 1], [0, 0], [-0.5, 0.5], [0, 1], [0, 4], [-1, -1], [0.75, 0.25], [2, 0.5]])
    ids = nearest(table, points, is_unique=False)
    assert ids == [4, 4, 1, 1, 1, 2, 0, 0]
    return {"schedule": {name: rounded([one[name] for one in full]) for name in columns}
                        | {"start_noise": rounded(math.sqrt(1 - BARS[0]))},
            "chains": [{name: rounded([one[name] for one in chain(BARS, kept_steps(T, count))])
                        for name in ("t", "model_time", "previous_alpha_bar") + columns}
                       for count in (1, 2, 3, STEPS, 10)],
            "moves": moves, "multistep": multistep,
            "nearest": {"table": table.tolist(), "points": points.tolist(), "ids": ids},
            "length_classes": [{"target": target, "condition": condition, "classes": classes,
                                "class": length_class(target, condition, classes)}
                               for target, condition, classes in LENGTH_CLASSES]}


def linear_congruential(count, steps):
    updates, s = [], 1
    for _ in range(count):
        values = []
        for _ in range(2):
            s = (1664525 * s + 1013904223) % 2 ** 32
            values.append(s >> 16)
        updates.append((values[0] % steps, (values[1] + 1) / 65536))
    return updates


SAMPLER_STEPS, SAMPLER_HISTORY = 12, 3


def listed_updates():
    """Step 7 often, then rounds of all steps; losses are multiples of 1 / 64, so that every precision holds them."""
    steps = [7] * 6 + [(5 * i + i // 12) % 12 for i in range(54)]
    return [[t, (1 + (37 * i + 11 * t * t) % 200) / 64] for i, t in enumerate(steps)]


def sampler_case(updates, buckets):
    histories, points = new_histories(buckets), []
    stops = {0, 1, 6, 11, 12, 18, 24, 40, 41, 42, 43, 50, 60}
    turned_warm = None
    for count in range(len(updates) + 1):
        if count > 0:
            push(histories, SAMPLER_STEPS, SAMPLER_HISTORY, *updates[count - 1])
        warm = is_warm(histories, SAMPLER_HISTORY)
        is_new = warm and turned_warm is None
        if is_new:
            turned_warm = count
        if count in stops or is_new:
            p = step_probabilities(histories, SAMPLER_STEPS, SAMPLER_HISTORY)
            same(sum(p), 1, 1e-12)
            points.append({"updates": count, "warm": warm,
                           "filled": rounded(sum(map(len, histories)) / (buckets * SAMPLER_HISTORY)),
                           "probabilities": rounded(p), "weights": rounded(weights_of(p))})
    assert turned_warm is not None and 0 < turned_warm < len(updates)
    draws = [[u, drawn_step(p, u)] for u in (0.0, 0.0625, 0.1875, 0.25, 0.4375, 0.5625, 0.6875, 0.8125, 0.9375, 0.9990)]
    return {"steps": SAMPLER_STEPS, "history": SAMPLER_HISTORY, "buckets": buckets, "ready_after": turned_warm,
            "points": points, "draws": draws}


def step_sampler_part():
    updates = listed_updates()
    reference = []
    for buckets in (T, 10):
        histories = new_histories(buckets)
        for t, loss in linear_congruential(1000, T):
            push(histories, T, 10, t, loss)
        assert is_warm(histories, 10)
        reference.append({"steps": T, "history": 10, "buckets": buckets, "updates": 1000,
                          "probabilities": rounded(step_probabilities(histories, T, 10))})
    return {"updates": updates, "cases": [sampler_case(updates, buckets) for buckets in (SAMPLER_STEPS, 4)],
            "reference": reference}


def main():
    torch.set_num_threads(1)
    check()
    random = np.random.default_rng(SEED)
    cases = {name: DEFAULTS | values for name, values in CASES.items()}
    numbers = {name: weights(random, shapes(DEFAULTS | values)) for name, values in SETS.items()}

    def of_case(name):
        chosen = numbers[cases[name]["weights"]]
        for key, shape in shapes(cases[name]):
            assert chosen[key].shape == shape, (name, key)
        return {key: chosen[key] for key, _ in shapes(cases[name])}

    json.dump({
        "header": {"seed": SEED, "python": platform.python_version(), "torch": torch.__version__,
                   "numpy": np.__version__},
        "sizes": {"vocabulary": VOCABULARY, "hidden": HIDDEN, "latent": LATENT, "heads": HEADS, "ffn": FFN,
                  "time_features": TIME, "time_inner": TIME_INNER, "length_classes": CLASSES,
                  "condition_length": CONDITION_LENGTH, "target_length": TARGET_LENGTH, "steps": T, "pad": PAD,
                  "norm_epsilon": EPSILON},
        "condition": CONDITION, "target": TARGET,
        "weights": {name: {key: value.tolist() for key, value in one.items()} for name, one in numbers.items()},
        "cases": {name: case_part(name, case, of_case(name), random) for name, case in cases.items()},
        "sampling": {name: sampling_part(cases[name], names, of_case(name), random) for name, names in SAMPLED.items()},
        "diffusion": diffusion_part(random),
        "step_sampler": step_sampler_part(),
    }, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
