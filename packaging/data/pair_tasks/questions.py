"""Questions that stand as headings in manuals, each with the paragraphs that answer it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pair_tasks.examples import Example, straight
from parallel_text.alignment import Block
from parallel_text.cleaning import ABBREVIATION, SENTENCE_END, share_of_letters, words
from parallel_text.files import files_below, text_of
from parallel_text.markup import INLINE, INLINE_OF_MALLARD, blocks

PASSAGES = 3  # of a question
BLOCKS_TO_LOOK_AT = 7
FEWEST_WORDS_OF_PASSAGE, MOST_WORDS_OF_PASSAGE = 8, 100
FEWEST_WORDS_OF_QUESTION, MOST_WORDS_OF_QUESTION = 3, 30
SMALLEST_SHARE_OF_LETTERS = 0.75
LARGEST_PAGE = 3_000_000

HEADING = re.compile(r"h[1-6]|dt|title")
NUMBER = re.compile(r"(?:[A-Z]?\d+(?:\.\d+)*[.:)]?|[A-Z](?:\.\d+)+\.?|Q:|Section [A-Z] -)\s+")
SECTION = re.compile(r"[A-Z]?\d*(?:\.\d+)+\.?\s")  # a line of a table of contents
BEGIN_OF_QUESTION = re.compile(r"[A-Z(\"']")
END_OF_PASSAGE = re.compile(r"[.!?:;][\"')\]]*$")  # else the paragraph was cut by a tag
NAVIGATION = re.compile(r"(?:Next|Previous|Up): |Other languages: ")

POD_CODE = re.compile(r"\b[BCFILSXZ]<(?:<+ )?([^<>]*)(?: >+)?>")
POD_LINK = re.compile(r"\bL<(?:([^<>|]*)\|)?([^<>|]*)>")
# Read last: they stand for marks of the codes themselves. The characters between are private ones.
POD_CHARACTERS = {
    "E<lt>": ("\ue000", "<"),
    "E<gt>": ("\ue001", ">"),
    "E<sol>": ("\ue002", "/"),
    "E<verbar>": ("\ue003", "|"),
}


class Manual(NamedTuple):
    package: str
    folder: str
    ending: str


MANUALS = (
    Manual("anarchism", "usr/share/doc", ".html"),
    Manual("python3.11-doc", "usr/share/doc", ".html"),
    Manual("debian-faq", "usr/share/doc", ".en.html"),
    Manual("r-doc-html", "usr/share", ".html"),
    Manual("gnome-user-docs", "usr/share/help/C", ".page"),
    Manual("libboost1.74-doc", "usr/share/doc", ".html"),
    Manual("harden-doc", "usr/share/doc/harden-doc/html/en-US", ".html"),
    Manual("git-doc", "usr/share/doc", ".html"),
    Manual("perl-doc", "usr/share/perl", ".pod"),
)


def pod_blocks(document: str) -> list[Block]:
    """Headings and paragraphs of Perl's documentation; indented text is code."""
    found = []
    for paragraph in re.split(r"\n\s*\n", document):
        command = re.match(r"=(\w+)\s*(.*)", paragraph, re.S)
        if command and not command[1].startswith("head"):
            continue
        if command or not paragraph[:1].isspace():
            found.append(Block("h2" if command else "p", pod_text(command[2] if command else paragraph)))
    return found


def pod_text(text: str) -> str:
    for code, (stand_in, _) in POD_CHARACTERS.items():
        text = text.replace(code, stand_in)
    text = POD_LINK.sub(lambda link: link[1] or link[2], text)
    text = POD_CODE.sub(r"\1", POD_CODE.sub(r"\1", text))  # twice: one in another
    for stand_in, character in POD_CHARACTERS.values():
        text = text.replace(stand_in, character)
    return text


READERS = {
    ".html": blocks,
    ".en.html": blocks,
    ".page": lambda document: blocks(document, INLINE | INLINE_OF_MALLARD),
    ".pod": pod_blocks,
}


def question(block: Block) -> str | None:
    """The heading without number and mark, if it asks."""
    text = straight(block.text.rstrip("¶ "))
    if not HEADING.fullmatch(block.tag) or not text.endswith("?"):
        return None
    text = NUMBER.sub("", text, count=1) if NUMBER.match(text) else text
    fits = FEWEST_WORDS_OF_QUESTION <= len(words(text)) <= MOST_WORDS_OF_QUESTION
    return text if fits and BEGIN_OF_QUESTION.match(text) else None


def first_sentences(text: str) -> str:
    """As many as are not too long; all of a short text."""
    if len(text.split()) <= MOST_WORDS_OF_PASSAGE:
        return text
    found = ""
    for end in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text[: end.start()]):
            continue
        longer = text[: end.end()].rstrip()
        if len(longer.split()) > MOST_WORDS_OF_PASSAGE:
            break
        found = longer
    return found


def passage(text: str) -> str | None:
    """The paragraph's beginning; none of tables, navigation and what only leads to a list."""
    found = first_sentences(straight(text))
    is_good = bool(
        len(found.split()) >= FEWEST_WORDS_OF_PASSAGE
        and share_of_letters(found) >= SMALLEST_SHARE_OF_LETTERS
        and END_OF_PASSAGE.search(found)
        and not NAVIGATION.match(found)
        and not SECTION.match(found)
        and not (found.endswith((":", "?")) and not SENTENCE_END.search(found))
    )
    return found if is_good else None


def answered(page: list[Block]) -> Iterator[tuple[str, str]]:
    """Passages with their question."""
    for at, block in enumerate(page):
        asked = question(block)
        if asked is None:
            continue
        found = 0
        for below in page[at + 1 : at + 1 + BLOCKS_TO_LOOK_AT]:
            if HEADING.fullmatch(below.tag) or found == PASSAGES:
                break
            text = passage(below.text)
            if text:
                found += 1
                yield text, asked


def read(unpacked: Path) -> list[Example]:
    examples = []
    for manual in MANUALS:
        root = unpacked / manual.package / manual.folder
        for name in files_below(root, manual.ending):
            path = root / name
            if path.is_symlink() or path.stat().st_size > LARGEST_PAGE:
                continue
            page = READERS[manual.ending](text_of(path))
            examples += [Example(text, asked, asked, manual.package) for text, asked in answered(page)]
    return examples
