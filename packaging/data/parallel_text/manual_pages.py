"""Reads manual pages: the German ones against the English originals in the programs' packages."""

import gzip
import re
from pathlib import Path

from parallel_text.alignment import Block, align
from parallel_text.cleaning import Origin, Pair, PairCollector

KIND = "manual pages"
SHORTEST_PAGE = 3  # blocks; less is a pointer to another page

HEADINGS = {"SH", "SS", "Sh", "Ss"}
BREAKING = HEADINGS | set("PP P LP TP TQ IP HP RS RE Pp It Bl El Ed sp br TH Dd".split())
KEEPS_BLOCK_KIND = {"TH", "Dd"}
# What holds no prose (examples, tables, macro definitions), with the macro that ends it.
SKIPPED = {"nf": "fi", "EX": "EE", "TS": "TE", "Bd": "Ed", "de": ".", "ig": ".", "SY": "YS"}
WITHOUT_TEXT = set(
    "if ie el ad hy na nh ne ds nr tr ft in ti ta so PD UE ME YS OP rm mso cc lf pc ce".split()
)
FONTS_IN_TURN = {"BR", "IR", "RB", "RI", "BI", "IB", "SB"}

COMMENT = re.compile(r'\\".*')
FONT_SIZE_COLOUR = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)|\\s[-+]?\d+|\\[mM]\[[^\]]*\]")
LONG_CHARACTER = re.compile(r"\\\[([^\]]*)\]")
TWO_LETTER_CHARACTER = re.compile(r"\\\((..)")
STRING = re.compile(r"\\\*\((..)|\\\*.")
CODE_POINT = re.compile(r"u[0-9A-F]{4,5}")
CHARACTERS = {
    "aq": "'", "cq": "’", "oq": "‘", "lq": "“", "rq": "”", "dq": '"', "em": "—", "en": "–", "bu": "•",
    "ga": "`", "ti": "~", "ha": "^", "mu": "×", "co": "©", "rs": "\\", "la": "<", "ra": ">",
    "Fo": "«", "Fc": "»",
}  # fmt: skip
# Replaced one after the other in this order.
ESCAPES = (
    ("\\-", "-"), ("\\&", ""), ("\\:", ""), ("\\%", ""), ("\\/", ""), ("\\,", ""), ("\\|", ""), ("\\^", ""),
    ("\\~", " "), ("\\ ", " "), ("\\e", "\\"), ("\\c", ""), ("\\'", "'"), ("\\`", "`"), ("\\.", "."),
)  # fmt: skip
ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')
MACRO = re.compile(r"[.'] *([A-Za-z]\w*)\s*(.*)")
ANY_MACRO = re.compile(r"[.'] *(\S+)")


def special_character(name: str) -> str:
    if CODE_POINT.fullmatch(name):
        return chr(int(name[1:], 16))
    return CHARACTERS.get(name, " ")


def plain(line: str) -> str:
    """The line without roff's escapes."""
    line = FONT_SIZE_COLOUR.sub("", COMMENT.sub("", line))
    line = LONG_CHARACTER.sub(lambda name: special_character(name[1]), line)
    line = TWO_LETTER_CHARACTER.sub(lambda name: CHARACTERS.get(name[1], " "), line)
    line = STRING.sub('"', line)
    for escape, text in ESCAPES:
        line = line.replace(escape, text)
    return line


def arguments(text: str) -> list[str]:
    """A macro's arguments: separated by blanks, in quotes where they hold some; a doubled quote is one."""
    found = (quoted or bare for quoted, bare in ARGUMENT.findall(text))
    return [argument.replace('""', '"') for argument in found if argument]


class PageReader:
    """Follows the macros of a page (man and mdoc). Blocks are headings, text, or tag and body of an item."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._kind = "text"
        self._skipped_until = ""
        self._next_line_is_tag = False

    def read(self, page: str) -> list[Block]:
        for line in page.split("\n"):
            if self._skipped_until:
                macro = ANY_MACRO.match(line)
                if macro and macro[1] == self._skipped_until:
                    self._skipped_until = ""
            elif self._take_line(line) and self._next_line_is_tag:
                self._end_block()
                self._kind = "body"
                self._next_line_is_tag = False
        self._end_block()
        return self.blocks

    def _take_line(self, line: str) -> bool:
        """Whether the line had text of the page."""
        macro = MACRO.match(line)
        if macro:
            return self._take_macro(macro[1], macro[2])
        if line.startswith((".", "'")):
            return False
        if line == "":
            self._end_block()
            self._kind = "text"
            return False
        self._text.append(plain(line))
        return True

    def _take_macro(self, name: str, rest: str) -> bool:
        if name in SKIPPED:
            self._end_block()
            self._skipped_until = SKIPPED[name]
            self._kind = "text"
            return False
        if name in BREAKING:
            self._break(name, rest)
            return False
        if name in WITHOUT_TEXT:
            return False
        self._text.append(("" if name in FONTS_IN_TURN else " ").join(arguments(plain(rest))))
        return True

    def _break(self, name: str, rest: str) -> None:
        self._end_block()
        if name in HEADINGS:
            self.blocks.append(Block(name, re.sub(r"\s+", " ", " ".join(arguments(plain(rest))))))
        if name in ("TP", "TQ"):
            self._kind = "tag"
            self._next_line_is_tag = True
        elif name == "IP":
            self._kind = "body"
        elif name not in KEEPS_BLOCK_KIND:
            self._kind = "text"

    def _end_block(self) -> None:
        text = re.sub(r"\s+", " ", " ".join(self._text)).strip()
        self._text.clear()
        if text:
            self.blocks.append(Block(self._kind, text))


def page_blocks(path: str) -> list[Block]:
    with gzip.open(path, "rb") as page:
        return PageReader().read(page.read().decode("utf-8", "replace"))


def english_pages(unpacked: Path) -> dict[str, str]:
    """Path of each page by its file name. Of two packages with one page, the first by path is taken."""
    pages: dict[str, str] = {}
    for path in sorted(str(path) for path in unpacked.glob("*/usr/share/man/man*/*.gz")):
        pages.setdefault(Path(path).name, path)
    return pages


def package_of(path: str, unpacked: Path) -> str:
    return Path(path).relative_to(unpacked).parts[0]


def read(unpacked: Path) -> list[Pair]:
    """Pairs of every German page whose English original is in one of the packages below `unpacked`."""
    collector = PairCollector()
    originals = english_pages(unpacked)
    for path in sorted(str(path) for path in unpacked.glob("manpages-de*/usr/share/man/de/man*/*.gz")):
        original = originals.get(Path(path).name)
        if original is None or Path(path).is_symlink():
            continue
        english, german = page_blocks(original), page_blocks(path)
        if len(english) < SHORTEST_PAGE or len(german) < SHORTEST_PAGE:
            continue
        origin = Origin(KIND, package_of(original, unpacked), package_of(path, unpacked))
        for left, right in align(english, german):
            if not right.startswith("ÜBERSETZUNG"):  # the translators' own section has no original
                collector.add(left, right, origin)
    return collector.pairs()
