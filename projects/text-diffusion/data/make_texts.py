#!/usr/bin/env python3
"""Makes the texts of this project from two public ones.

usage: make_texts.py VERSES.tsv PROSE.txt [OUT]      (OUT: this folder)

VERSES.tsv   verse by verse, tab-separated: 1769 English, modern English, …; public domain
             (Debian packages sword-text-kjv, sword-text-web)
PROSE.txt    Pride and Prejudice (Jane Austen, 1813), a paragraph a line; public domain

verses       short sentences of the modern verses, without quotation marks: one sentence is one text
prose        paragraphs, to be read as running text

A hash of a line's letters decides its split, so that a new line moves no other and no line stands in two splits.
"""
import hashlib
import os
import re
import sys

LEAST, MOST = 4, 14  # words of a sentence
PARTS = 20           # a twentieth each for validation and test


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if not line.startswith("# ")]


def split_of(text):
    letters = "".join(c for c in text.lower() if c.isalpha())
    part = int(hashlib.sha256(letters.encode()).hexdigest(), 16) % PARTS
    return {0: "valid", 1: "test"}.get(part, "train")


def sentences(verses):
    """Sentences as they stand in the verses, without quotation marks; each once."""
    seen = {}
    for verse in verses:
        text = re.sub("[“”\"]", "", verse.split("\t")[1]).replace("‘", "'").replace("’", "'")
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            sentence = re.sub(r"(^| )'|'( |$)", r"\1\2", sentence).strip()
            if LEAST <= len(sentence.split()) <= MOST and sentence[0].isupper() and sentence[-1] in ".?!":
                seen.setdefault(sentence)
    return list(seen)


def write(out, name, texts):
    parts = {"train": [], "valid": [], "test": []}
    for text in texts:
        parts[split_of(text)].append(text)
    for split, kept in parts.items():
        with open(os.path.join(out, f"{name}.{split}.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(kept) + "\n")
        print(f"{name}.{split}.txt: {len(kept)} lines, {sum(map(len, kept))} characters")


def main():
    verses, prose = sys.argv[1], sys.argv[2]
    out = sys.argv[3] if len(sys.argv) > 3 else os.path.dirname(os.path.abspath(__file__))
    write(out, "verses", sentences(lines(verses)))
    write(out, "prose", [line.replace("_", "") for line in lines(prose) if line.strip()])


if __name__ == "__main__":
    main()
