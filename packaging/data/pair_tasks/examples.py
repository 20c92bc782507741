"""An example, and the texts' small repairs that all readers share."""

import re
from typing import NamedTuple

from parallel_text.cleaning import words

STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "\u00ad": None})
SPACED_MARK = re.compile(r" ([,.;:!?)])(?=\s|$)")


class Example(NamedTuple):
    source: str
    target: str
    group: str  # examples of one group come into one split: a chapter, a question, a conversation
    origin: str  # the package that has the text


def straight(text: str) -> str:
    """On one line, with the quotation marks of a keyboard."""
    return SPACED_MARK.sub(r"\1", " ".join(text.translate(STRAIGHT).split()))


def has_words(text: str, least: int, most: int) -> bool:
    return least <= len(text.split()) <= most and len(words(text)) >= min(least, 1)
