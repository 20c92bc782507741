"""Runs Kurve's own program on a finished corpus."""

import shutil
import subprocess
from pathlib import Path

from parallel_text.errors import BuildError


def run_kurve(words: list[str], repository: Path) -> None:
    """The installed program, or the one that was built in the repository."""
    built = repository / "build/release/bin/kurve"
    program = shutil.which("kurve") or (str(built) if built.exists() else None)
    if program is None:
        command = " ".join(["kurve", *words])
        raise BuildError("There is no program kurve.", f"Build it (packaging/run), then: {command}")
    if subprocess.run([program, *words], check=False).returncode:
        raise BuildError("The corpus is built but was not imported.", "See the message of kurve above.")
