#!/usr/bin/env python3
"""Trains small tokenizers of every published kind and writes what `tokenizers` and `tiktoken` make of 10,000 lines.

    pip install tokenizers==0.23.3 tiktoken==0.14.0
    python3 make_tokenizers.py VERSES.tsv      # projects/sample/data/modernise.train.tsv

Writes the tokenizer files and golden.json beside this script. The lines are drawn by a linear congruential generator
from lines.json; published_test.cpp draws the same ones. Added tokens are taken out before a tokenizer is asked: text
that spells one is ordinary text.
"""
import base64
import datetime
import json
import pathlib
import platform
import sys
import time

import tiktoken
import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
DRAW = json.loads((HERE / "lines.json").read_text(encoding="utf-8"))
LINES, BLOCK, FULL_EVERY = 10000, 100, 400
MASK = 2**64 - 1
BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
# In Oniguruma {1,3}+ repeats the group and $ ends a line, which other engines read otherwise.
ONIGURUMA = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s"
TIKTOKEN = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
                   r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k_base": "|".join([
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"]),
}


SPLITS = [(r"\p{N}{1,3}+", "12345678 1"), (r"(?:ab){2}+c", "ababababc ababc"), (r"x\p{L}{2}+", "xabcd xabc"),
          (r"é{2}+", "éééé é"), (r"[a-c]{2}+", "abcabca"), (r"a$", "a\nba\n"), (r"^b", "b\nb"),
          (r"\s+", "a\u180eb\u0085c\u3000"), (r"[^\s\p{L}]", "a\u180eb\u00851"), (r"\S+", "a\u180eb c"),
          (r"(?=[A-Z])", "camelCaseÄWord"), (r"x*", "axxbéx"), (r"\d", "٣1"), (r"(?i:'s|'ll)", "a'ſ b'LL"),
          (r"[\]a]", "[]a"), (r"(?<=a)b", "abbab"), (r".", "a\nb"), ("+", "a+b++ ")]


class Draws:
    def __init__(self, seed):
        self.state = (seed * 2654435761 + 12345) & MASK

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 33) % n


def line(index):
    draws = Draws(index)
    text = ""
    for _ in range(1 + draws.below(9)):
        if draws.below(2) == 0:
            text += DRAW["words"][draws.below(len(DRAW["words"]))]
        else:
            low, high = DRAW["ranges"][draws.below(len(DRAW["ranges"]))]
            length = 60 + draws.below(200) if draws.below(60) == 0 else 1 + draws.below(6)
            text += "".join(chr(low + draws.below(high - low + 1)) for _ in range(length))
        text += DRAW["separators"][draws.below(len(DRAW["separators"]))]
    return text


def fnv(hash_, value):
    return ((hash_ ^ value) * 0x100000001B3) & MASK


def hash_ids(rows):
    h = 0xCBF29CE484222325
    for ids in rows:
        for i in ids:
            h = fnv(h, i)
        h = fnv(h, 0xFFFFFFFF)
    return f"{h:016x}"


def hash_texts(texts):
    return hash_ids(text.encode("utf-8") for text in texts)


def blocks(rows, hash_):
    return [hash_(rows[i:i + BLOCK]) for i in range(0, len(rows), BLOCK)]


def corpus(path):
    rows = [row.rstrip("\n").split("\t") for row in open(path, encoding="utf-8") if not row.startswith("#")]
    verses = [verse for row in rows for verse in row]
    return verses[:4000] + [line(i) for i in range(100000, 103000)]


def save(tokenizer, name, change=lambda spec: None):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    spec = json.loads(tokenizer.to_str())
    change(spec)
    text = json.dumps(spec, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text + "\n", encoding="utf-8")
    return without_added_tokens(spec)


def without_added_tokens(spec):
    """The tokenizer, and the tokens that Kurve's decode() leaves out."""
    hidden = {token["content"] for token in spec["added_tokens"]} | set(BERT_SPECIALS)
    return Tokenizer.from_str(json.dumps({**spec, "added_tokens": [], "post_processor": None})), hidden


def byte_bpe(text, size, pre_tokenizer, normalizer, specials):
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


def gpt2(text):
    def old_form(spec):  # as GPT-2's file was written: merges as strings, no "type", empty affixes
        spec["model"]["merges"] = [" ".join(pair) for pair in spec["model"]["merges"]]
        del spec["model"]["type"]
        spec["model"]["continuing_subword_prefix"] = spec["model"]["end_of_word_suffix"] = ""
    tokenizer = byte_bpe(text, 1200, pre_tokenizers.ByteLevel(add_prefix_space=False), None, ["<|endoftext|>"])
    return save(tokenizer, "gpt2", old_form)


def llama3(text):
    steps = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])

    def ignoring_merges(spec):  # without its last merges, the flag changes what the words become
        spec["model"]["ignore_merges"] = True
        spec["model"]["merges"] = [m for i, m in enumerate(spec["model"]["merges"]) if i < 400 or i % 3]
    tokenizer = byte_bpe(text, 1100, steps, None, [])
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>", "<|mdm_mask|>"])
    return save(tokenizer, "llama3", ignoring_merges)


def nfc(text):
    steps = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(ONIGURUMA), "removed", invert=True),
                                     pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)])
    tokenizer = byte_bpe(text, 900, steps, normalizers.NFC(), ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return save(tokenizer, "nfc")


def word_piece(text, size, lower):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=50))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=lower)
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False, limit_alphabet=500,
                                        special_tokens=BERT_SPECIALS)
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


def bert(text):
    return save(word_piece(text, 1500, True), "bert")


def cased_list(text):
    """A bare vocab.txt; read as BERT reads it: 100 characters a word, decoded with the spaces tidied."""
    spec = json.loads(word_piece(text, 1200, False).to_str())
    spec["model"]["max_input_chars_per_word"] = 100
    spec["decoder"]["cleanup"] = True
    order = sorted(spec["model"]["vocab"], key=spec["model"]["vocab"].get)
    folder = HERE / "cased_list"
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("".join(token + "\n" for token in order), encoding="utf-8")
    return without_added_tokens(spec)


def byte_tokens(tokenizer):
    """A trained byte-level vocabulary as bytes in the order of its ids, the 256 single bytes first."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    of_char = {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(others)}
    ids = tokenizer.get_vocab()
    tokens = [bytes(of_char[c] for c in token) for token in sorted(ids, key=ids.get)]
    return sorted((t for t in tokens if len(t) == 1)) + [t for t in tokens if len(t) > 1]


def tik(text, name, size):
    steps = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(TIKTOKEN[name]), "isolated"),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokens = byte_tokens(byte_bpe(text, size, steps, None, []))
    ranks = {token: rank for rank, token in enumerate(tokens)}
    rows = [f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()]
    (HERE / f"{name}.tiktoken").write_text("".join(rows))
    return tiktoken.Encoding(name, pat_str=TIKTOKEN[name], mergeable_ranks=ranks, special_tokens={})


def splits():
    rows = []
    for pattern, text in SPLITS:
        for behavior, invert in (("isolated", False), ("removed", False), ("removed", True)):
            literal = pattern == "+"
            cut = pre_tokenizers.Split(pattern if literal else Regex(pattern), behavior, invert=invert)
            parts = [part for part, _ in cut.pre_tokenize_str(text)]
            rows.append({"pattern": pattern, "literal": literal, "text": text,
                         "matches": behavior != "removed" or invert, "gaps": not invert, "parts": parts})
    return rows


def expected(name, encode, decode, one, count, lines):
    start = time.perf_counter()
    ids = [encode(text) for text in lines]
    seconds = time.perf_counter() - start
    texts = [decode(row) for row in ids]
    same = sum(a == b for a, b in zip(lines, texts))
    print(f"{name}: {count} tokens, {LINES / seconds:.0f} lines/s, {sum(map(len, ids)) / LINES:.1f} ids a line, "
          f"{same} lines come back", file=sys.stderr)
    return {"ids": blocks(ids, hash_ids), "texts": blocks(texts, hash_texts), "tokens": count,
            "each_token": hash_texts(map(one, range(count))), "lines_that_come_back": same,
            "full": {str(i): ids[i] for i in range(0, LINES, FULL_EVERY)}}


def of_tokenizers(name, tokenizer, hidden, lines):
    words = isinstance(tokenizer.model, models.WordPiece)

    def decode(ids):  # Kurve shows an unknown word as SentencePiece does
        text = tokenizer.decode(ids, skip_special_tokens=False)
        return text.replace("[UNK]", "⁇") if words else text

    def one(i):
        token = tokenizer.id_to_token(i)
        return "⁇" if token in ("<unk>", "[UNK]") else "" if token in hidden else decode([i])
    return expected(name, lambda t: tokenizer.encode(t, add_special_tokens=False).ids, decode, one,
                    tokenizer.get_vocab_size(), lines)


def of_tiktoken(encoding, lines):
    return expected(encoding.name, encoding.encode_ordinary, encoding.decode, lambda i: encoding.decode([i]),
                    encoding.n_vocab, lines)


def main():
    text = corpus(sys.argv[1])
    lines = [line(i) for i in range(LINES)]
    golden = {"about": f"make_tokenizers.py, python {platform.python_version()}, tokenizers {tokenizers.__version__}, "
                       f"tiktoken {tiktoken.__version__}, {datetime.date.today()}",
              "splits": splits(), "lines": blocks(lines, hash_texts),
              "full": {str(i): lines[i] for i in range(0, LINES, FULL_EVERY)}}
    for make in (gpt2, llama3, nfc, bert, cased_list):
        golden[make.__name__] = of_tokenizers(make.__name__, *make(text), lines)
    for name, size in (("gpt2", 700), ("cl100k_base", 1000), ("o200k_base", 1200)):
        golden[name + ".tiktoken"] = of_tiktoken(tik(text, name, size), lines)
    (HERE / "golden.json").write_text(json.dumps(golden, ensure_ascii=True, indent=None, separators=(",", ":")) + "\n")


main()
