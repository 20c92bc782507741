"""The paragraphs of each source."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from english_text import r_data, sword_module
from parallel_text.cleaning import SENTENCE_END, ABBREVIATION

WORDS_OF_A_PIECE = 120  # a commentary's entry may have pages
SHORTEST = 8
SMALLEST_SHARE_OF_LETTERS = 0.7
HAS_SENTENCE_END = re.compile(r"[.!?;:][\"”’)\]]?(\s|$)")
BLANK_LINE = re.compile(r"\n\s*\n")
R_DATA = "usr/lib/R/site-library/{0}/data"
SWORD = "usr/share/sword/modules/"


class Source(NamedTuple):
    package: str
    title: str
    paragraphs: Callable[[Path], Iterator[str]]  # of the folder with the package's files


def austen(folder: Path) -> Iterator[str]:
    for lines in r_data.variables(folder / R_DATA.format("janeaustenr")).values():
        yield from "\n".join(lines).split("\n\n")


def moby_dick(folder: Path) -> Iterator[str]:
    text = r_data.variables(folder / R_DATA.format("tokenizers"))["mobydick"][0].replace("\r", "")
    begin, end = text.find("*** START OF TH"), text.find("*** END OF TH")
    if 0 <= begin < end:  # Project Gutenberg's header and licence are not part of the novel
        text = text[text.find("\n", begin) : end]
    yield from BLANK_LINE.split(text)


def sentences(text: str) -> list[str]:
    found, begin = [], 0
    for end in SENTENCE_END.finditer(text):
        if not ABBREVIATION.search(text[begin : end.start()]):
            found.append(text[begin : end.start()].strip())
            begin = end.end()
    return [sentence for sentence in [*found, text[begin:].strip()] if sentence]


def sword(module: str) -> Callable[[Path], Iterator[str]]:
    """Long entries in pieces of whole sentences."""

    def paragraphs(folder: Path) -> Iterator[str]:
        for entry in sword_module.entries(folder / SWORD / module):
            piece: list[str] = []
            for sentence in sentences(sword_module.plain(entry)):
                piece.append(sentence)
                if sum(len(one.split()) for one in piece) >= WORDS_OF_A_PIECE:
                    yield " ".join(piece)
                    piece = []
            if piece:
                yield " ".join(piece)

    return paragraphs


SOURCES = (
    Source("r-cran-janeaustenr", "Jane Austen, six novels", austen),
    Source("r-cran-tokenizers", "Herman Melville, Moby-Dick", moby_dick),
    Source("sword-comm-tdavid", "C. H. Spurgeon, The Treasury of David", sword("comments/zcom/tdavid")),
    Source("sword-comm-mhcc", "Matthew Henry, Concise Commentary", sword("comments/zcom/mhcc")),
    Source("sword-text-kjv", "King James Bible, 1769", sword("texts/ztext/engKJV2006eb")),
    Source("sword-text-web", "World English Bible", sword("texts/ztext/engWEB2015eb")),
)


def is_prose(text: str) -> bool:
    letters = sum(character.isalpha() or character == " " for character in text)
    return (
        len(text.split()) >= SHORTEST
        and letters >= SMALLEST_SHARE_OF_LETTERS * len(text)
        and HAS_SENTENCE_END.search(text) is not None
    )


def selected(unpacked: Path) -> Iterator[tuple[Source, str]]:
    """Every paragraph of prose once, in the order of the sources."""
    known: set[str] = set()
    for source in SOURCES:
        for paragraph in source.paragraphs(unpacked / source.package):
            text = " ".join(paragraph.replace("\u00ad", "").split())
            if is_prose(text) and text not in known:
                known.add(text)
                yield source, text
