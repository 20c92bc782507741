#!/usr/bin/env python3
"""Makes the texts of this project from the project "sample": the modern verses of its task modernise.

usage: make_texts.py [SAMPLE/data]

A verse is a line, of at most 140 characters; the splits are those of the task. Public domain.
"""
import pathlib
import sys

LONGEST = 140
here = pathlib.Path(__file__).resolve().parent
source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent.parent / "sample" / "data"
for split in ("train", "valid", "test"):
    lines = (source / f"modernise.{split}.tsv").read_text(encoding="utf-8").splitlines()
    verses = [line.split("\t")[1] for line in lines if not line.startswith("# ")]
    kept = [verse for verse in verses if len(verse) <= LONGEST]
    (here / f"verses.{split}.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")
    print(f"verses.{split}.txt: {len(kept)} lines, {sum(map(len, kept))} characters")
