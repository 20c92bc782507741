"""Reads the entries of a SWORD module (Bible texts and commentaries), without its library.

Per testament: blocks (.bzs: offset, packed and unpacked size), entries (.bzv: block, begin, size; .czv with a
wider size) and the zlib streams (.bzz), all little-endian."""

import html
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NOTE = re.compile(r"<(note|title)\b.*?</\1>", re.S)
BREAK = re.compile(r"<(div|p|lg|l|lb|milestone|chapter|br)\b[^>]*>", re.I)
TAG = re.compile(r"<[^>]*>")
SPACED_MARK = re.compile(r" ([,.;:!?”’)])")


class Slot(NamedTuple):
    place: tuple[int, int]  # the same for two slots that share an entry
    text: str  # marked up


def entries(folder: Path) -> Iterator[str]:
    """As marked-up text, each once: two verses may share an entry."""
    for testament in ("ot", "nt"):
        seen = set()
        for slot in slots(folder, testament):
            if slot and slot.place not in seen:
                seen.add(slot.place)
                yield slot.text


def slots(folder: Path, testament: str) -> Iterator[Slot | None]:
    """In the order of the versification: module, testament, then each book, its chapters, their verses. None: empty."""
    for version in "bcs":
        if (folder / f"{testament}.{version}zv").exists():
            yield from slots_of_version(folder, testament, version)
            return


def slots_of_version(folder: Path, testament: str, version: str) -> Iterator[Slot | None]:
    blocks, table, data = (
        (folder / f"{testament}.{version}z{part}").read_bytes() for part in ("s", "v", "z")
    )
    narrow = len(table) % 12 != 0  # sizes of 16 bits
    if len(table) % 60 == 0:  # both fit: the wider form would point outside
        narrow = not fits(table, "<III", len(blocks) // 12)
    unpacked: dict[int, bytes] = {}
    for block, begin, size in struct.iter_unpack("<IIH" if narrow else "<III", table):
        if size == 0:
            yield None
            continue
        if block not in unpacked:
            offset, packed, _ = struct.unpack_from("<III", blocks, 12 * block)
            unpacked[block] = zlib.decompress(data[offset : offset + packed])
        yield Slot((block, begin), unpacked[block][begin : begin + size].decode("utf-8", "replace"))


def fits(table: bytes, form: str, blocks: int) -> bool:
    return all(block < blocks or size == 0 for block, _, size in struct.iter_unpack(form, table))


def plain(entry: str) -> str:
    """Without notes, titles and marks."""
    text = TAG.sub("", BREAK.sub(" ", NOTE.sub(" ", entry)))
    text = " ".join(html.unescape(text).replace("¶", "").split())
    return SPACED_MARK.sub(r"\1", text).strip()
