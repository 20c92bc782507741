"""Selects among the readers' pairs, and splits the result into training, validation and test pairs."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from parallel_text import debian_manuals, libreoffice_help, manual_pages
from parallel_text.cleaning import Pair, words

MOST_PARTNERS = 8
FEWEST_WORDS_TO_JUDGE = 6
# The aligned kinds: a wrong alignment shows in numbers that differ. Messages and descriptions pair by key.
ALIGNED = {libreoffice_help.ORIGIN.kind, debian_manuals.KIND, manual_pages.KIND}
NUMBER = re.compile(r"\d{2,}")
NOT_LETTERS = re.compile(r"[\W\d_]+")
SPLITS = ("train", "valid", "test")

# The most frequent short words: which language a text is in. Catalogs hold strings left in a third language.
STOP_WORDS = {
    "en": "the of and an to in is that for it as with on this be are by you can if from or not",
    "de": "der die das und ist nicht mit für auf werden wird ein eine dem den von zu im sie oder",
    "fr": "le la les des de du et est une un en dans pour que qui sur avec pas vous ce au ou par à",
    "es": "el la los las de que en una un por para con se del al es no como su",
    "it": "il la di che un una per con non è del della le dei si da in sono come",
    "ro": "și de la în nu este un o care pentru cu pe să din sau dacă fi se al",
    "nl": "de het een van en is dat niet met voor op zijn wordt worden te in aan of om",
    "pt": "o a os as de que em um uma para com não do da é no na por se",
}
STOP_WORD_SETS = {language: frozenset(text.split()) for language, text in STOP_WORDS.items()}


@dataclass
class Selection:
    pairs: list[Pair] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def is_in_other_language(text: str, language: str) -> bool:
    found = [word.lower() for word in words(text)]
    if len(found) < FEWEST_WORDS_TO_JUDGE:
        return False
    hits = {name: sum(word in stop for word in found) for name, stop in STOP_WORD_SETS.items()}
    most = max(hits.values())
    return most >= 2 and hits[language] < most - 1 and hits[language] <= most // 2


def numbers_differ(pair: Pair) -> bool:
    """Whether there are numbers of two digits or more, and none is in both texts."""
    english, german = set(NUMBER.findall(pair.english)), set(NUMBER.findall(pair.german))
    return bool(english or german) and not english & german


class Boilerplate:
    """Sentences that occur with many partners ("see above", titles): the aligners' commonest mistake."""

    def __init__(self, pairs: list[Pair]) -> None:
        self._english = Counter(pair.key()[0] for pair in pairs)
        self._german = Counter(pair.key()[1] for pair in pairs)

    def has(self, pair: Pair) -> bool:
        english, german = pair.key()
        return self._english[english] > MOST_PARTNERS or self._german[german] > MOST_PARTNERS


def select(pairs: list[Pair]) -> Selection:
    """Each good pair once, in order; its origin is where it was met first."""
    selection = Selection()
    boilerplate = Boilerplate(pairs)
    seen = set()
    for pair in pairs:
        if boilerplate.has(pair):
            selection.dropped["boilerplate"] += 1
        elif pair.origin.kind in ALIGNED and numbers_differ(pair):
            selection.dropped["numbers differ"] += 1
        elif is_in_other_language(pair.english, "en") or is_in_other_language(pair.german, "de"):
            selection.dropped["another language"] += 1
        elif pair.key() in seen:
            selection.dropped["twice"] += 1
        else:
            seen.add(pair.key())
            selection.pairs.append(pair)
    return selection


def fnv1a(text: str) -> int:
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def split_of(english: str) -> str:
    """By the words of the English text alone: no sentence, nor one that differs from it in digits or the marks
    between words, is in two parts, and a pair stays where it is when others come or go."""
    percentile = fnv1a(NOT_LETTERS.sub(" ", english.lower()).strip()) % 100
    if percentile < 2:
        return "valid"
    return "test" if percentile < 4 else "train"


def split(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    parts: dict[str, list[Pair]] = {name: [] for name in SPLITS}
    for pair in pairs:
        parts[split_of(pair.english)].append(pair)
    return parts
