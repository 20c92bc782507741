"""Files of unpacked packages, in an order that does not depend on the file system."""

import os
from collections.abc import Iterator
from pathlib import Path


def files_below(root: Path, ending: str) -> Iterator[str]:
    """Paths relative to `root`: a folder's files by name, then its folders by name."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(ending):
                yield os.path.relpath(os.path.join(folder, name), root)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
