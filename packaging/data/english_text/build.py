"""The command: fetch, unpack, read, write, check, import."""

import argparse
import shutil
from collections import Counter
from pathlib import Path

from english_text.texts import SOURCES, selected
from parallel_text.build import Progress, check_folder, fetch, only_run_in, reported
from parallel_text.cleaning import token_count
from parallel_text.errors import BuildError
from parallel_text.kurve_program import run_kurve
from parallel_text.output import TOLERANCE, is_near, write_whole
from parallel_text.packages import RELEASE, Workshop

NAME = "english"
WORK_FOLDER = f"{NAME}.work"
EXPECTED_TOKENS = 6_371_622
SPLITS = ("train", "valid", "test")
PERCENT_OF_VALID = PERCENT_OF_TEST = 2
DESCRIPTION = f"""\
Builds a corpus of English prose in the public domain ({EXPECTED_TOKENS:,} words and marks, 98,000 paragraphs)
from packages of Debian 12: seven novels, two Bibles, two commentaries. Needs apt-get and apt sources of Debian
12, no root; downloads about 25 MB and takes about a minute.

DIR then holds {NAME}.train.txt, .valid.txt and .test.txt with a paragraph in each line, SOURCES.md and
licenses/. With --import the corpus is also imported into a project of Kurve. A run that was stopped goes on
with what it has fetched when it is started again.
"""


def parse_arguments(arguments: list[str], repository: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"packaging/data/{NAME}",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=repository / "build" / NAME,
        help="default: %(default)s",
    )
    parser.add_argument(
        "--documents",
        action="store_true",
        help="an empty line behind each paragraph, which is then a document",
    )
    parser.add_argument(
        "--import", dest="project", metavar="PROJECT", type=Path, help="import it as the corpus “english”"
    )
    parser.add_argument(
        "--keep-work", action="store_true", help=f"keep DIR/{WORK_FOLDER}: no network next time"
    )
    return parser.parse_args(arguments)


def split_of(text: str) -> str:
    """By a hash (FNV-1a) of the paragraph: a new one moves no other."""
    value = 2166136261
    for byte in (text + "\n").encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    if value % 100 < PERCENT_OF_VALID:
        return "valid"
    return "test" if value % 100 < PERCENT_OF_VALID + PERCENT_OF_TEST else "train"


def split_file(folder: Path, split: str) -> Path:
    return folder / f"{NAME}.{split}.txt"


def write_sources(folder: Path, workshop: Workshop, paragraphs: Counter, tokens: Counter) -> None:
    rows = []
    licences = folder / "licenses"
    licences.mkdir(exist_ok=True)
    for source in SOURCES:
        copyright_file = workshop.unpacked / source.package / "usr/share/doc" / source.package / "copyright"
        if copyright_file.exists():
            shutil.copyfile(copyright_file, licences / source.package)
        version = workshop.version_of(source.package)
        rows.append(
            f"| {source.title} | {source.package} {version} | {paragraphs[source]:,} | {tokens[source]:,} |\n"
        )
    write_whole(
        folder / "SOURCES.md",
        f"# Sources of the English corpus\n\nTexts of {RELEASE}, all in the public domain; licenses/ has the"
        " packages' copyright files. “World English Bible” is a trademark: a changed text must not be called"
        " so. The King James Bible may be printed in the United Kingdom only with the Crown's licence.\n\n"
        "| text | package | paragraphs | tokens |\n|---|---|---|---|\n" + "".join(rows),
    )


def write_all(folder: Path, workshop: Workshop, documents: bool, progress: Progress) -> int:
    with progress.phase("reading and writing") as result:
        paragraphs, tokens = Counter(), Counter()
        texts: dict[str, list[str]] = {split: [] for split in SPLITS}
        for source, text in selected(workshop.unpacked):
            paragraphs[source] += 1
            tokens[source] += token_count(text)
            texts[split_of(text)].append(text + ("\n\n" if documents else "\n"))
        for split in SPLITS:
            write_whole(split_file(folder, split), "".join(texts[split]))
        write_sources(folder, workshop, paragraphs, tokens)
        result.append(", ".join(f"{split} {len(texts[split]):,}" for split in SPLITS))
    return tokens.total()


def build(folder: Path, documents: bool) -> None:
    progress = Progress()
    workshop = Workshop(folder / WORK_FOLDER, [source.package for source in SOURCES], languages=())
    workshop.root.mkdir(parents=True, exist_ok=True)
    with only_run_in(workshop.root):
        workshop.prepare()
        fetch(workshop, progress)
        tokens = write_all(folder, workshop, documents, progress)
    print(f"{tokens:,} tokens in {folder}")
    if not is_near(tokens, EXPECTED_TOKENS):
        raise BuildError(
            f"The corpus has {tokens:,} tokens instead of {EXPECTED_TOKENS:,}, a difference of more than"
            f" {TOLERANCE:.0%}.",
            f"Its files are kept and can be used; SOURCES.md says what each package gave. Expected: {RELEASE}.",
        )


def import_words(folder: Path, project: Path, documents: bool) -> list[str]:
    kind = "documents" if documents else "text"
    files = [word for split in SPLITS for word in (f"--{split}", str(split_file(folder, split)))]
    return ["data", "import", NAME, "--kind", kind, *files, "--project", str(project), "--force"]


def main(arguments: list[str], repository: Path) -> int:
    options = parse_arguments(arguments, repository)
    folder = options.out.resolve()

    def run() -> None:
        check_folder(folder, split_file(folder, "train").name, WORK_FOLDER)
        build(folder, options.documents)
        if options.project:
            run_kurve(import_words(folder, options.project, options.documents), repository)
        if not options.keep_work:
            shutil.rmtree(folder / WORK_FOLDER)

    return reported(run, folder)
