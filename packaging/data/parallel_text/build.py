"""The command: fetch, unpack, read, select, write, check."""

import argparse
import errno
import fcntl
import multiprocessing
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from parallel_text import (
    debian_manuals,
    gettext_catalogs,
    libreoffice_help,
    licences,
    manual_pages,
    output,
    package_descriptions,
)
from parallel_text.cleaning import Pair
from parallel_text.errors import BuildError
from parallel_text.filters import select, split
from parallel_text.packages import Workshop, size_of

WORK_FOLDER = f"{output.NAME}.work"
DESCRIPTION = f"""\
Builds the larger English-German corpus ({output.EXPECTED_PAIRS:,} pairs) from packages of Debian 12:
messages, manual pages, help and descriptions of programs. Needs apt-get and apt sources of Debian 12, no
root; downloads about 80 MB and takes about two minutes.

DIR then holds {output.NAME}.train.tsv, .valid.tsv and .test.tsv, sources.tsv (pairs per package),
LICENSES.md and licenses/. Nothing is written outside DIR. A run that was stopped goes on with what it has
fetched and unpacked when it is started again.
"""

# In the order of the corpus: a pair that occurs twice counts for the first. Each takes the folder it reads.
READERS: tuple[tuple[str, Callable[[Path], list[Pair]], str], ...] = (
    ("messages", gettext_catalogs.read, "unpacked"),
    ("LibreOffice help", libreoffice_help.read, "unpacked"),
    ("Debian manuals", debian_manuals.read, "unpacked"),
    ("manual pages", manual_pages.read, "unpacked"),
    ("descriptions", package_descriptions.read, "lists"),
)


class Progress:
    """A line per phase: its name when it begins, what came of it and its time when it ends."""

    @contextmanager
    def phase(self, name: str) -> Iterator[list[str]]:
        """What the caller appends to the list is the result that is shown."""
        result: list[str] = []
        begin = time.monotonic()
        print(f"{name:<24}", end="", flush=True)
        try:
            yield result
        finally:
            print(f"{' '.join(result)} ({time.monotonic() - begin:.0f} s)", flush=True)


def parse_arguments(arguments: list[str], default_folder: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"packaging/data/{output.NAME}",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=default_folder, help="default: %(default)s"
    )
    parser.add_argument(
        "--keep-work", action="store_true", help=f"keep DIR/{WORK_FOLDER} (300 MB): no network next time"
    )
    return parser.parse_args(arguments)


def check_folder(folder: Path, training_file: str, work_folder: str) -> None:
    """A folder with other files may hold a LICENSES.md of its own, which must not be replaced."""
    if not folder.exists():
        return
    names = {path.name for path in folder.iterdir()}
    if names and not names & {work_folder, training_file}:
        raise BuildError(f"{folder} holds other files.", "Choose an empty or new folder with --out.")


@contextmanager
def only_run_in(work: Path) -> Iterator[None]:
    with (work / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            remedy = "Wait for it, or choose another folder with --out."
            raise BuildError(f"Another run builds in {work.parent}.", remedy) from None
        yield


def fetch(workshop: Workshop, progress: Progress) -> None:
    with progress.phase("package lists") as result:
        if workshop.has_lists():
            result.append("already there")
        else:
            workshop.fetch_lists()
            result.append(megabytes(workshop.lists))
    with progress.phase("packages") as result:
        missing = len(workshop.packages_to_fetch())
        if missing:
            workshop.fetch_packages()
        result.append(f"{missing} of {len(workshop.packages)} fetched, {megabytes(workshop.debs)} in all")
    with progress.phase("unpacking") as result:
        missing = len(workshop.packages_to_unpack())
        workshop.unpack()
        result.append(f"{missing} of {len(workshop.packages)}")


def megabytes(folder: Path) -> str:
    return f"{size_of(folder) / 1e6:.1f} MB"


def leave_interrupt_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def read_one(task: tuple[int, Path]) -> tuple[int, list[Pair]]:
    number, folder = task
    return number, READERS[number][1](folder)


def read_all(workshop: Workshop, progress: Progress) -> list[Pair]:
    """All readers' pairs in the readers' order, whichever ends first."""
    tasks = [(i, getattr(workshop, folder)) for i, (_, _, folder) in enumerate(READERS)]
    found: dict[int, list[Pair]] = {}
    # fork: the program's file has no ending, so that other ways to start a process cannot import it.
    context = multiprocessing.get_context("fork")
    with progress.phase("reading") as result:
        with context.Pool(initializer=leave_interrupt_to_parent) as pool:
            for number, pairs in pool.imap_unordered(read_one, tasks):
                found[number] = pairs
        result.append(", ".join(f"{READERS[i][0]} {len(found[i]):,}" for i in sorted(found)))
    return [pair for i in sorted(found) for pair in found[i]]


def write_all(folder: Path, workshop: Workshop, pairs: list[Pair], progress: Progress) -> None:
    with progress.phase("writing") as result:
        parts = split(pairs)
        output.write_splits(folder, parts)
        output.write_sources(folder, pairs)
        list_of_licences = licences.licence_list(workshop, pairs, folder / "licenses")
        output.write_whole(folder / "LICENSES.md", list_of_licences)
        result.append(", ".join(f"{name} {len(part):,}" for name, part in parts.items()))


def build(folder: Path, progress: Progress) -> None:
    workshop = Workshop(folder / WORK_FOLDER)
    workshop.root.mkdir(parents=True, exist_ok=True)
    with only_run_in(workshop.root):
        workshop.prepare()
        fetch(workshop, progress)
        pairs = read_all(workshop, progress)
        with progress.phase("selecting") as result:
            selection = select(pairs)
            result.append("dropped: " + ", ".join(f"{why} {n:,}" for why, n in selection.dropped.items()))
        write_all(folder, workshop, selection.pairs, progress)
    tokens = output.average_tokens(selection.pairs)
    output.check(len(selection.pairs), tokens)
    print(
        f"{len(selection.pairs):,} pairs in {folder}; a sentence has {tokens['English']:.1f} English and"
        f" {tokens['German']:.1f} German tokens"
    )


def run(folder: Path, keep_work: bool) -> None:
    check_folder(folder, output.split_file(folder, "train").name, WORK_FOLDER)
    work = folder / WORK_FOLDER
    written = output.pairs_written(folder)
    if not work.exists() and output.is_near(written, output.EXPECTED_PAIRS):
        print(f"{written:,} pairs are already in {folder}. To build them anew, delete the folder.")
        return
    build(folder, Progress())
    if not keep_work:
        shutil.rmtree(work)


def explain(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk of {folder} is full.\nFree space and run this again; downloads are reused."
    return f"{error.filename or folder}: {error.strerror}\nChoose a folder that can be written with --out."


def reported(work: Callable[[], None], folder: Path) -> int:
    """Does the work of a command; what goes wrong becomes a message. The exit code."""
    try:
        work()
    except BuildError as error:
        print(f"\n{error.what}\n{error.remedy}", file=sys.stderr)
    except OSError as error:
        print(f"\n{explain(error, folder)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on with what was fetched.", file=sys.stderr)
        return 130
    else:
        return 0
    return 1


def main(arguments: list[str], default_folder: Path) -> int:
    options = parse_arguments(arguments, default_folder)
    folder = options.out.resolve()
    return reported(lambda: run(folder, options.keep_work), folder)
