"""Writes the corpus, and checks it against the numbers it must have."""

import os
from collections import Counter
from pathlib import Path

from parallel_text.cleaning import Pair, token_count
from parallel_text.errors import BuildError
from parallel_text.filters import SPLITS
from parallel_text.packages import RELEASE

NAME = "english-german"
EXPECTED_PAIRS = 161_792
EXPECTED_TOKENS = {"English": 14.90, "German": 14.66}
TOLERANCE = 0.02  # security updates change a package's texts a little

NOTICE = (
    f"# English<TAB>German. Source: messages, manuals, help and package descriptions of {RELEASE}, built by"
    " Kurve's packaging/data/english-german.\n"
    "# The texts stay under the licences of their packages (GPL, LGPL, MPL and others), which LICENSES.md and"
    " licenses/ of this build name one by one. Not to be passed on without them.\n"
)


def split_file(folder: Path, name: str) -> Path:
    return folder / f"{NAME}.{name}.tsv"


def write_whole(path: Path, text: str) -> None:
    """Replaces the file in one step: a killed run leaves the old one or none."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def write_splits(folder: Path, parts: dict[str, list[Pair]]) -> None:
    for name, pairs in parts.items():
        lines = "".join(f"{pair.english}\t{pair.german}\n" for pair in pairs)
        write_whole(split_file(folder, name), NOTICE + lines)


def write_sources(folder: Path, pairs: list[Pair]) -> None:
    counts = Counter(pair.origin for pair in pairs).most_common()
    rows = "".join("\t".join(origin) + f"\t{count}\n" for origin, count in counts)
    write_whole(folder / "sources.tsv", "kind\tEnglish package\tGerman package\tpairs\n" + rows)


def pairs_written(folder: Path) -> int:
    """How many pairs a finished build left in the folder; 0 when a file is missing."""
    total = 0
    for name in SPLITS:
        path = split_file(folder, name)
        if not path.exists():
            return 0
        with path.open(encoding="utf-8") as lines:
            total += sum(not line.startswith("# ") or "\t" in line for line in lines)
    return total if (folder / "LICENSES.md").exists() and (folder / "sources.tsv").exists() else 0


def is_near(value: float, expected: float) -> bool:
    return abs(value / expected - 1) <= TOLERANCE


def average_tokens(pairs: list[Pair]) -> dict[str, float]:
    count = max(1, len(pairs))
    return {
        "English": sum(token_count(pair.english) for pair in pairs) / count,
        "German": sum(token_count(pair.german) for pair in pairs) / count,
    }


def check(pairs: int, tokens: dict[str, float]) -> None:
    """Raises BuildError with what differs by more than 2 % from the corpus as it was first built."""
    compared = [("pairs", pairs, EXPECTED_PAIRS)] + [
        (f"{side} tokens a sentence", round(tokens[side], 2), expected)
        for side, expected in EXPECTED_TOKENS.items()
    ]
    differing = [
        f"{what}: {found:,} instead of {expected:,} ({found / expected - 1:+.1%})"
        for what, found, expected in compared
        if not is_near(found, expected)
    ]
    if differing:
        raise BuildError(
            f"The corpus differs from the expected one by more than 2 %. {'; '.join(differing)}.",
            "Its files are kept and can be used, but results on them are not comparable. sources.tsv says how"
            f" much each package gave; the expected corpus is of {RELEASE}.",
        )
