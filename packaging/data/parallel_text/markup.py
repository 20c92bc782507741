"""Cuts an HTML document into its blocks of text."""

import html
import re

from parallel_text.alignment import Block

# Tags inside a sentence. All others end a block.
INLINE = set(
    "a b i em strong span code tt kbd var samp sub sup small big u s q font abbr acronym cite dfn ins del"
    " mark bdi bdo wbr img br anchor meta input label".split()
)
# Those of Mallard, GNOME's help.
INLINE_OF_MALLARD = set("gui guiseq key keyseq cmd app file input output sys link media".split())
PREFORMATTED = set("pre screen programlisting synopsis literallayout".split())
WITHOUT_PROSE = PREFORMATTED | set("script style head nav svg math footer header button".split())
WITHOUT_END_TAG = set("br img hr meta link input wbr col area base".split())
PART = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[!?][^>]*>"
    r"|<(?P<end>/?)(?P<tag>[A-Za-z][\w:.-]*)[^<>]*?(?P<empty>/?)>|(?P<text>[^<]+)",
    re.S,
)
BARE_AMPERSAND = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|nbsp;|#\d+;|#x[0-9a-fA-F]+;|[a-z]{2,8};)")


class BlockReader:
    """Follows the tags of a document: which block is open, and whether it holds prose."""

    def __init__(self, inline: set[str]) -> None:
        self._inline = inline
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._open: list[str] = []
        self._tag = "body"
        self._without_prose = 0  # how many such elements are open

    def read(self, document: str) -> list[Block]:
        for part in PART.finditer(BARE_AMPERSAND.sub("&amp;", document)):
            if part["text"] is not None:
                if not self._without_prose:
                    self._text.append(part["text"])
            elif part["tag"] is not None:
                self._take_tag(part["tag"].lower(), bool(part["end"]), bool(part["empty"]))
        self._end_block()
        return self.blocks

    def _take_tag(self, tag: str, is_end: bool, is_empty: bool) -> None:
        if tag in WITHOUT_PROSE and not is_empty:
            self._take_tag_without_prose(tag, is_end)
        elif self._without_prose:
            return
        elif tag in self._inline:
            if tag == "br":
                self._text.append(" ")
        else:
            self._end_block()
            if is_end:
                self._close(tag)
            elif not is_empty and tag not in WITHOUT_END_TAG:
                self._open.append(tag)
                self._tag = tag

    def _take_tag_without_prose(self, tag: str, is_end: bool) -> None:
        self._without_prose = max(0, self._without_prose + (-1 if is_end else 1))
        begins = not is_end and self._without_prose == 1
        if begins or (tag in PREFORMATTED and not self._without_prose):
            self._end_block()

    def _close(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:  # elements whose end tag was left out end with their parent
                pass
        self._tag = self._open[-1] if self._open else "body"

    def _end_block(self) -> None:
        text = re.sub(r"\s+", " ", html.unescape("".join(self._text))).strip()
        self._text.clear()
        if text:
            self.blocks.append(Block(self._tag, text))


def blocks(document: str, inline: set[str] = INLINE) -> list[Block]:
    """The document's blocks in order, without markup; preformatted text and page furniture are left out."""
    return BlockReader(inline).read(document)
