"""Reads Debian's own manuals: HTML pages whose structure is the same in both languages."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from parallel_text.alignment import align
from parallel_text.cleaning import Origin, Pair, PairCollector
from parallel_text.files import files_below, text_of
from parallel_text.markup import blocks

KIND = "manuals"


class Manual(NamedTuple):
    english_package: str
    german_package: str
    folder: str
    german_name: Callable[[str], str]  # file of the translation, from the English file


def reference_name(name: str) -> str:
    return name.replace(".en.", ".de.").replace("/en/", "/de/")


def faq_name(name: str) -> str:
    return "de/" + name.replace(".en.html", ".html").replace(".html", ".de.html")


MANUALS = (
    Manual("debian-reference-en", "debian-reference-de", "usr/share", reference_name),
    Manual("debian-faq", "debian-faq-de", "usr/share/doc/debian/FAQ", faq_name),
)


def read(unpacked: Path) -> list[Pair]:
    collector = PairCollector()
    for manual in MANUALS:
        origin = Origin(KIND, manual.english_package, manual.german_package)
        english_root = unpacked / manual.english_package / manual.folder
        german_root = unpacked / manual.german_package / manual.folder
        for name in files_below(english_root, ".html"):
            translation = german_root / manual.german_name(name)
            if not translation.exists():
                continue
            english, german = blocks(text_of(english_root / name)), blocks(text_of(translation))
            for left, right in align(english, german):
                if left != right:
                    collector.add(left, right, origin)
    return collector.pairs()
