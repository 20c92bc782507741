"""Reads LibreOffice's help. Paragraphs pair by id, not by order: lists of functions differ in order."""

import re
from pathlib import Path

from parallel_text.cleaning import Origin, Pair, PairCollector
from parallel_text.files import files_below, text_of

ORIGIN = Origin("help", "libreoffice-help-en-us", "libreoffice-help-de")
FOLDER = "usr/share/libreoffice/help"
# A word for macOS and one for the other systems stand side by side; the browser shows one of them.
FOR_MACOS = re.compile(r'<span[^>]*class="MAC"[^>]*>(?:<span[^>]*>[^<]*</span>|[^<])*</span>')
PARAGRAPH = re.compile(
    r'<(p|h[1-6]|div|td|th|li|dt|dd|span)\b[^>]*\bid="((?:par|hd)_id[^"]*)"[^>]*>(.*?)</\1>', re.S
)


def paragraphs(page: str) -> dict[str, str]:
    """The page's own paragraphs by id, with their markup; navigation and search frame are left out."""
    page = FOR_MACOS.sub("", page)
    start, end = page.find('id="DisplayArea"'), page.find('<div id="SearchFrame"')
    if start >= 0:
        page = page[start:end]
    return {identifier: text for _, identifier, text in PARAGRAPH.findall(page)}


def read(unpacked: Path) -> list[Pair]:
    collector = PairCollector()
    english_root = unpacked / ORIGIN.english_package / FOLDER / "en-US"
    german_root = unpacked / ORIGIN.german_package / FOLDER / "de"
    for name in files_below(english_root, ".html"):
        if not (german_root / name).exists():
            continue
        german = paragraphs(text_of(german_root / name))
        for identifier, text in paragraphs(text_of(english_root / name)).items():
            if german.get(identifier, text) != text:
                collector.add(text, german[identifier], ORIGIN)
    return collector.pairs()
