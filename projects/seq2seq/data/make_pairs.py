#!/usr/bin/env python3
"""Makes the texts of this project from a built corpus and from the project "sample".

usage: make_pairs.py NOVELS [SAMPLE/data]

NOVELS       what `packaging/data/dialogue --novels --out NOVELS` wrote: turns and answers of Jane Austen's six
             novels and of Moby-Dick; public domain (Debian packages r-cran-janeaustenr, r-cran-tokenizers)

dialogue     what somebody says in a novel -> what is answered
modernise    a verse of 1769 -> the same verse in modern English, as in the project "sample"

The splits are those of the sources: all turns of a conversation are in one, and no turn is in two. Counts and
hashes (dialogue.corpus.json) are those that `kurve data import dialogue --same-language` over the files writes.
"""

import pathlib
import shutil
import sys

SPLITS = ("train", "valid", "test")
PROMPTS = 6
WORDS_OF_A_PROMPT = range(5, 20)
NOTICE = [
    "a turn<TAB>the answer",
    "Made by make_pairs.py. Public domain: what is said in six novels of Jane Austen and in Moby-Dick, by Herman",
    "Melville. See ../LICENSES.md.",
]
here = pathlib.Path(__file__).resolve().parent


def pairs_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("# ")]


def write(name, pairs):
    text = "".join(f"# {line}\n" for line in NOTICE) + "".join("\t".join(pair) + "\n" for pair in pairs)
    (here / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"{name}: {len(pairs)} pairs, {len(text.encode())} bytes")


def prompts(pairs):
    """Validation pairs of moderate length, one of each sixth."""
    fitting = [pair for pair in pairs if all(len(side.split()) in WORDS_OF_A_PROMPT for side in pair)]
    return [fitting[i * len(fitting) // PROMPTS] for i in range(PROMPTS)]


def dialogue(novels):
    for split in SPLITS:
        pairs = pairs_of(novels / f"novel-dialogue.{split}.tsv")
        write(f"dialogue.{split}.tsv", pairs)
        if split == "valid":
            write("prompts.dialogue.tsv", prompts(pairs))


def modernise(sample):
    for file in [*sample.glob("modernise.*"), sample / "prompts.modernise.tsv"]:
        shutil.copyfile(file, here / file.name)


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    dialogue(pathlib.Path(arguments[0]))
    modernise(pathlib.Path(arguments[1]) if len(arguments) > 1 else here.parents[1] / "sample" / "data")


if __name__ == "__main__":
    main(sys.argv[1:])
