"""Turns of conversations and their answers: of novels, and of the Chit-Chat Challenge."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from english_text import texts
from pair_tasks.examples import Example, has_words, straight

AUSTEN, MELVILLE = "r-cran-janeaustenr", "r-cran-tokenizers"
FIRST_CHAPTER = "CHAPTER 1. Loomings."  # before it, Moby-Dick quotes other books
FEWEST_WORDS, MOST_WORDS = 2, 60
CAPTION = re.compile(r"\b[A-Z]{3,}(?: [A-Z']+){3,}")
PRIVATE = re.compile(r"https?:|www\.|\S@\S|\d{3}[-. ]\d{3,4}[-. ]?\d{3,4}")  # addresses and telephone numbers


def is_turn(text: str) -> bool:
    return has_words(text, FEWEST_WORDS, MOST_WORDS)


def answers(turns: list[str], group: str, origin: str) -> Iterator[Example]:
    """Neighbours in a conversation, both neither too short nor too long."""
    for turn, answer in zip(turns, turns[1:]):
        if is_turn(turn) and is_turn(answer):
            yield Example(turn, answer, group, origin)


def spoken_text(paragraph: str) -> str:
    """What stands between its quotation marks. The comma before "said she." stands for the mark behind it."""
    parts = paragraph.split('"')
    spoken = []
    for speech, narration in zip(parts[1::2], [*parts[2::2], ""]):
        speech, mark = speech.strip(), narration.strip()[-1:] or "."
        if speech.endswith(",") and mark in ".!?;":
            speech = speech[:-1] + (";" if mark == ";" else ".")
        spoken.append(speech)
    return " ".join(filter(None, spoken))


def spoken_runs(paragraphs: Iterable[str]) -> Iterator[list[str]]:
    """Each is the turns of paragraphs that follow each other and begin with speech. What stands between the
    quotation marks counts; a paragraph that leaves them open is continued by the same speaker."""
    run: list[str] = []
    is_open = False
    for paragraph in paragraphs:
        text = straight(paragraph.replace("_", ""))
        if not text:
            continue
        if not text.startswith('"') or CAPTION.search(text):
            yield run
            run, is_open = [], False
            continue
        spoken = spoken_text(text)
        if is_open:
            run[-1] += " " + spoken
        else:
            run.append(spoken)
        is_open = text.count('"') % 2 == 1
    yield run


def novels(unpacked: Path) -> list[Example]:
    melville = list(texts.moby_dick(unpacked / MELVILLE))
    melville = melville[[paragraph.strip() for paragraph in melville].index(FIRST_CHAPTER) :]
    found = []
    for paragraphs, origin in ((texts.austen(unpacked / AUSTEN), AUSTEN), (melville, MELVILLE)):
        for run in spoken_runs(paragraphs):
            found += answers(run, run[0] if run else "", origin)
    return found


def chats(dataset: str, origin: str) -> list[Example]:
    """dataset.json: conversations, each with its turns, each with the messages of one of two people."""
    found = []
    for name, conversation in json.loads(dataset).items():
        turns = [straight(" ".join(part["text"] for part in turn)) for turn in conversation["messages"]]
        found += [
            example
            for example in answers(turns, name, origin)
            if not PRIVATE.search(example.source + " " + example.target)
        ]
    return found
