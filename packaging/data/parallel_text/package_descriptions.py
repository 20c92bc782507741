"""Reads what apt knows of all packages: their descriptions, in the mirrors' Translation-* files."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from parallel_text.cleaning import Origin, Pair, PairCollector
from parallel_text.errors import BuildError

DESCRIPTIONS = "package descriptions"
ORIGIN = Origin(DESCRIPTIONS, DESCRIPTIONS, DESCRIPTIONS)
APT_HELPER = "/usr/lib/apt/apt-helper"
KEY = re.compile(r"^Description-md5: (\w+)", re.M)
TEXT = {language: re.compile(rf"^Description-{language}: (.*(?:\n .*)*)", re.M) for language in ("en", "de")}
BULLET = re.compile(r"\s+[-*+o]\s+")


class Description(NamedTuple):
    title: str
    paragraphs: list[str]


def index_files(lists: Path, language: str) -> list[Path]:
    """The language's files of all suites (main, updates, security), compressed or not."""
    name = re.compile(rf".*main_i18n_Translation-{language}(\.\w+)?")
    return sorted(path for path in lists.iterdir() if name.fullmatch(path.name))


def index_text(path: Path) -> str:
    # apt keeps them compressed, mostly as LZ4, which Python cannot read.
    answer = subprocess.run([APT_HELPER, "cat-file", str(path)], capture_output=True, check=False)
    if answer.returncode:
        reason = answer.stderr.decode(errors="replace").strip()
        raise BuildError(f"{path} cannot be read: {reason}", f"Delete {path.parent} and run again.")
    return answer.stdout.decode("utf-8", "replace")


def paragraphs(lines: list[str]) -> list[str]:
    """A description's paragraphs and bullet points; a lone dot stands between paragraphs (policy 5.6.13)."""
    found: list[list[str]] = [[]]
    for line in lines:
        text = line[1:]
        if line.strip() == ".":
            found.append([])
        elif BULLET.match(text):
            found.append([BULLET.sub("", text, count=1)])
        else:
            found[-1].append(text.strip())
    joined = (" ".join(paragraph) for paragraph in found)
    return [paragraph for paragraph in joined if paragraph]


def descriptions(index: str, language: str) -> dict[str, Description]:
    """The descriptions of an index by the checksum of their English text."""
    found = {}
    for entry in index.split("\n\n"):
        key, text = KEY.search(entry), TEXT[language].search(entry)
        if key and text:
            title, *lines = text[1].split("\n")
            found[key[1]] = Description(title.strip(), paragraphs(lines))
    return found


def all_descriptions(lists: Path, language: str) -> dict[str, Description]:
    found: dict[str, Description] = {}
    for path in index_files(lists, language):
        found.update(descriptions(index_text(path), language))
    return found


def read(lists: Path) -> list[Pair]:
    """Pairs of the descriptions whose translation is of the present English text."""
    collector = PairCollector()
    english_texts = all_descriptions(lists, "en")
    for key, german in all_descriptions(lists, "de").items():
        english = english_texts.get(key)
        if english is None:
            continue
        collector.add(english.title, german.title, ORIGIN)
        if len(english.paragraphs) == len(german.paragraphs):
            for left, right in zip(english.paragraphs, german.paragraphs):
                collector.add(left, right, ORIGIN)
    return collector.pairs()
