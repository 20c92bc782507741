#!/usr/bin/env python3
"""What bad disks do to a project: one file of it is damaged at random, then the command line and every panel must cope.

Usage: damage.py --bin build/asan/bin [--project projects/sample] [--times 30] [--seed 1] [--only run|trace|...] [--keep DIR]

Each time a fresh copy, one file of a kind (run database, trace, checkpoint, layout, index, setting, text) cut, zeroed,
overwritten, emptied or filled with noise. Then: `kurve runs` must still name every run, the tour of all panels with that file's run
selected must end well with every picture, the window must open with the last session's layout and close again, and no
other file of any run may have changed. With programs of the `asan` preset their reports count as wrong. Needs Xvfb (xvfb-run)
and xdotool. Ends with a line of counts; exit 1 if anything was wrong; what went wrong is kept in DIR. Python's standard library only.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

KINDS = {
    "run": "runs/*/run.db",
    "trace": "runs/*/traces/*.safetensors",
    "checkpoint": "runs/*/checkpoints/*/*",
    "json": "runs/*/*.json",
    "layout": "layouts/*.json",
    "index": "index.db",
    "setting": "**/*.toml",
    "text": "data/*.tsv",
}
OPEN_AND_CLOSE = """
"$@" & studio=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --pid $studio | tail -1); sleep 3
xdotool windowfocus $window key ctrl+q; wait $studio
"""


def cut(data, dice):
    return data[: dice.randrange(len(data))]


def zeroed(data, dice):
    at = dice.randrange(len(data))
    return data[:at] + bytes(min(4096, len(data) - at)) + data[at + 4096:]


def overwritten(data, dice):
    out = bytearray(data)
    for _ in range(20):
        out[dice.randrange(min(len(out), dice.choice([100, 4096, len(out)])))] = dice.randrange(256)
    return bytes(out)


def emptied(data, dice):
    return b""


def noise(data, dice):
    return dice.randbytes(min(len(data), 65536))


def digests(project):
    # The programs' own notes (locks, a trace's side files) come and go; what a run has recorded does not.
    files = [f for kind in ("run", "trace", "checkpoint", "json") for f in project.glob(KINDS[kind]) if f.is_file()]
    return {f: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


class Round:
    def __init__(self, options, base, number):
        self.options, self.folder = options, pathlib.Path(tempfile.mkdtemp(prefix="kurve-damage-"))
        self.project = self.folder / "project"
        shutil.copytree(base, self.project)
        self.dice = random.Random(f"{options.seed}/{number}")
        self.env = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder), XDG_CONFIG_HOME=str(self.folder / "config"),
                        ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")
        self.wrong = []

    def damage(self):
        while True:
            kind = self.options.only or self.dice.choice(sorted(KINDS))
            files = sorted(f for f in self.project.glob(KINDS[kind]) if f.is_file() and f.stat().st_size)
            if files:
                break
        self.file = self.dice.choice(files)
        how = self.dice.choice([cut, zeroed, overwritten, emptied, noise])
        self.file.write_bytes(how(self.file.read_bytes(), self.dice))
        self.text = f"{self.file.relative_to(self.project)} {how.__name__}"

    def call(self, what, words):
        try:
            done = subprocess.run([str(w) for w in words], env=self.env, capture_output=True, text=True, errors="replace", timeout=900)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{what}: no end")
            return None
        (self.folder / f"{what}.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            self.wrong.append(f"{what}: exit {done.returncode} {done.stderr[-300:]}")
        for report in ("AddressSanitizer", "runtime error"):
            if report in done.stderr:
                self.wrong.append(f"{what}: {report}")
        return done

    def look(self, runs, pictures):
        before = digests(self.project)
        part = self.file.relative_to(self.project).parts
        chosen = ["--run", part[1]] if part[0] == "runs" else []
        screen = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"]
        studio = self.options.bin / "kurve-studio"
        done = self.call("runs", [self.options.bin / "kurve", "runs", "--json", "--project", self.project])
        if done and done.returncode == 0:
            missing = runs - {run["id"] for run in json.loads(done.stdout)["runs"]}
            if missing:
                self.wrong.append(f"runs: does not name {sorted(missing)}")
        self.call("tour", [*screen, studio, self.project, *chosen, "--tour", self.folder / "tour"])
        seen = {f.name for f in (self.folder / "tour").glob("*.png")}
        if pictures is not None and seen != pictures:
            self.wrong.append(f"tour: other pictures {sorted(seen ^ pictures)}")
        self.call("window", [*screen, "bash", "-c", OPEN_AND_CLOSE, "bash", studio, self.project, *chosen])
        after = digests(self.project)
        changed = [str(f.relative_to(self.project)) for f, digest in before.items() if after.get(f) != digest]
        if changed:
            self.wrong.append(f"changed: {changed}")
        return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path("projects/sample"))
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(KINDS))
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    # A sound round first: it leaves an index and a layout to damage, and says which pictures there are.
    sound = Round(options, options.project, "sound")
    sound.file = sound.project / "index.db"
    runs = {folder.name for folder in (sound.project / "runs").iterdir() if folder.is_dir()}
    pictures = sound.look(runs, None)
    if sound.wrong:
        sys.exit(f"already wrong without damage: {sound.wrong}")
    wrong = 0
    for number in range(options.times):
        one = Round(options, sound.project, number)
        one.damage()
        one.look(runs, pictures)
        print("WRONG" if one.wrong else "ok   ", number, one.text, *one.wrong, sep="\n      " if one.wrong else " ", flush=True)
        wrong += bool(one.wrong)
        if one.wrong and options.keep:
            shutil.copytree(one.folder, options.keep / str(number), dirs_exist_ok=True)
        shutil.rmtree(one.folder, ignore_errors=True)
    shutil.rmtree(sound.folder, ignore_errors=True)
    print(f"{options.times} damaged files, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
