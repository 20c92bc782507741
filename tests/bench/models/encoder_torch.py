#!/usr/bin/env python3
"""all-MiniLM-L6-v2's network in the published operation order in eager PyTorch, and encoder_bench in turns with it.

    python encoder_torch.py --ours build/release/bin/encoder_bench [--rounds 5] [--sentences 2000] [--threads 1] [--text FILE]

Prints sentences per second of both and the ratio with its 10-90 % range. Both sort the sentences by length, with the same
weights; the vectors must be the same. One thread: processor time; more: wall time, theirs inside an operation as PyTorch
has them. The module is Hugging Face's BertModel with sdpa attention: queries, keys and values are maps of their own, and a
batch (32 sentences, Sentence-Transformers' default; also 128) is padded and masked. --text takes the lengths of a file's
lines, one and a third token a word, else they are uniform between 4 and 40. Needs torch 2.11 and safetensors.
"""
import argparse
import random
import subprocess
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

HIDDEN, HEADS, LAYERS, VOCABULARY = 384, 12, 6, 30522
BATCHES = (32, 128)


def network(w):
    """Vectors of ids [n, L] with a mask of real tokens, by the weights as we name them."""
    maps = []
    for i in range(LAYERS):
        own = {name[len(f"bert.layer_{i}."):]: value for name, value in w.items() if name.startswith(f"bert.layer_{i}.")}
        parts = zip(own["attention.qkv.weight"].chunk(3), own["attention.qkv.bias"].chunk(3))
        maps.append((own, [(weight.contiguous(), bias.contiguous()) for weight, bias in parts]))

    def norm(x, own, name):
        return F.layer_norm(x, (HIDDEN,), own[name + ".weight"], own[name + ".bias"], 1e-12)

    def forward(ids, real):
        rows, length = ids.shape
        x = F.embedding(ids, w["bert.words.weight"]) + F.embedding(torch.zeros_like(ids), w["bert.token_types.weight"])
        x = norm(x + F.embedding(torch.arange(length)[None], w["bert.positions.weight"]), w, "bert.embedding_norm")
        mask = ((1 - real[:, None, None, :].float()) * torch.finfo(torch.float32).min).expand(rows, 1, length, length)
        for own, parts in maps:
            q, k, v = (F.linear(x, *part).view(rows, length, HEADS, -1).transpose(1, 2) for part in parts)
            y = F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).reshape(rows, length, HIDDEN)
            y = F.linear(y, own["attention.out.weight"], own["attention.out.bias"])
            x = norm(y + x, own, "attention_norm")
            y = F.gelu(F.linear(x, own["ffn.in.weight"], own["ffn.in.bias"]))
            x = norm(F.linear(y, own["ffn.out.weight"], own["ffn.out.bias"]) + x, own, "ffn_norm")
        weight = real[:, :, None].expand(x.shape).float()
        return F.normalize((x * weight).sum(1) / weight.sum(1).clamp(min=1e-9))
    return forward


def encoded(forward, sentences, batch):
    order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i]))
    vectors = torch.empty(len(sentences), HIDDEN)
    for first in range(0, len(order), batch):
        some = order[first:first + batch]
        longest = len(sentences[some[0]])
        ids = torch.tensor([sentences[i] + [0] * (longest - len(sentences[i])) for i in some])
        lengths = torch.tensor([len(sentences[i]) for i in some])
        vectors[some] = forward(ids, torch.arange(longest)[None] < lengths[:, None])
    return vectors


def lengths_of(options, draw):
    if options.text is None:
        return [draw.randint(4, 40) for _ in range(options.sentences)]
    lines = [line for line in options.text.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [2 + round(len(line.split()) * 4 / 3) for line in draw.sample(lines, options.sentences)]


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--text", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    draw = random.Random(1)
    sentences = [[draw.randrange(5, VOCABULARY) for _ in range(n)] for n in lengths_of(options, draw)]
    clock = time.process_time if options.threads == 1 else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        ids, out = Path(folder) / "ids", Path(folder) / "out"
        ids.write_text("".join(" ".join(map(str, one)) + "\n" for one in sentences))

        def ours(rounds):
            words = [options.ours, str(ids), str(rounds), str(options.threads), str(out)]
            return [float(x) for x in subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()]
        ours(1)
        tensors = load_file(out)
        made = tensors.pop("made")
        forward = network(tensors)
        rates = {batch: [] for batch in BATCHES}
        mine = []
        for round in range(options.rounds + 1):
            for batch in BATCHES:
                begin = clock()
                theirs = encoded(forward, sentences, batch)
                if round:
                    rates[batch].append(len(sentences) / (clock() - begin))
            if round:
                mine += ours(1)
    difference = (made - theirs).abs().max().item()
    print(f"{len(sentences)} sentences, {sum(map(len, sentences)) / len(sentences):.1f} tokens each;"
          f" largest difference {difference:.1e}")
    assert difference < 1e-5
    for batch, found in rates.items():
        ratios = sorted(a / b for a, b in zip(mine, found))
        low, high = ratios[len(ratios) // 10], ratios[len(ratios) - 1 - len(ratios) // 10]
        print(f"batches of {batch:3}: eager {sorted(found)[len(found) // 2]:.0f}/s, ours {sorted(mine)[len(mine) // 2]:.0f}/s,"
              f" ratio {ratios[len(ratios) // 2]:.2f} ({low:.2f}-{high:.2f})")


if __name__ == "__main__":
    main()
