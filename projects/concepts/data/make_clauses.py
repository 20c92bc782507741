#!/usr/bin/env python3
"""Writes clauses.{train,valid,test}.txt: clauses of two public texts, one a line, an empty line behind each passage.

    python3 make_clauses.py VERSES.tsv PROSE.txt

VERSES.tsv   verse by verse, tab-separated: 1769 English, modern English, …; public domain
             (Debian packages sword-text-kjv, sword-text-web)
PROSE.txt    Pride and Prejudice (Jane Austen, 1813), a paragraph a line; public domain

A passage is eight verses or three paragraphs; every second one is taken. A clause has at most 80 characters: a longer
sentence is cut behind ; : and commas, else at a space.
"""
import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
CAP, VERSES, PARAGRAPHS = 80, 8, 3
PARTS = 20  # a twentieth each for validation and test


def lines(path):
    return [line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]


def plain(text):
    return " ".join(re.sub("[“”\"_]", "", text).replace("‘", "'").replace("’", "'").replace("--", " -- ").split())


def joined(pieces):
    """As few clauses as the cap allows."""
    clauses = [""]
    for piece in pieces:
        if len(clauses[-1]) + 1 + len(piece) <= CAP:
            clauses[-1] = f"{clauses[-1]} {piece}".strip()
        else:
            clauses.append(piece)
    return [clause for clause in clauses if clause]


def cut(piece, marks=(r"(?<=[;:])\s+", r"(?<=,)\s+", r"\s+")):
    if len(piece) <= CAP:
        return [piece]
    return joined([shorter for part in re.split(marks[0], piece) for shorter in cut(part, marks[1:])])


def clauses(text):
    return [clause for sentence in re.split(r"(?<=[.!?])\s+", text) for clause in cut(sentence)]


def passages(texts, size):
    for begin in range(0, len(texts), 2 * size):
        found = [c for text in texts[begin:begin + size] for c in clauses(plain(text)) if re.search("[A-Za-z]", c)]
        if len(found) > 1:
            yield found


def main():
    verses, prose = sys.argv[1:]
    parts = {"train": [], "valid": [], "test": []}
    for passage in [*passages([line.split("\t")[1] for line in lines(verses)], VERSES), *passages(lines(prose), PARAGRAPHS)]:
        part = int(hashlib.sha256(passage[0].encode()).hexdigest(), 16) % PARTS
        parts[{0: "valid", 1: "test"}.get(part, "train")].append(passage)
    for split, found in parts.items():
        text = "\n".join("\n".join(passage) + "\n" for passage in found)
        (HERE / f"clauses.{split}.txt").write_text(text, encoding="utf-8")
        print(f"{split}: {len(found)} passages, {sum(map(len, found))} clauses, {len(text)} characters")


if __name__ == "__main__":
    main()
