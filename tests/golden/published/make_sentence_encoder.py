#!/usr/bin/env python3
"""Writes sentence-encoder/: a folder as Sentence-Transformers publishes a BERT encoder, and what an independent forward
makes of it.

    pip install torch numpy safetensors
    python3 make_sentence_encoder.py

The names are those of Hugging Face's BertModel; the forward is written from BERT's and Sentence-BERT's papers and run in
float64. expected.json: a sentence of every length, one padded batch, and its vectors for each activation and pooling.
"""
import json
import math
import pathlib
import string

import numpy as np
import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent / "sentence-encoder"
SEED, EPSILON = 5, 1e-12
HIDDEN, FFN, LAYERS, HEADS, LENGTH, TYPES = 24, 40, 3, 3, 20, 2
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["the", "kite", "was", "red", "garden", "and", "in", "##s", "##ing", "##ed", "fly", "tom", "anna", ".", ",", "!"]
ACTIVATIONS = {"gelu": lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2))),
               "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
               "relu": lambda x: x.clamp_min(0)}
CASES = {"published": ("gelu", "mean", True), "tanh": ("gelu_new", "first", True), "raw": ("relu", "mean", False)}


def tensors(vocabulary, random):
    shapes = {"embeddings.word_embeddings.weight": (vocabulary, HIDDEN),
              "embeddings.position_embeddings.weight": (LENGTH, HIDDEN),
              "embeddings.token_type_embeddings.weight": (TYPES, HIDDEN)}

    def linear(name, inputs, outputs):
        shapes[name + ".weight"], shapes[name + ".bias"] = (outputs, inputs), (outputs,)

    def norm(name):
        shapes[name + ".LayerNorm.weight"] = shapes[name + ".LayerNorm.bias"] = (HIDDEN,)
    norm("embeddings")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        for part in ("query", "key", "value"):
            linear(layer + "attention.self." + part, HIDDEN, HIDDEN)
        linear(layer + "attention.output.dense", HIDDEN, HIDDEN)
        norm(layer + "attention.output")
        linear(layer + "intermediate.dense", HIDDEN, FFN)
        linear(layer + "output.dense", FFN, HIDDEN)
        norm(layer + "output")
    linear("pooler.dense", HIDDEN, HIDDEN)
    weights = {}
    for name, shape in shapes.items():
        values = random.normal(0, 0.3, shape) + (1.0 if name.endswith("LayerNorm.weight") else 0.0)
        weights[name] = torch.from_numpy(values.astype(np.float32))
    return weights


def layer_norm(x, w, name):
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred ** 2).mean(-1, keepdim=True)
    return centred / torch.sqrt(variance + EPSILON) * w[name + ".LayerNorm.weight"] + w[name + ".LayerNorm.bias"]


def linear(x, w, name):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def vector(ids, w, activation, pooling, normalize):
    """Of one sentence alone, so that there is no padding."""
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:len(ids)]
    x = layer_norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        q, k, v = (linear(x, w, layer + "attention.self." + part).unflatten(-1, (HEADS, -1)).transpose(0, 1)
                   for part in ("query", "key", "value"))
        attended = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(HIDDEN // HEADS), -1) @ v
        x = layer_norm(x + linear(attended.transpose(0, 1).flatten(1), w, layer + "attention.output.dense"), w,
                       layer + "attention.output")
        inner = ACTIVATIONS[activation](linear(x, w, layer + "intermediate.dense"))
        x = layer_norm(x + linear(inner, w, layer + "output.dense"), w, layer + "output")
    pooled = x.mean(0) if pooling == "mean" else x[0]
    return pooled / pooled.norm() if normalize else pooled


def main():
    vocabulary = SPECIAL + list(string.ascii_lowercase) + ["##" + c for c in string.ascii_lowercase] + WORDS
    random = np.random.default_rng(SEED)
    weights = tensors(len(vocabulary), random)
    (HERE / "1_Pooling").mkdir(parents=True, exist_ok=True)
    published = {**weights, "embeddings.position_ids": torch.arange(LENGTH)[None]}
    save_file(published, HERE / "model.safetensors", {"format": "pt"})
    (HERE / "model.safetensors").chmod(0o644)

    def write(file, value):
        (HERE / file).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    write("config.json", {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu",
                          "hidden_size": HIDDEN, "intermediate_size": FFN, "num_hidden_layers": LAYERS,
                          "num_attention_heads": HEADS, "max_position_embeddings": LENGTH,
                          "type_vocab_size": TYPES, "vocab_size": len(vocabulary), "layer_norm_eps": EPSILON,
                          "position_embedding_type": "absolute", "pad_token_id": 0})
    write("modules.json", [{"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind}
                           for i, (kind, path) in enumerate([("Transformer", ""), ("Pooling", "1_Pooling"),
                                                             ("Normalize", "2_Normalize")])])
    write("1_Pooling/config.json", {"word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": False,
                                    "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False})
    write("tokenizer_config.json", {"do_lower_case": True, "tokenizer_class": "BertTokenizer"})
    (HERE / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")

    first, last = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    sentences = []
    for length in range(1, LENGTH + 1):
        inner = random.integers(len(SPECIAL), len(vocabulary), max(0, length - 2)).tolist()
        sentences.append(([first] + inner + [last])[:length])
    exact = {name: value.double() for name, value in weights.items()}
    expected = {"sentences": sentences, "cases": {}}
    for name, (activation, pooling, normalize) in CASES.items():
        vectors = [[round(v, 9) for v in vector(torch.tensor(ids), exact, activation, pooling, normalize).tolist()]
                   for ids in sentences]
        expected["cases"][name] = {"activation": activation, "pooling": pooling, "normalize": normalize,
                                   "vectors": vectors}
    text = "the red kite was flying."
    ids = [vocabulary.index(t) for t in ["[CLS]", "the", "red", "kite", "was", "fly", "##ing", ".", "[SEP]"]]
    expected["text"] = {"text": text, "ids": ids}
    (HERE / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
