"""Reads the messages of programs: gettext's compiled catalogs (.mo)."""

import struct
from collections.abc import Iterator
from pathlib import Path

from parallel_text.cleaning import Origin, Pair, PairCollector
from parallel_text.errors import BuildError

KIND = "messages"
MAGIC = 0x950412DE
HEADER_SIZE = 28
CONTEXT_END = b"\x04"


def byte_order(catalog: bytes) -> str:
    """struct's mark for the byte order of the machine that compiled the catalog; empty: no catalog."""
    for order in "<>":
        if len(catalog) >= HEADER_SIZE and struct.unpack_from(order + "I", catalog)[0] == MAGIC:
            return order
    return ""


def messages(catalog: bytes) -> Iterator[tuple[list[str], list[str]]]:
    """Yields (English forms, translated forms): singular and plurals. What is not UTF-8 is left out.

    Format: GNU gettext manual, "The Format of GNU MO Files". Raises struct.error when the file ends early.
    """
    order = byte_order(catalog)
    if not order:
        return
    count, originals, translations = struct.unpack_from(order + "3I", catalog, 8)
    for i in range(count):
        texts = []
        for table in (originals, translations):
            length, offset = struct.unpack_from(order + "2I", catalog, table + 8 * i)
            texts.append(catalog[offset : offset + length])
        original = texts[0].split(CONTEXT_END, 1)[-1]
        if not original:  # the catalog's own header
            continue
        try:
            yield original.decode().split("\0"), texts[1].decode().split("\0")
        except UnicodeDecodeError:
            continue


def read(unpacked: Path) -> list[Pair]:
    """Pairs of every German catalog of the packages below `unpacked`."""
    collector = PairCollector()
    for package in sorted(folder.name for folder in unpacked.iterdir()):
        origin = Origin(KIND, package, package)
        for path in sorted(str(path) for path in (unpacked / package).rglob("de/LC_MESSAGES/*.mo")):
            try:
                for english, german in messages(Path(path).read_bytes()):
                    collect(collector, english, german, origin)
            except struct.error as error:
                raise BuildError(
                    f"{path} is damaged ({error}).", f"Delete {unpacked} and run again."
                ) from error
    return collector.pairs()


def collect(collector: PairCollector, english: list[str], german: list[str], origin: Origin) -> None:
    if german[0]:
        collector.add(english[0], german[0], origin)
    if len(english) > 1 and len(german) > 1 and german[-1]:
        collector.add(english[1], german[-1], origin)
