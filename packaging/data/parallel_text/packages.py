"""Fetches Debian packages and unpacks them, without root and without touching the system's own apt."""

import errno
import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote

from parallel_text.errors import BuildError
from parallel_text.package_descriptions import APT_HELPER, index_files

RELEASE = "Debian 12 (bookworm)"
MESSAGES = """
libreoffice-l10n-de gcc-12-locales util-linux-locales e2fsprogs-l10n gnupg-l10n libvirt-l10n libc-l10n
""".split()
MANUALS = """
libreoffice-help-de libreoffice-help-en-us debian-reference-en debian-reference-de debian-faq debian-faq-de
manpages-de manpages-de-dev manpages manpages-dev
""".split()
# Programs, for their English manual pages; some have messages as well.
PROGRAMS = """
systemd systemd-container udev util-linux mount bsdutils coreutils openssh-client less nfs-common findutils
tar grep gzip bzip2 file cron diffutils cpio sed dosfstools
""".split()
# gcc-12-locales keeps its copyright file here.
COPYRIGHT_ONLY = ["gcc-12-base"]
PACKAGES = MESSAGES + MANUALS + PROGRAMS + COPYRIGHT_ONLY

SPACE_TO_BUILD = 450_000_000
SPACE_FOR_RESULT = 60_000_000
UNKNOWN_PACKAGE = re.compile(r"(?:Unable to locate package|candidate version from package) (\S+)")

# The system's configuration may fetch no descriptions (container images do not), unpack the lists, and run
# programs after an update, which would write outside the work folder.
APT_CONFIGURATION = """\
#clear Acquire::Languages;
Acquire::Languages {{ {}}};
Acquire::GzipIndexes "true";
Acquire::Retries "2";
APT::Sandbox::User "root";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


class Workshop:
    """The work folder: apt's lists and cache, the package files (debs) and their content (unpacked)."""

    def __init__(self, root: Path, packages: list[str] = PACKAGES, languages=("en", "de")) -> None:
        self.root = root
        self.packages = packages
        self.languages = languages  # whose package descriptions are fetched
        self.lists = root / "lists"
        self.debs = root / "debs"
        self.unpacked = root / "unpacked"

    def prepare(self) -> None:
        check_programs()
        for folder in (self.lists / "partial", self.root / "cache/archives/partial", self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        self.debs.mkdir(exist_ok=True)
        self.unpacked.mkdir(exist_ok=True)
        (self.root / "apt.conf").write_text(APT_CONFIGURATION.format(
            "".join(f'"{language}"; ' for language in self.languages or ("none",))
        ))
        (self.root / "status").touch()  # no package installed: what the system has must not change the choice
        check_space(self.root, max(SPACE_FOR_RESULT, SPACE_TO_BUILD - size_of(self.root)))

    def has_lists(self) -> bool:
        has_packages = any(self.lists.glob("*_Packages*"))
        return has_packages and all(index_files(self.lists, language) for language in self.languages)

    def fetch_lists(self) -> None:
        answer = self._apt_get("update")
        if not self.has_lists():
            raise mirror_error("apt could not fetch the package lists and descriptions", answer)

    def deb_of(self, package: str) -> Path | None:
        return max(self.debs.glob(f"{package}_*.deb"), default=None)

    def version_of(self, package: str) -> str:
        deb = self.deb_of(package)
        return unquote(deb.name.split("_")[1]) if deb else "?"

    def packages_to_fetch(self) -> list[str]:
        return [package for package in self.packages if not self.deb_of(package)]

    def packages_to_unpack(self) -> list[str]:
        return [package for package in self.packages if not (self.unpacked / package).is_dir()]

    def fetch_packages(self) -> None:
        """Fetches what is missing. Lists of an earlier run may name files that the mirrors have replaced."""
        answer = self._download()
        if self.packages_to_fetch():
            self.fetch_lists()
            answer = self._download()
        if not self.packages_to_fetch():
            return
        unknown = UNKNOWN_PACKAGE.findall(answer)
        if unknown:
            raise BuildError(
                f"This machine's apt sources have no package {', '.join(sorted(set(unknown)))}.",
                f"The corpus is made from {RELEASE}: its section main must be among the apt sources.",
            )
        raise mirror_error(f"apt could not fetch {', '.join(self.packages_to_fetch())}", answer)

    def unpack(self) -> None:
        for package in self.packages_to_unpack():
            deb = self.deb_of(package)
            if not deb:
                raise AssertionError(f"{package} was not fetched")
            part = self.unpacked / f".{package}.part"  # renamed when whole: a killed run leaves no half
            shutil.rmtree(part, ignore_errors=True)
            answer = run(["dpkg-deb", "-x", str(deb), str(part)])
            if answer.returncode:
                raise_if_full(answer.stdout)
                deb.unlink()
                raise BuildError(
                    f"{deb.name} is damaged ({last_lines(answer.stdout)}) and was deleted.",
                    "Run the same command again: it is fetched anew.",
                )
            part.rename(self.unpacked / package)

    def _download(self) -> str:
        return self._apt_get("download", *self.packages_to_fetch())

    def _apt_get(self, *arguments: str) -> str:
        """What apt-get had to say; whether it did its work shows in the files afterwards."""
        options = [f"--config-file={self.root}/apt.conf"]
        for name, folder in (("State::Lists", "lists"), ("State::status", "status"), ("Cache", "cache")):
            options += ["-o", f"Dir::{name}={self.root / folder}"]
        # apt checks signatures in temporary files.
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(self.root / "tmp")}
        answer = run(["apt-get", "-q", *options, *arguments], cwd=self.debs, env=environment)
        raise_if_full(answer.stdout)
        return answer.stdout


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    """Both output streams come back as one text."""
    return subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **options,
    )


def check_programs() -> None:
    missing = [name for name in ("apt-get", "dpkg-deb", APT_HELPER) if not shutil.which(name)]
    if missing:
        remedy = f"Run this on {RELEASE}, or in a container of it."
        raise BuildError(f"{', '.join(missing)} is not there.", remedy)


def size_of(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BuildError(
            f"{folder} has {free / 1e6:.0f} MB free; {needed / 1e6:.0f} MB are needed while it is built.",
            "Free space, or choose another disk with --out.",
        )


def raise_if_full(answer: str) -> None:
    if os.strerror(errno.ENOSPC) in answer:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def mirror_error(what: str, answer: str) -> BuildError:
    return BuildError(
        f"{what}: {last_lines(answer)}",
        "Check network, proxy and apt sources: apt-get update must work. Downloads are reused.",
    )


def last_lines(answer: str) -> str:
    """The end of what a program said, its errors first."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "W:", "Err:"))]
    return " · ".join((errors or lines)[-2:]) or "no reason was given"
