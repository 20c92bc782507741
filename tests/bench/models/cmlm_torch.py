#!/usr/bin/env python3
"""CMLM in eager PyTorch in the operation order of the published code, and cmlm_bench, in turns.

    python cmlm_torch.py train|decode [--ours build/release/bin/cmlm_bench] [--threads 1] [--replicas 1] [--wide]
        [--cl-ln] [--rounds 7] [--steps 20] [--dropout 0] [--fused]

Same weights, same batches, same masks; wall time, so on an idle machine. `train` compares the losses of 20 updates
first and then times rounds of updates A B A B; `decode` compares the candidates of 64 sentences (ten passes, five
lengths) first. Needs torch 2.11. The order of the published code (fairseq 0.10.2): time before batch, query, key and
value projected one by one and for every copy of a source again, logits of every position, boolean indexing,
log_softmax over the vocabulary; the contrastive loss normalises all logits and builds its mask sentence by sentence;
Look Neighbors' band mask is repeated for every head. PAD has the positions that follow instead of none, because
ours has.
"""
import argparse
import json
import struct
import subprocess
import tempfile
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

BOS, PAD, EOS, UNK, MASK = range(5)
MARGIN, SMOOTHING, LENGTH_WEIGHT, RATE, COMPARED = 0.4, 0.1, 0.1, 1e-4, 20


def tensors(file):
    with open(file, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    kinds = {"F32": torch.float32, "I64": torch.int64}
    return {name: torch.frombuffer(bytearray(data[slice(*about["data_offsets"])]), dtype=kinds[about["dtype"]]).view(about["shape"])
            for name, about in header.items() if name != "__metadata__"}


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(width, width) for _ in range(4))

    def load(self, w, name):
        if name + ".qkv.weight" in w:
            parts = [w[name + ".qkv." + what].chunk(3) for what in ("weight", "bias")]
        else:
            parts = [[w[name + ".query." + what], *w[name + ".key_value." + what].chunk(2)] for what in ("weight", "bias")]
        for i, layer in enumerate((self.q_proj, self.k_proj, self.v_proj)):
            layer.weight.copy_(parts[0][i])
            layer.bias.copy_(parts[1][i])
        self.out_proj.weight.copy_(w[name + ".out.weight"])
        self.out_proj.bias.copy_(w[name + ".out.bias"])

    def forward(self, query, key, padding, mask=None):
        return F.multi_head_attention_forward(
            query, key, key, query.size(2), self.heads, torch.empty([0]),
            torch.cat((self.q_proj.bias, self.k_proj.bias, self.v_proj.bias)), None, None, False, 0.0, self.out_proj.weight,
            self.out_proj.bias, self.training, padding, False, mask, use_separate_proj_weight=True,
            q_proj_weight=self.q_proj.weight, k_proj_weight=self.k_proj.weight, v_proj_weight=self.v_proj.weight)[0]


class Layer(nn.Module):
    def __init__(self, size, cross):
        super().__init__()
        width, heads, ffn, self.dropout, near = size
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.near = Attention(width, heads) if cross and near else None
        self.alpha = nn.Parameter(torch.tensor(0.5)) if self.near else None
        self.cross, self.norm2 = (Attention(width, heads), nn.LayerNorm(width)) if cross else (None, None)
        self.fc1, self.fc2, self.norm3 = nn.Linear(width, ffn), nn.Linear(ffn, width), nn.LayerNorm(width)

    def load(self, w, name):
        self.attention.load(w, name + ".attention")
        if self.near:
            self.near.load(w, name + ".neighbours")
            self.alpha.copy_(w[name + ".alpha"])
        if self.cross:
            self.cross.load(w, name + ".cross")
        for ours, theirs in (("ffn.in", self.fc1), ("ffn.out", self.fc2), ("attention_norm", self.norm1),
                             ("cross_norm", self.norm2), ("ffn_norm", self.norm3)):
            if theirs is not None:
                theirs.weight.copy_(w[f"{name}.{ours}.weight"])
                theirs.bias.copy_(w[f"{name}.{ours}.bias"])

    def forward(self, x, padding, memory=None, memory_padding=None, band=None):
        drop = lambda y: F.dropout(y, self.dropout, self.training)
        residual, y = x, self.attention(x, x, padding)
        if self.near:
            y = self.alpha * y + (1 - self.alpha) * self.near(x, x, padding, band)
        x = self.norm1(residual + drop(y))
        if self.cross:
            x = self.norm2(x + drop(self.cross(x, memory, memory_padding)))
        return self.norm3(x + drop(self.fc2(F.relu(self.fc1(x)))))


class Cmlm(nn.Module):
    def __init__(self, weights, heads, dropout):
        super().__init__()
        w = {name[8:]: value for name, value in weights.items() if name.startswith("weights/")}
        vocabulary, width = w["embedding.weight"].shape
        self.dropout, self.heads = dropout, heads
        self.top = "decoder_top.in.weight" in w
        size = (width, heads, w["encoder_layer_0.ffn.in.bias"].numel(), dropout, "decoder_layer_0.alpha" in w)
        count = lambda side: 1 + max(int(n.split(".")[0].split("_")[-1]) for n in w if n.startswith(side + "_layer_"))
        self.embedding = nn.Embedding(vocabulary, width, PAD)
        positions = w["encoder_positions.weight"].size(0)
        self.encoder_positions, self.decoder_positions = nn.Embedding(positions, width, PAD), nn.Embedding(positions, width, PAD)
        self.length = nn.Embedding(*w["length"].shape)
        self.encoder = nn.ModuleList(Layer(size, False) for _ in range(count("encoder")))
        self.decoder = nn.ModuleList(Layer(size, True) for _ in range(count("decoder")))
        if self.top:
            self.concat1 = nn.Linear(2 * width, size[2], bias=False)
            self.concat2 = nn.Linear(size[2], width, bias=False)
        with torch.no_grad():
            for name in ("embedding", "encoder_positions", "decoder_positions"):
                getattr(self, name).weight.copy_(w[name + ".weight"])
            self.length.weight.copy_(w["length"])
            for side, layers in (("encoder", self.encoder), ("decoder", self.decoder)):
                for i, layer in enumerate(layers):
                    layer.load(w, f"{side}_layer_{i}")
            if self.top:
                self.concat1.weight.copy_(w["decoder_top.in.weight"])
                self.concat2.weight.copy_(w["decoder_top.out.weight"])

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def embed(self, ids, table):
        x = self.embedding(ids)
        x += table(torch.arange(2, 2 + ids.size(1)).expand_as(ids))
        return self.drop(x)

    def encode(self, source):
        padding = source.eq(PAD)
        x = self.embed(source, self.encoder_positions).transpose(0, 1)
        for layer in self.encoder:
            x = layer(x, padding)
        return x, padding

    def lengths(self, memory, padding):
        real = (~padding).transpose(0, 1).type_as(memory)
        return F.linear(((memory / real.sum(0)[None, :, None]) * real[:, :, None]).sum(0), self.length.weight)

    def band(self, width, padding):
        far = torch.triu(torch.ones([width, width]), 2).bool() | torch.tril(torch.ones([width, width]), -2).bool()
        mask = far.float()
        mask.masked_fill_(mask.eq(1), float("-inf"))
        mask = mask.unsqueeze(0).repeat(padding.size(0), 1, 1)
        mask.masked_fill_(padding.unsqueeze(-1).repeat(1, 1, width), 0.0)
        return mask.repeat(1, self.heads, 1).view(padding.size(0) * self.heads, width, width)

    def features(self, ids, memory, memory_padding):
        padding = ids.eq(PAD)
        x = self.embed(ids, self.decoder_positions).transpose(0, 1)
        band = self.band(x.size(0), padding) if self.decoder[0].near else None
        for layer in self.decoder:
            x = layer(x, padding, memory, memory_padding, band)
        x = x.transpose(0, 1)
        if not self.top:
            return x
        length = x.size(1)
        inner = F.gelu(self.concat1(torch.cat([x[:, : length - 2], x[:, 2:]], dim=-1)))
        x = x.clone()
        own = x[:, 1 : length - 1] + self.concat2(inner)  # the published code adds in place, which only half precision survives
        x[:, 1 : length - 1] = self.drop(F.gelu(own))
        return x

    def logits(self, features):
        return F.linear(features, self.embedding.weight)


def masked(target):
    """The published rule: 1 to all ordinary words, those of the lowest random numbers."""
    ordinary = target.ne(PAD) & target.ne(BOS) & target.ne(EOS)
    score = target.clone().float().uniform_()
    score.masked_fill_(~ordinary, 2.0)
    count = ordinary.sum(1).float()
    count = count * count.clone().uniform_() + 1
    rank = score.sort(1)[1]
    cutoff = torch.arange(rank.size(1)).expand_as(rank) < count[:, None].long()
    return target.masked_fill(cutoff.scatter(1, rank, cutoff), MASK)


def pair_mask(width, valid):
    base, all_ = torch.ones(width, width) - torch.eye(width, width), []
    for length in valid:
        one = base.clone()
        one[:, length:] = 0.0
        one[length:, :] = 0.0
        all_.append(one)
    return torch.stack(all_, dim=0)


def contrast(output, target):
    real = torch.ones_like(target).masked_fill(target.eq(PAD), 0)
    mask = pair_mask(target.size(1), [int(n) for n in real.sum(-1).tolist()]).type_as(real)
    rows = output / output.norm(dim=2, keepdim=True)
    score = torch.matmul(rows, rows.transpose(1, 2))
    difference = torch.diagonal(score, offset=0, dim1=1, dim2=2).unsqueeze(-1) - score
    per_row = torch.sum(F.relu(MARGIN - difference) * mask, dim=-1) * real
    return torch.sum(per_row) / (mask.sum(-1) * real).sum()


def loss_of(model, source, target, read, contrastive):
    memory, padding = model.encode(source)
    length_out = model.lengths(memory, padding)
    length_target = target.ne(PAD).sum(1).long().clamp(min=0, max=255)
    features = model.features(read, memory, padding)
    out = model.logits(features)
    chosen = read.eq(MASK)
    log_p, right = F.log_softmax(out[chosen], dim=-1), target[chosen]
    nll = F.nll_loss(log_p, right, reduction="none").float().mean()
    loss = nll * (1 - SMOOTHING) - log_p.float().mean() * SMOOTHING
    length_log_p = F.log_softmax(length_out, dim=-1)
    loss = loss + LENGTH_WEIGHT * F.nll_loss(length_log_p, length_target, reduction="none").mean()
    if contrastive:
        loss = loss + contrast(out, read) + contrast(features, read)
    return loss


@torch.inference_mode()
def mask_predict(model, sources, passes, beam):
    width = max(map(len, sources))
    source = torch.tensor([s + [PAD] * (width - len(s)) for s in sources])
    memory, padding = model.encode(source)
    length = F.log_softmax(model.lengths(memory, padding), -1).max(-1)[1].clamp_(min=2)
    length = (length[:, None] + torch.arange(beam) - beam // 2).view(-1).clamp_(min=2)
    copies = torch.arange(len(sources)).repeat_interleave(beam)
    memory, padding = memory.index_select(1, copies), padding.index_select(0, copies)
    index = torch.arange(int(length.max()))
    tokens = torch.full((length.numel(), index.numel()), PAD).masked_fill_(index[None] < length[:, None], MASK)
    tokens[:, 0] = BOS
    tokens.scatter_(1, length[:, None] - 1, EOS)
    scores = torch.zeros(tokens.shape)
    for step in range(passes):
        chosen = tokens.eq(MASK)
        best, ids = F.log_softmax(model.logits(model.features(tokens, memory, padding)), -1).max(-1)
        tokens.masked_scatter_(chosen, ids[chosen])
        scores.masked_scatter_(chosen, best[chosen])
        if step + 1 < passes:
            order = scores.sort(-1)[1]
            count = ((tokens.ne(PAD).sum(1, keepdim=True).type_as(scores) - 2) * (1 - (step + 1) / passes)).long()
            low = torch.arange(tokens.size(1)).expand_as(tokens) < count
            again = low.scatter(1, order, low)
            tokens.masked_fill_(again, MASK)
            scores.masked_fill_(again, 0.0)
    mean = (scores.sum(1) / tokens.ne(PAD).sum(1)).view(len(sources), beam)
    best = mean.max(1)[1].tolist()
    texts = [row[1 : n - 1] for row, n in zip(tokens.tolist(), length.tolist())]
    return [{"best": best[i], "ids": texts[i * beam : (i + 1) * beam], "scores": mean[i].tolist()} for i in range(len(sources))]


def decode_all(model, sources, passes, beam, rows):
    order, out = sorted(range(len(sources)), key=lambda i: len(sources[i])), [None] * len(sources)
    for first in range(0, len(order), rows):
        part = order[first : first + rows]
        for i, one in zip(part, mask_predict(model, [sources[i] for i in part], passes, beam)):
            out[i] = one
    return out


def print_rates(name, seconds, times):
    rates = sorted(times / s for s in seconds)
    print(f"{name:8} median {rates[len(rates) // 2]:.2f}/s, best {rates[-1]:.2f}/s, worst {rates[0]:.2f}/s")


def ratio(name, theirs, ours):
    all_ = sorted(b / a for a, b in zip(ours, theirs))
    at = lambda fraction: all_[round(fraction * (len(all_) - 1))]
    print(f"{name} {at(0.5):.3f} (10-90 %: {at(0.1):.3f}-{at(0.9):.3f}) over {len(all_)} rounds")


def train(options, start, ours, model):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(options.beta1, options.beta2), eps=options.eps,
                                  weight_decay=options.decay, **({"fused": True} if options.fused else {}))
    batches = [(start[f"source/{i}"], start[f"target/{i}"]) for i in range(sum(n.startswith("source/") for n in start))]

    def step(number, read=None, of=loss_of):
        source, target = batches[number % len(batches)]
        optimizer.zero_grad()
        loss = of(model, source, target, masked(target) if read is None else read, options.cl_ln)
        loss.backward()
        optimizer.step()
        return loss

    losses = [float(x) for x in ours.stdout.readline().split()]
    eager = [step(i, start[f"read/{i}"]).item() for i in range(COMPARED)]
    if options.dropout == 0:
        worst = max(abs(a - b) for a, b in zip(losses, eager))
        print(f"losses of {COMPARED} updates: {eager[0]:.4f} … {eager[-1]:.4f}, largest difference {worst:.1e}")
        assert worst <= 1e-4, (losses, eager)
    theirs = {"eager": loss_of, "compiled": torch.compile(loss_of)} if options.compile else {"eager": loss_of}
    theirs_s, ours_s = {name: [] for name in theirs}, []
    for turn in range(options.rounds + 1):  # the first warms all up
        for name, of in theirs.items():
            began = time.perf_counter()
            for number in range(options.steps):
                step(number, of=of)
            theirs_s[name].append(time.perf_counter() - began)
        print(options.steps, file=ours.stdin, flush=True)
        ours_s.append(float(ours.stdout.readline()))
    print_rates("ours", ours_s[1:], options.steps)
    for name, seconds in theirs_s.items():
        print_rates(name, seconds[1:], options.steps)
        ratio("ratio to " + name, seconds[1:], ours_s[1:])


def decode(options, ours, model):
    model.eval()
    told = json.loads(ours.stdout.readline())
    sources = told["sources"]
    run = lambda rows: decode_all(model, sources, 10, 5, rows)
    eager = run(64)
    equal = sum(x["best"] == y["best"] and x["ids"] == [c["ids"] for c in y["candidates"]] for x, y in zip(eager, told["rows"]))
    gap = max(abs(a - c["score"]) for x, y in zip(eager, told["rows"]) for a, c in zip(x["scores"], y["candidates"]))
    print(f"{equal} of {len(sources)} sentences have equal candidates and winners, largest difference of a score {gap:.1e}")
    candidates = {}
    for rows in (64, 32, 16, 8):
        began = time.perf_counter()
        run(rows)
        candidates[rows] = time.perf_counter() - began
    rows = min(candidates, key=candidates.get)
    print("PyTorch decodes", rows, "sentences at once:", {k: round(v, 3) for k, v in candidates.items()})
    theirs_s, ours_s, measured_s = [], [], []
    for turn in range(options.rounds + 1):
        began = time.perf_counter()
        run(rows)
        theirs_s.append(time.perf_counter() - began)
        print(1, file=ours.stdin, flush=True)
        plain, measured = map(float, ours.stdout.readline().split())
        ours_s.append(plain)
        measured_s.append(measured)
    print_rates("PyTorch", theirs_s[1:], len(sources))
    print_rates("ours", ours_s[1:], len(sources))
    ratio("ratio", theirs_s[1:], ours_s[1:])
    ratio("time with similarity capture / without", measured_s[1:], ours_s[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "decode"))
    parser.add_argument("--ours", default="build/release/bin/cmlm_bench")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--wide", action="store_true", help="d 512, V 10,000 instead of the tiny preset with V 2000")
    parser.add_argument("--cl-ln", action="store_true", help="with the contrastive loss and Look Neighbors")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--fused", action="store_true", help="AdamW(fused=True) for PyTorch")
    parser.add_argument("--compile", action="store_true", help="train: also by torch.compile of the loss")
    options = parser.parse_args()
    options.beta1, options.beta2, options.eps, options.decay = 0.9, 0.98, 1e-8, 0.01
    torch.set_num_threads(options.threads * options.replicas)
    torch.manual_seed(1)
    warnings.filterwarnings("ignore", message="Support for mismatched")
    settings = ["look_neighbors.edges=official", "sampler.ban_specials=false", "sampler.shortest=2", "sampler.length_beam=5",
                f"model.dropout={options.dropout}", f"train.beta2={options.beta2}", f"train.eps={options.eps}",
                f"train.weight_decay={options.decay}", "train.optimizer=adamw"]
    if options.cl_ln:
        settings += ["contrastive.weight=1", "look_neighbors.attention=true", "look_neighbors.top=official"]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.ours, folder, options.what, str(options.threads), str(options.replicas), str(int(options.wide))]
        ours = subprocess.Popen(command + settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = ours.stdout.readline()  # "ready": the file is there
        assert first.strip() == "ready", first
        start = tensors(folder + "/start.safetensors")
        model = Cmlm(start, 8 if options.wide else 4, options.dropout)
        print(options.what, "threads", options.threads, "x", options.replicas, "parameters", sum(p.numel() for p in model.parameters()))
        train(options, start, ours, model) if options.what == "train" else decode(options, ours, model)
        ours.stdin.close()
        ours.wait()


if __name__ == "__main__":
    main()
