"""Weights by a formula, and the Transformer's parts (post-norm, ReLU), for one sentence without padding, in float64."""
import math

import numpy as np
import torch
from torch.nn import functional

torch.set_default_dtype(torch.float64)
BOS, PAD, EOS, UNK, MASK = range(5)
FIRST_ROW = 2  # fairseq: the first position of a table; row 1 is padding's
MARGIN = 1e-4  # a choice that float32 might make otherwise is no golden


def weights(name, shape, length_center=0):
    """Element i: v = 2 h / 65521 - 1 of h = (i + 1) (1237 (i + 1) + salt of the name) mod 65521, scaled by its kind;
    rounded to float32."""
    salt = sum((i + 1) * ord(c) for i, c in enumerate(name)) % 65521
    count = int(np.prod(shape, dtype=np.int64))
    n = np.arange(1, count + 1, dtype=np.int64)
    v = 2.0 * ((n * ((1237 * n + salt) % 65521)) % 65521) / 65521.0 - 1.0
    if name.endswith("norm.weight"):
        v = 1.0 + 0.2 * v
    elif name.endswith("alpha"):
        v = 0.5 + 0.2 * v
    elif name.endswith(".bias"):
        v = 0.1 * v
    elif name in ("length", "length.weight"):  # likely classes beside the centre, so that lengths are plausible
        v = 2.0 * v / (4.0 + np.abs((n - 1) // shape[1] - length_center))
    else:
        v = 0.5 * v
    return torch.from_numpy(v.astype(np.float32).astype(np.float64).reshape(shape)).requires_grad_(True)


def linear(names, prefix, out, into, bias=True):
    names[prefix + ".weight"] = (out, into)
    if bias:
        names[prefix + ".bias"] = (out,)


def norm(names, prefix, width):
    names[prefix + ".weight"] = names[prefix + ".bias"] = (width,)


def layer_shapes(names, prefix, hidden, ffn, cross, neighbours=False):
    for attention in ["attention"] + (["neighbours"] if neighbours else []):
        linear(names, f"{prefix}.{attention}.qkv", 3 * hidden, hidden)
        linear(names, f"{prefix}.{attention}.out", hidden, hidden)
    if neighbours:
        names[prefix + ".alpha"] = ()
    norm(names, prefix + ".attention_norm", hidden)
    if cross:
        linear(names, prefix + ".cross.query", hidden, hidden)
        linear(names, prefix + ".cross.key_value", 2 * hidden, hidden)
        linear(names, prefix + ".cross.out", hidden, hidden)
        norm(names, prefix + ".cross_norm", hidden)
    linear(names, prefix + ".ffn.in", ffn, hidden)
    linear(names, prefix + ".ffn.out", hidden, ffn)
    norm(names, prefix + ".ffn_norm", hidden)


class Parts:
    """Parameters by name, and what the families share."""

    def __init__(self, shapes, heads, length_center=0):
        self.p = {name: weights(name, shape, length_center) for name, shape in shapes.items()}
        self.heads = heads

    def lin(self, prefix, x):
        y = x @ self.p[prefix + ".weight"].T
        return y + self.p[prefix + ".bias"] if prefix + ".bias" in self.p else y

    def layer_norm(self, prefix, x):
        centred = x - x.mean(-1, keepdim=True)
        return (centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.p[prefix + ".weight"]
                + self.p[prefix + ".bias"])

    def feed_forward(self, prefix, x):
        return self.lin(prefix + ".out", self.lin(prefix + ".in", x).clamp_min(0))

    def attend(self, q, k, v, allowed=None):
        """[L, H] from [S, H], head by head; allowed [L, S] bool."""
        width, out = q.shape[1] // self.heads, []
        for head in range(self.heads):
            part = slice(head * width, (head + 1) * width)
            scores = q[:, part] @ k[:, part].T / math.sqrt(width)
            if allowed is not None:
                scores = scores.masked_fill(~allowed, -math.inf)
            out.append(torch.softmax(scores, 1) @ v[:, part])
        return torch.cat(out, 1)

    def self_attention(self, prefix, x, allowed=None):
        q, k, v = self.lin(prefix + ".qkv", x).chunk(3, 1)
        return self.lin(prefix + ".out", self.attend(q, k, v, allowed))

    def cross_attention(self, prefix, x, memory):
        k, v = self.lin(prefix + ".key_value", memory).chunk(2, 1)
        return self.lin(prefix + ".out", self.attend(self.lin(prefix + ".query", x), k, v))

    def layer(self, prefix, x, memory=None, allowed=None):
        """An encoder layer, or a decoder layer if there is a memory."""
        x = self.layer_norm(prefix + ".attention_norm", x + self.token_mixing(prefix, x, allowed))
        if memory is not None:
            x = self.layer_norm(prefix + ".cross_norm", x + self.cross_attention(prefix + ".cross", x, memory))
        return self.layer_norm(prefix + ".ffn_norm", x + self.feed_forward(prefix + ".ffn", x))

    def token_mixing(self, prefix, x, allowed):
        return self.self_attention(prefix + ".attention", x, allowed)

    def layers(self, side, count, x, memory=None, allowed=None):
        for i in range(count):
            x = self.layer(f"{side}_layer_{i}", x, memory, allowed)
        return x

    def gradients(self, loss):
        """Norm, and product with the parameter, of every parameter's gradient."""
        names = list(self.p)
        grads = torch.autograd.grad(loss, [self.p[n] for n in names])
        return {n: [exact(g.norm()), exact((g * self.p[n]).sum())] for n, g in zip(names, grads)}


def exact(value):
    """Zero where only rounding is left."""
    number = value.item()
    return number if abs(number) > 1e-14 else 0.0


def best(logits):
    """argmax of each row, which has to be clear."""
    two = logits.topk(2, -1)
    assert float((two.values[..., 0] - two.values[..., 1]).min()) > MARGIN, "a tie"
    return two.indices[..., 0]


def cross_entropies(logits, ids):
    """-log p of each target, and the mean of -log p over the vocabulary."""
    log_p = torch.log_softmax(logits, 1)
    return -log_p[torch.arange(len(ids)), torch.tensor(ids)], -log_p.mean(1)


def gelu(x):
    return functional.gelu(x, approximate="none")


def best_first(candidates):
    scores = sorted(c["score"] for c in candidates)
    assert all(b - a > MARGIN or b == a for a, b in zip(scores, scores[1:])), "a tie of candidates"
    return sorted(candidates, key=lambda c: -c["score"])
