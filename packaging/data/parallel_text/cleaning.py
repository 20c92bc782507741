"""Cleans pairs of texts, cuts them into sentences and decides which are worth keeping."""

import html
import re
import unicodedata
from typing import NamedTuple

SHORTEST_ENGLISH = 3
SHORTEST_GERMAN = 2
LONGEST = 60
LARGEST_RATIO = 2.0
SMALLEST_SHARE_OF_LETTERS = 0.6
LARGEST_SHARE_OF_SHARED_WORDS = 0.7

CONTEXT = re.compile(r"^[a-z][a-z_ ]{0,30}\^")  # some catalogs write it before a message: `female^`
TAG = re.compile(r"<[^<>]{0,200}>")
INVISIBLE = str.maketrans("", "", "\u00ad\u200b\ufeff")  # soft hyphen, zero-width space, byte-order mark
ACCELERATOR_IN_BRACKETS = re.compile(r"\s*\(\s*[_&~]\w\s*\)")
SNAKE_CASE = re.compile(r"\w{2,}_\w{2,}")
SPACE = re.compile(r"\s+")
WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
TOKEN = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*|[^\w\s]|_")
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»)\]]?\s+(?=[\"“„«(\[]?[A-ZÄÖÜÉÈÀÇÎȘȚÂ0-9¿¡])")
ABBREVIATION = re.compile(
    r"\b(e\.g|i\.e|etc|Mr|Mrs|Dr|St|vs|cf|Fig|No"
    r"|z\.\s?B|d\.\s?h|bzw|usw|ca|vgl|Nr|Abb|u\.\s?a|o\.\s?Ä|s\.\s?o)\.$"
)


class Origin(NamedTuple):
    """Where a pair was met first: the kind of text and the packages that hold its two sides."""

    kind: str
    english_package: str
    german_package: str


class Pair(NamedTuple):
    english: str
    german: str
    origin: Origin

    def key(self) -> tuple[str, str]:
        """Pairs that differ in case only are one pair."""
        return self.english.lower(), self.german.lower()


def without_accelerators(text: str) -> str:
    """Takes off the mark of the underlined letter of menus: `_File`, `&File`, `~File`, `File (&F)`."""
    text = ACCELERATOR_IN_BRACKETS.sub("", text)
    # Only a single mark is one: two are identifiers, operators or home directories.
    if text.count("&") == 1 and re.search(r"&\w", text) and not re.search(r"\w&\w\b", text):
        text = text.replace("&", "")
    if text.count("_") == 1 and not SNAKE_CASE.search(text):
        text = text.replace("_", "")
    if text.count("~") == 1 and re.search(r"~\w", text):
        text = text.replace("~", "")
    return text


def normalised(text: str) -> str:
    """The text without context, markup, entities, invisible characters and accelerators, on one line."""
    text = TAG.sub(" ", CONTEXT.sub("", text).translate(INVISIBLE))
    text = TAG.sub(" ", html.unescape(text))  # again: help texts hold escaped tags
    text = unicodedata.normalize("NFC", without_accelerators(text))
    return SPACE.sub(" ", text).strip()


def words(text: str) -> list[str]:
    return WORD.findall(text)


def token_count(text: str) -> int:
    """Words and punctuation marks, about as many as Moses' tokenizer finds."""
    return len(TOKEN.findall(text))


def share_of_letters(text: str) -> float:
    return sum(c.isalpha() or c == " " for c in text) / max(1, len(text))


def is_untranslated(english: str, german: str) -> bool:
    if english.lower() == german.lower():
        return True
    vocabulary = {word.lower() for word in words(english)}
    shared = vocabulary & {word.lower() for word in words(german)}
    # Short texts may share names and commands only.
    return len(vocabulary) >= 4 and len(shared) / len(vocabulary) > LARGEST_SHARE_OF_SHARED_WORDS


def is_good(english: str, german: str) -> bool:
    """Whether two normalised texts look like a sentence and its translation."""
    for text, shortest in ((english, SHORTEST_ENGLISH), (german, SHORTEST_GERMAN)):
        if not shortest <= len(text.split()) <= LONGEST or len(words(text)) < shortest:
            return False
        if share_of_letters(text) < SMALLEST_SHARE_OF_LETTERS:
            return False
    ratio = len(english) / len(german)
    if ratio > LARGEST_RATIO or ratio < 1 / LARGEST_RATIO:
        return False
    return not is_untranslated(english, german)


def sentences(text: str) -> list[str]:
    found = []
    start = 0
    for end in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text[start : end.start()]):
            continue
        found.append(text[start : end.start()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def sentence_pairs(english: str, german: str) -> list[tuple[str, str]]:
    """Cuts a pair of paragraphs into sentences when both have equally many, else leaves it whole."""
    left, right = sentences(english), sentences(german)
    if len(left) == len(right) and len(left) > 1:
        return list(zip(left, right))
    return [(english, german)]


class PairCollector:
    """Keeps what is good of the pairs it is given, each once, in the order of their first appearance."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], Pair] = {}

    def add(self, english: str, german: str, origin: Origin) -> None:
        for left, right in sentence_pairs(normalised(english), normalised(german)):
            if is_good(left, right):
                pair = Pair(left, right, origin)
                self._pairs.setdefault(pair.key(), pair)

    def pairs(self) -> list[Pair]:
        return list(self._pairs.values())
