"""Verses of Bibles by what they are called ("Gen.1:1"): SWORD modules, and pythonbible's wheels."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from english_text import sword_module
from pair_tasks.examples import Example, straight
from parallel_text.errors import BuildError

KJV, WEB = "sword-text-kjv", "sword-text-web"
MODULES = {KJV: "engKJV2006eb", WEB: "engWEB2015eb"}
BEGIN_OF_BOOK = re.compile(r'<div\b[^>]*\bsID=[^>]*\btype="book"')
BEGIN_OF_CHAPTER = re.compile(r'<chapter\b[^>]*\bosisID="([^"]+)"')
END_OF_CHAPTER = "<chapter eID="  # behind it: the next part of the volume, as a glossary

# pythonbible counts verses as the Hebrew Bible does and names the English number in front: \3:5\ of Psalm 3.
ENGLISH_NUMBER = re.compile(r"\\\\(\d+):(\d+)\\\\")
PSALMS = 19
PSALM_TITLE = re.compile(
    r"(?:(?:(?:For|To) the chief music-maker|A (?:Psalm|Song|Prayer)|Of (?:David|Asaph|Solomon|the sons of Korah))[^.]*\."
    r"|Maschil\.|Michtam\.|[A-Z]{2,}(?= [A-Z]))\s*"
)
GAP = re.compile(r"[*+\[\]\\]|\.\.\.")  # a damaged verse
# Two slips of version 0.0.2: Isaiah has a 64th chapter of one verse more, so that the last two are counted one too
# high, and a verse "+" of John 1, which moves those behind it.
ISAIAH, LAST_OF_ISAIAH = 23, 66
NO_VERSE = "+"


def sword_verses(unpacked: Path, package: str) -> dict[str, str]:
    folder = unpacked / package / "usr/share/sword/modules/texts/ztext" / MODULES[package]
    verses = {}
    for testament in ("ot", "nt"):
        chapter, number = None, 0
        for slot in sword_module.slots(folder, testament):
            text = slot.text if slot else ""
            begin = BEGIN_OF_CHAPTER.search(text)
            if begin or BEGIN_OF_BOOK.search(text):
                chapter, number = begin and begin[1], 0
                continue
            number += 1
            text = sword_module.plain(text.split(END_OF_CHAPTER)[0])
            if chapter and text:
                verses[f"{chapter}:{number}"] = text
    return verses


def numbered_texts(source: str) -> Iterator[tuple[int, str]]:
    """The verses of a module of pythonbible, which is read and not run: Bible(version, text, begins, ends, …)."""
    calls = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) >= 4
    ]
    if not calls:
        raise BuildError(
            "The wheel's text has another form.", "The corpus is of the version that the command names."
        )
    text, begins, ends = (ast.literal_eval(node) for node in calls[0].args[1:4])
    text = text.replace("\\", "\\\\")  # the positions count each of these marks twice
    for number, begin in begins.items():
        yield number, text[begin : ends[number]].strip()


def pythonbible_verses(source: str, books: list[str]) -> dict[str, str]:
    """By the English numbers. `books`: the names of the 66 books in order."""
    verses: dict[str, str] = {}
    moved: Counter[int] = Counter()  # by chapter: how many numbers too high
    for number, text in numbered_texts(source):
        book, chapter, verse = number // 1_000_000, number // 1000 % 1000, number % 1000
        if text == NO_VERSE:
            moved[number // 1000] += 1
            continue
        verse -= moved[number // 1000]
        english = ENGLISH_NUMBER.match(text)
        if english:
            chapter, verse, text = int(english[1]), int(english[2]), text[english.end() :]
        elif book == ISAIAH and chapter >= LAST_OF_ISAIAH:
            chapter -= 1
        name = f"{books[book - 1]}.{chapter}:{verse}"
        text = text.removesuffix("\\\\").strip()
        is_title_before = english and book == PSALMS and verse == 1
        if name in verses and not is_title_before:  # one English verse, two Hebrew ones
            text = f"{verses[name]} {text}"
        if book == PSALMS:
            while title := PSALM_TITLE.match(text):
                text = text[title.end() :]
        verses[name] = text
    return verses


def mended_quotes(text: str) -> str:
    """A speech may run over verses: its halves of quotation marks are taken off or closed."""
    opened, closed = text.count("“"), text.count("”")
    if opened > closed and text.startswith("“"):
        return text[1:]
    if closed > opened and text.endswith("”"):
        return text[:-1]
    return text + "”" if opened > closed else text


def paired(left: dict[str, str], right: dict[str, str], origin: str) -> list[Example]:
    """Verses that both have, where they differ."""
    return [
        Example(straight(text), straight(mended_quotes(right[name])), name.split(":")[0], origin)
        for name, text in left.items()
        if right.get(name, text) != text
    ]


def paraphrases(unpacked: Path) -> list[Example]:
    return paired(sword_verses(unpacked, KJV), sword_verses(unpacked, WEB), f"{KJV}, {WEB}")


def simplifications(unpacked: Path, source: str, origin: str) -> list[Example]:
    old = sword_verses(unpacked, KJV)
    books = list(dict.fromkeys(name.split(".")[0] for name in old))
    new = {name: text for name, text in pythonbible_verses(source, books).items() if not GAP.search(text)}
    return paired(old, new, f"{KJV}, {origin}")
