#!/usr/bin/env python3
"""Beam search of a trained Transformer run in eager PyTorch with a key/value cache, and kurve's, in turns.

    python transformer_torch.py RUN_FOLDER --inputs sources.txt --vocab data/tokenizers/HASH/vocab.tsv
        [--kurve build/release/bin/kurve] [--beam 5] [--rounds 5]

Same weights, same sources, one thread, processor time, rounds A B A B; prints sentences and tokens per second of both,
the ratio with its 10-90 % range, and how many outputs are equal. Needs torch 2.11. The PyTorch side is the search as one would write
it: batches sorted by length, finished sentences leave the batch, keys and values of the encoder projected once, caches
reordered by index_select, one transfer a step. kurve's time is that of its process less that of one for a single source.
"""
import argparse
import json
import math
import pathlib
import resource
import struct
import subprocess
import time

import torch
import torch.nn.functional as F

BOS, PAD, EOS, UNK, MASK = range(5)


def tensors(file):
    with open(file, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    out = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        kind = {"F32": torch.float32, "F16": torch.float16}[about["dtype"]]
        out[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=kind).float().view(about["shape"])
    return out


class Transformer:
    def __init__(self, weights, heads, positions):
        self.w, self.heads = weights, heads
        self.table = weights["embedding.weight"]
        self.hidden = self.table.size(1)
        count = lambda side: 1 + max(int(n.split(".")[0].split("_")[-1]) for n in weights if n.startswith(side + "_layer_"))
        self.encoder_layers, self.decoder_layers = count("encoder"), count("decoder")
        half = self.hidden // 2
        angle = torch.arange(positions + 2).double()[:, None] * torch.exp(torch.arange(half) * (-math.log(1e4) / (half - 1)))
        self.positions = torch.cat([angle.sin(), angle.cos()], 1).float()

    def linear(self, name, x):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, name, x):
        return F.layer_norm(x, (self.hidden,), self.w[name + ".weight"], self.w[name + ".bias"])

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def merged(self, x):
        return x.transpose(1, 2).reshape(x.size(0), x.size(2), self.hidden)

    def embed(self, ids, first):
        return F.embedding(ids, self.table) * math.sqrt(self.hidden) + self.positions[2 + first : 2 + first + ids.size(1)]

    def ffn(self, layer, x):
        return self.norm(layer + ".ffn_norm", x + self.linear(layer + ".ffn.out", F.relu(self.linear(layer + ".ffn.in", x))))

    def encode(self, source):
        mask = torch.zeros(source.shape).masked_fill(source == PAD, -math.inf)[:, None, None, :]
        x = self.embed(source, 0)
        for i in range(self.encoder_layers):
            layer = f"encoder_layer_{i}"
            q, k, v = self.linear(layer + ".attention.qkv", x).chunk(3, -1)
            y = F.scaled_dot_product_attention(self.split(q), self.split(k), self.split(v), attn_mask=mask)
            x = self.norm(layer + ".attention_norm", x + self.linear(layer + ".attention.out", self.merged(y)))
            x = self.ffn(layer, x)
        memory = []
        for i in range(self.decoder_layers):
            k, v = self.linear(f"decoder_layer_{i}.cross.key_value", x).chunk(2, -1)
            memory.append((self.split(k), self.split(v)))
        return memory, mask

    def step(self, tokens, memory, mask, cache, at):
        x = self.embed(tokens[:, None], at)
        for i in range(self.decoder_layers):
            layer = f"decoder_layer_{i}"
            q, k, v = (self.split(y) for y in self.linear(layer + ".attention.qkv", x).chunk(3, -1))
            if cache[i] is not None:
                k, v = torch.cat([cache[i][0], k], 2), torch.cat([cache[i][1], v], 2)
            cache[i] = (k, v)
            y = F.scaled_dot_product_attention(q, k, v)
            x = self.norm(layer + ".attention_norm", x + self.linear(layer + ".attention.out", self.merged(y)))
            y = F.scaled_dot_product_attention(self.split(self.linear(layer + ".cross.query", x)), *memory[i], attn_mask=mask)
            x = self.norm(layer + ".cross_norm", x + self.linear(layer + ".cross.out", self.merged(y)))
            x = self.ffn(layer, x)
        logp = F.log_softmax(F.linear(x[:, 0], self.table), -1)
        logp[:, [PAD, BOS, MASK]] = -math.inf
        return logp


@torch.inference_mode()
def beam_search(model, sources, beam, longest):
    width = max(map(len, sources))
    memory, mask = model.encode(torch.tensor([s + [PAD] * (width - len(s)) for s in sources]))
    expand = lambda y: y.repeat_interleave(beam, 0)
    memory, mask = [(expand(k), expand(v)) for k, v in memory], expand(mask)
    live = list(range(len(sources)))
    done = [[] for _ in sources]
    texts = [[] for _ in range(len(sources) * beam)]
    scores = torch.full((len(sources), beam), -math.inf)
    scores[:, 0] = 0
    tokens = torch.full((len(sources) * beam,), EOS)
    cache = [None] * model.decoder_layers
    for at in range(longest + 1):
        logp = model.step(tokens, memory, mask, cache, at)
        if at < 1:
            logp[:, EOS] = -math.inf
        if at >= longest:
            logp[:, :EOS] = -math.inf
            logp[:, EOS + 1 :] = -math.inf
        vocabulary = logp.size(1)
        best, index = (scores.view(-1, 1) + logp).view(len(live), -1).topk(2 * beam)
        rows, best_host, index_host = [], best.tolist(), index.tolist()
        keep, new_texts, new_tokens, new_scores = [], [], [], []
        for i, sentence in enumerate(live):
            survivors = []
            for rank, (score, flat) in enumerate(zip(best_host[i], index_host[i])):
                row, token = i * beam + flat // vocabulary, flat % vocabulary
                if score == -math.inf:
                    continue
                if token == EOS:
                    if rank < beam and len(done[sentence]) < beam:
                        done[sentence].append((score / (len(texts[row]) + 1), texts[row]))
                elif len(survivors) < beam:
                    survivors.append((row, token, score))
            if len(done[sentence]) == beam or not survivors:
                continue
            keep.append(sentence)
            for row, token, score in survivors:
                rows.append(row)
                new_texts.append(texts[row] + [token])
                new_tokens.append(token)
                new_scores.append(score)
        if not keep:
            break
        order = torch.tensor(rows)
        cache = [(k.index_select(0, order), v.index_select(0, order)) for k, v in cache]
        if len(keep) < len(live):
            memory, mask = [(k.index_select(0, order), v.index_select(0, order)) for k, v in memory], mask.index_select(0, order)
        live, texts, tokens = keep, new_texts, torch.tensor(new_tokens)
        scores = torch.tensor(new_scores).view(len(live), beam)
    return [max(all_, key=lambda one: one[0])[1] for all_ in done]


def ids_of(kurve, run, inputs):
    text = subprocess.run([kurve, "data", "tokenize", "--run", run, "--json"], input=inputs, text=True, capture_output=True, check=True)
    return [line["ids"] for line in json.loads(text.stdout)["lines"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--vocab", required=True)
    parser.add_argument("--kurve", default="build/release/bin/kurve")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--positions", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    run = pathlib.Path(args.run)
    weights = max(run.glob("checkpoints/step-*/weights.safetensors"))
    model = Transformer(tensors(weights), args.heads, args.positions)
    lines = pathlib.Path(args.inputs).read_text().splitlines()
    ids = [one + [EOS] for one in ids_of(args.kurve, str(run), "\n".join(lines) + "\n")]

    pieces = dict(line.split("\t")[:2] for line in pathlib.Path(args.vocab).read_text().splitlines())

    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def sampled(inputs):
        command = [args.kurve, "sample", str(run), "--json", "--threads", "1", "--quiet", "--set", f"sampler.beam={args.beam}"]
        began = children()
        made = subprocess.run(command + inputs, capture_output=True, text=True, check=True)
        return children() - began, [sample["output"] for sample in json.loads(made.stdout)["samples"]]

    def ours():
        start, texts = sampled(["--inputs", args.inputs])
        return start - sampled(["--input", lines[0]])[0], texts

    def eager():
        began, out = time.process_time(), [None] * len(ids)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        for first in range(0, len(order), 64):
            part = order[first : first + 64]
            for i, text in zip(part, beam_search(model, [ids[i] for i in part], args.beam, args.positions - 1)):
                out[i] = text
        return time.process_time() - began, out

    ours(), eager()
    times, ratios = [], []
    for _ in range(args.rounds):
        (a, texts), (b, eager_ids) = ours(), eager()
        times.append((a, b))
        ratios.append(b / a)
    generated = ["".join(pieces[str(i)] for i in text).replace("\u2581", " ").strip() for text in eager_ids]
    equal = sum(x == y for x, y in zip(texts, generated))
    ratios.sort()
    at = lambda fraction: ratios[round(fraction * (len(ratios) - 1))]
    tokens = sum(map(len, eager_ids)) + len(eager_ids)
    for name, k in (("kurve", 0), ("eager", 1)):
        best = min(t[k] for t in times)
        print(f"{name}: best {best:.3f} s, {len(ids) / best:.0f} sentences/s, {tokens / best:.0f} tokens/s")
    print(f"ratio {at(0.5):.2f} [{at(0.1):.2f}, {at(0.9):.2f}] over {args.rounds} rounds; {equal} of {len(ids)} outputs equal")


if __name__ == "__main__":
    main()
