"""Writes the corpus in Kurve's form and in DiffuSeq's, and what it was made from."""

import json
import shutil
from collections import Counter
from pathlib import Path

from pair_tasks.splitting import Selection
from pair_tasks.tasks import Task
from pair_tasks.wheels import Wheel, text_in
from parallel_text.cleaning import token_count
from parallel_text.errors import BuildError
from parallel_text.files import text_of
from parallel_text.licences import NOT_NAMED, copyright_file, licence_names
from parallel_text.output import TOLERANCE, is_near, write_whole
from parallel_text.packages import RELEASE, Workshop

HEAD = """\
# Sources of the corpus “{name}”

Pairs of {title}, built by Kurve's packaging/data from {sources}.

{terms}

Dropped of {found:,} pairs: {dropped}. Leaks: a side, as source or target and up to case and punctuation, is also
in training (of test: or in validation).

| package | version | pairs | licences that its copyright file names, for programs as well | file |
|---|---|---|---|---|
"""
MOST_WORDS_OF_A_LICENCE, MOST_LICENCES = 6, 8


def split_file(folder: Path, task: Task, split: str) -> Path:
    return folder / f"{task.name}.{split}.tsv"


def notice(task: Task) -> str:
    lines = ["<TAB>".join(task.sides) + f". Built by Kurve's packaging/data ({task.name}).", *task.terms]
    return "".join(f"# {line}\n" for line in lines)


def write_splits(folder: Path, task: Task, selection: Selection) -> None:
    (folder / "jsonl").mkdir(exist_ok=True)
    for split, examples in selection.splits.items():
        rows = "".join(f"{example.source}\t{example.target}\n" for example in examples)
        write_whole(split_file(folder, task, split), notice(task) + rows)
        objects = ({"src": example.source, "trg": example.target} for example in examples)
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
        write_whole(folder / "jsonl" / f"{split}.jsonl", lines)


def dropped_text(dropped: Counter[str]) -> str:
    return ", ".join(f"{why} {count:,}" for why, count in dropped.items()) or "none"


def sources_of(task: Task) -> str:
    count = len(task.packages)
    debian = f"{count} packages of {RELEASE}" if count > 1 else f"a package of {RELEASE}"
    return " and ".join([debian] * bool(count) + ["a package of PyPI"] * len(task.wheels))


def named_licences(copyright_text: str) -> str:
    """The most frequent, without what is a licence's first line."""
    names = [name for name in licence_names(copyright_text) if len(name.split()) <= MOST_WORDS_OF_A_LICENCE]
    more = ", …" if len(names) > MOST_LICENCES else ""
    return (", ".join(names[:MOST_LICENCES]).replace("|", "\\|") or NOT_NAMED) + more


def package_row(workshop: Workshop, package: str, pairs: int, licences: Path) -> str:
    path = copyright_file(workshop, package)
    names, place = NOT_NAMED, "the package has none"
    if path:
        shutil.copyfile(path, licences / package)
        names, place = named_licences(text_of(path)), f"licenses/{package}"
    return f"| {package} | {workshop.version_of(package)} | {pairs:,} | {names} | {place} |\n"


def wheel_row(wheel: Wheel, file: Path, pairs: int, licences: Path) -> str:
    about = text_in(file, ".dist-info/METADATA")
    try:
        text = text_in(file, ".dist-info/LICENSE")
    except BuildError:
        text = about  # the wheel names its licence only
    write_whole(licences / wheel.name, text)
    names = [
        line.split(": ")[1]
        for line in about.splitlines()
        if line.startswith(("License: ", "License-Expression: "))
    ]
    return f"| {wheel.name} (PyPI) | {wheel.version} | {pairs:,} | {', '.join(names)} | licenses/{wheel.name} |\n"


def write_sources(folder: Path, task: Task, workshop: Workshop, selection: Selection, found: int) -> None:
    licences = folder / "licenses"
    licences.mkdir(exist_ok=True)
    counts: Counter[str] = Counter()
    for example in selection.examples():
        counts.update(example.origin.split(", "))
    rows = [package_row(workshop, package, counts[package], licences) for package in task.packages]
    for wheel in task.wheels:
        file = wheel.file_in(workshop.root / "wheels")
        if file:
            rows.append(wheel_row(wheel, file, counts[wheel.name], licences))
    head = HEAD.format(
        name=task.name,
        title=task.title,
        sources=sources_of(task),
        terms="\n\n".join(task.terms),
        found=found,
        dropped=dropped_text(selection.dropped),
    )
    write_whole(folder / "SOURCES.md", head + "".join(rows))


def average_tokens(selection: Selection) -> tuple[float, float]:
    examples = selection.examples()
    count = max(1, len(examples))
    return (
        sum(token_count(example.source) for example in examples) / count,
        sum(token_count(example.target) for example in examples) / count,
    )


def check(task: Task, found: int) -> None:
    if found == task.pairs or (not task.is_exact and is_near(found, task.pairs)):
        return
    allowed = "none is expected" if task.is_exact else f"more than {TOLERANCE:.0%}"
    raise BuildError(
        f"The sources gave {found:,} pairs instead of {task.pairs:,}, a difference of {found / task.pairs - 1:+.1%};"
        f" {allowed}.",
        f"The files are kept and can be used, but results on them are not comparable. Expected: {RELEASE}.",
    )
