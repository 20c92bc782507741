"""Finds the copyright files of the packages that were used, and the licences they name."""

import os
import re
import shutil
from collections import Counter
from pathlib import Path

from parallel_text.cleaning import Pair
from parallel_text.files import text_of
from parallel_text.package_descriptions import DESCRIPTIONS
from parallel_text.packages import RELEASE, Workshop

NOT_NAMED = "see file"
FIELD = re.compile(r"^License:[ \t]*(\S.*)$", re.M | re.I)
# Where a file has no such fields: Debian's texts refer to the licences that every system holds, or name them.
COMMON_LICENCE = re.compile(r"/usr/share/common-licenses/([A-Za-z]+(?:-\d+(?:\.\d+)*)?)")
NAMES = re.compile(
    r"GNU (?:Lesser |Library |Affero )?General Public License|GNU Free Documentation License|BSD License"
    r"|MIT License|Apache License|Mozilla Public License"
    r"|Creative Commons [A-Z][A-Za-z-]+|Artistic License|public domain",
    re.I,
)
DATE = re.compile(r"^Date: (.*)$", re.M)
HEAD = """\
# Licences of the English–German corpus

What packaging/data/english-german took from {release}, and what each package's copyright file says.
The texts stay under these licences. The corpus is for your own use: who passes it on, whole or in parts, must
keep to the licences of all its parts.

A copyright file speaks of a whole package, programs included, so that most packages name more licences than
their texts have. “{not_named}”: the file names none in a form that a program can read. Pairs are counted
where they were met first, and at both packages that hold a side.

| package | version | pairs | licences named | copyright file |
|---|---|---|---|---|
"""
FOOT = """
Package descriptions are written by the maintainers of the packages and translated by the Debian Description
Translation Project; each follows the licence of its own package. Debian's lists state none for the whole.
"""


def licence_names(copyright_text: str) -> list[str]:
    """The licences in the file, most frequent first."""
    on_one_line = " ".join(copyright_text.split())  # names in running text may be broken at a line's end
    for pattern, text in ((FIELD, copyright_text), (COMMON_LICENCE, on_one_line), (NAMES, on_one_line)):
        names = Counter(name.strip() for name in pattern.findall(text))
        if names:
            return [name for name, _ in names.most_common()]
    return [NOT_NAMED]


def copyright_file(workshop: Workshop, package: str) -> Path | None:
    """/usr/share/doc/PACKAGE may be a link to the folder of another package of the same source."""
    folder = workshop.unpacked / package / "usr/share/doc" / package
    owner = os.path.basename(os.readlink(folder)) if folder.is_symlink() else package
    path = workshop.unpacked / owner / "usr/share/doc" / owner / "copyright"
    return path if path.is_file() else None


def pairs_by_package(pairs: list[Pair]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for pair in pairs:
        counts.update({pair.origin.english_package, pair.origin.german_package})
    return counts


def release_date(lists: Path) -> str:
    """The date of the release whose German descriptions were taken."""
    for index in lists.glob("*_main_i18n_Translation-de*"):
        signed = lists / (index.name.split("_main_i18n_")[0] + "_InRelease")
        if signed.exists():
            for date in DATE.findall(signed.read_text(errors="replace")):
                return date
    return "?"


def table_row(workshop: Workshop, package: str, pairs: int, folder: Path) -> str:
    version = workshop.version_of(package)
    path = copyright_file(workshop, package)
    if package == DESCRIPTIONS:
        version = f"lists of {release_date(workshop.lists)}"
        names, place = "each as its package", "see below"
    elif path:
        shutil.copyfile(path, folder / package)
        names, place = ", ".join(licence_names(text_of(path))).replace("|", "\\|"), f"licenses/{package}"
    else:
        names, place = NOT_NAMED, "the package has none"
    return f"| {package} | {version} | {pairs:,} | {names} | {place} |\n"


def licence_list(workshop: Workshop, pairs: list[Pair], folder: Path) -> str:
    """The text of LICENSES.md. Copies the copyright files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = sorted(pairs_by_package(pairs).items(), key=lambda item: (-item[1], item[0]))
    rows = [table_row(workshop, package, count, folder) for package, count in counts]
    return HEAD.format(release=RELEASE, not_named=NOT_NAMED) + "".join(rows) + FOOT
