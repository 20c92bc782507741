"""Reads character vectors from an R package's data (Rdata.rdx and Rdata.rdb), without R.

Format: R's serialize.c, version 2 and 3 in XDR form; each variable is compressed by itself."""

import lzma
import struct
import zlib
from pathlib import Path

NIL = (254, 253, 242, 241, 252, 251, 250)
REFERENCE, SYMBOL, PAIR_LIST, ENVIRONMENT, CHARS = 255, 1, (2, 6), 4, 9
LOGICAL, INTEGER, REAL, STRINGS, LIST, RAW = 10, 13, 14, 16, 19, 24
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400


class Reader:
    def __init__(self, data: bytes) -> None:
        if data[:2] != b"X\n":
            raise ValueError("not R's XDR form")
        self.data = data
        self.at = 2
        self.references: list = []
        version = self.integer()
        self.at += 8  # versions of R
        if version == 3:
            size = self.integer()  # of the native encoding's name
            self.at += size

    def integer(self) -> int:
        self.at += 4
        return struct.unpack_from(">i", self.data, self.at - 4)[0]

    def item(self):
        return self.typed(self.integer())

    def typed(self, flags: int):
        kind = flags & 255
        if kind in NIL:
            return None
        if kind == REFERENCE:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == SYMBOL:
            self.references.append(self.item())
            return self.references[-1]
        if kind in PAIR_LIST:
            return self.pair_list(flags)
        if kind == ENVIRONMENT:
            return self.environment()
        if kind == CHARS:
            return self.characters()
        value = self.vector(kind)
        attributes = self.item() if flags & HAS_ATTRIBUTES else None
        names = attributes.get("names") if isinstance(attributes, dict) else None
        return dict(zip(names, value)) if names and kind == LIST else value

    def pair_list(self, flags: int) -> dict:
        out: dict = {}
        while flags & 255 in PAIR_LIST:
            if flags & HAS_ATTRIBUTES:
                self.item()
            key = self.item() if flags & HAS_TAG else len(out)
            out[key] = self.item()
            flags = self.integer()
        self.typed(flags)
        return out

    def environment(self) -> dict:
        self.integer()  # locked
        made: dict = {}
        self.references.append(made)
        for _ in range(4):  # enclosure, frame, table, attributes
            self.item()
        return made

    def characters(self) -> str | None:
        size = self.integer()
        if size < 0:
            return None
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", "replace")

    def vector(self, kind: int) -> list | bytes:
        size = self.integer()
        if kind in (STRINGS, LIST):
            return [self.item() for _ in range(size)]
        if kind == RAW:
            self.at += size
            return self.data[self.at - size : self.at]
        letter, width = {LOGICAL: ("i", 4), INTEGER: ("i", 4), REAL: ("d", 8)}[kind]
        self.at += width * size
        return list(struct.unpack_from(f">{size}{letter}", self.data, self.at - width * size))


def decompressed(data: bytes) -> bytes:
    """A file of gzip, or a variable: its length, and zlib or, behind a Z, LZMA."""
    if data[:2] == b"\x1f\x8b":
        return zlib.decompress(data, wbits=31)
    if data[4:5] == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        return lzma.decompress(data[5:], format=lzma.FORMAT_RAW, filters=filters)
    return zlib.decompress(data[4:])


def variables(folder: Path) -> dict[str, list[str]]:
    """The data sets of a package: R's site-library/NAME/data."""
    index = Reader(decompressed((folder / "Rdata.rdx").read_bytes())).item()
    data = (folder / "Rdata.rdb").read_bytes()
    return {
        name: Reader(decompressed(data[begin : begin + size])).item()
        for name, (begin, size) in index["variables"].items()
    }
