#!/usr/bin/env python3
"""What a lab does to its machines, done to Kurve: engines killed at random, the window killed at random, many engines at once.

Usage: reliability.py {kill-engine,kill-studio,crowd,cost} --bin build/release/bin [--project projects/sample]
           [--times 50] [--engines 8] [--seconds 600] [--seed 1] [--every 10] [--display :93] [--window 70] [--visit 2 4]
           [--engine PROGRAM] [--idle]

kill-engine   a training is killed (SIGKILL) at a random moment, TIMES times. Each time: its state must be right within two
              seconds, the database sound, and no point missing that the engine had reported more than a second before.
kill-studio   a training is started with F5 in the window (needs Xvfb and xdotool); the window is killed TIMES times. Each time
              the training must go on, and the next window must pause and resume it with F6. Counts the time from the start of
              each window's process until the engine has a connection on its control socket.
crowd         ENGINES trainings at once for SECONDS with the window open and `kurve runs` asked all the time. No process may
              say "database is locked", every run must end well and be sound.
cost          a training is started with F5 in the window, which shows the Train workspace (after the workspaces VISIT were looked
              at): how much of one core the window takes for WINDOW s, thread by thread. Logs every EVERY steps. ENGINE takes the place of `kurve`:
              tests/app/studio/fake_engine logs 50 points a second on a project that make_synthetic_project has made.
              With --idle no training is started: every workspace is opened, then the window has nothing to do.

Works on a copy of the project. Ends with a line of counts; exit 1 if anything was wrong. Python's standard library only.
"""
import argparse
import json
import math
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time


class Lab:
    """A copy of the project, and the two programs."""

    def __init__(self, options):
        self.kurve, self.studio = options.bin / "kurve", options.bin / "kurve-studio"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kurve-reliability-"))
        self.project = self.folder / "project"
        shutil.copytree(options.project, self.project)
        self.env = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder), XDG_CONFIG_HOME=str(self.folder / "config"))
        self.wrong = []

    def train(self, run, *settings, **popen):
        words = [self.kurve, "train", "restore-difformer", "--project", self.project, "--run", run, *settings]
        return subprocess.Popen([str(w) for w in words], env=self.env, **popen)

    def runs(self):
        done = subprocess.run([self.kurve, "runs", "--json", "--project", self.project], env=self.env, capture_output=True, text=True)
        if done.returncode != 0 or "locked" in done.stderr:
            self.fail(f"kurve runs: {done.returncode} {done.stderr}")
            return {}
        return {run["id"]: run for run in json.loads(done.stdout)["runs"]}

    def database(self, run):
        return sqlite3.connect(f"file:{self.project / 'runs' / run / 'run.db'}?mode=ro", uri=True, timeout=5)

    def check_sound(self, run):
        with self.database(run) as db:
            answer = db.execute("PRAGMA integrity_check").fetchone()[0]
        if answer != "ok":
            self.fail(f"{run}: {answer}")

    def fail(self, text):
        self.wrong.append(text)
        print("WRONG", text, flush=True)


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def kill_engine(lab, options, dice):
    longest = 0.0
    for i in range(options.times):
        run = f"kill-{i:02}"
        engine = lab.train(run, "--events", "--set", "log.every_steps=1", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        reported = []  # (when it was read here, step of a logged point)

        def listen():
            last = None
            for line in engine.stdout:
                message = json.loads(line)
                loss = message.get("metrics", {}).get("loss") if message["type"] == "progress" else None
                if loss is not None and loss != last:
                    reported.append((time.time(), message["step"]))
                    last = loss

        listener = threading.Thread(target=listen)
        listener.start()
        wait_for(lambda: reported or engine.poll() is not None, 60)
        time.sleep(dice.uniform(0, 4))
        killed = time.time()
        engine.send_signal(signal.SIGKILL)
        engine.wait()
        listener.join()
        if not wait_for(lambda: lab.runs().get(run, {}).get("state") in ("failed", "crashed", "lost"), 2):
            lab.fail(f"{run}: state after two seconds is {lab.runs().get(run, {}).get('state')}")
        lab.check_sound(run)
        with lab.database(run) as db:
            kept = db.execute("SELECT max(step) FROM points WHERE metric = 'loss'").fetchone()[0] or 0
        # `points` are logged at the step before the report that carries them or at it
        missing = [when for when, step in reported if step > kept + 1]
        age = max((killed - when for when in missing), default=0.0)
        longest = max(longest, age)
        if age > 1:
            lab.fail(f"{run}: a point reported {age:.2f} s before the kill is gone")
        print(f"{i + 1:3} killed at step {reported[-1][1] if reported else 0}, oldest lost point {age:.2f} s", flush=True)
        shutil.rmtree(lab.project / "runs" / run)
    return f"{options.times} engines killed, oldest lost point {longest:.2f} s"


class Window:
    """The studio on a display of its own."""

    def __init__(self, lab, display):
        self.env = dict(lab.env, DISPLAY=display)
        self.started = time.monotonic()
        self.process = subprocess.Popen([lab.studio, lab.project, "--workspace", "train"], env=self.env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.id = ""
        wait_for(self.appeared, 20)
        self.xdotool("windowfocus", self.id)

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.env, capture_output=True, text=True).stdout.split()

    def appeared(self):
        found = self.xdotool("search", "--pid", self.process.pid, "--onlyvisible", "--name", ".")
        self.id = found[0] if found else ""
        return bool(found)

    def press(self, key):
        self.xdotool("key", "--window", self.id, key)

    def kill(self):
        self.process.kill()
        self.process.wait()


def start_screen(display):
    # Else it begins anew when its last window is killed, and breaks the connection of one that starts meanwhile.
    screen = subprocess.Popen(["Xvfb", display, "-noreset", "-screen", "0", "1600x1000x24"], stderr=subprocess.DEVNULL)
    time.sleep(2)
    if screen.poll() is not None:
        sys.exit(f"there is another X server on {display}; name a free one with --display")
    return screen


class Attachment(threading.Thread):
    """Waits until the engine `pid` has one connection more on its control socket than when this began."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.known, self.at = pid, connections(pid), None
        self.start()

    def run(self):
        while self.at is None:
            if connections(self.pid) - self.known:
                self.at = time.monotonic()
            time.sleep(0.01)


def connections(pid):
    """The connections that a process holds on control sockets of its own, by inode."""
    lines = (line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:])
    connected = {words[6] for words in lines if len(words) > 7 and words[5] == "03" and words[7].endswith("/control.sock")}
    own = set()
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(os.readlink(file).removeprefix("socket:[").removesuffix("]"))
        except FileNotFoundError:
            pass  # closed meanwhile
    return connected & own


def median_and_p95(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]


def start_by_key(lab, window):
    """Starts a training with F5; the run, or None. A busy machine's window may not know its experiments at the first press."""
    known = set(lab.runs())
    started = lambda: [run for run in lab.runs() if run not in known]
    for _ in range(8):
        window.press("F5")
        if wait_for(started, 8):
            return started()[0]
    lab.fail("F5 started nothing")
    return None


def kill_studio(lab, options, dice):
    for file in (lab.project / "experiments").glob("*.toml"):  # a training that outlasts all the windows
        file.write_text(file.read_text().replace("seconds = 90\n", "seconds = 7200\n"))
    screen = start_screen(options.display)
    window = Window(lab, options.display)
    time.sleep(3)
    run = start_by_key(lab, window)
    if run is None:
        screen.kill()
        screen.wait()
        return "no training"
    state = lambda: lab.runs().get(run, {}).get("state")
    with lab.database(run) as db:
        engine = int(db.execute("SELECT value FROM run WHERE key = 'pid'").fetchone()[0])
    slowest, attached = 0.0, []
    for i in range(options.times):
        wait_for(lambda: state() == "running", 30)
        time.sleep(dice.uniform(0, 1.5))
        window.kill()
        if state() != "running":
            lab.fail(f"{i}: the training is {state()} after the window was killed")
        attachment = Attachment(engine)
        window = Window(lab, options.display)
        begin = time.monotonic()

        def paused():
            # F6 pauses and resumes: a second press before the first took effect (an evaluation lasts) would undo it.
            window.press("F6")
            return wait_for(lambda: state() == "paused", 4.0)

        if not wait_for(paused, 20):
            lab.fail(f"{i}: the new window did not pause the training")
        slowest = max(slowest, time.monotonic() - begin)
        window.press("F6")
        if attachment.at is None:
            lab.fail(f"{i}: the new window is not connected to the engine")
            continue
        attached.append(attachment.at - window.started)
        print(f"{i + 1:3} re-attached after {attached[-1]:.2f} s", flush=True)
    window.press("shift+F5")
    wait_for(lambda: state() in ("stopped", "completed"), 60)
    lab.check_sound(run)
    window.kill()
    screen.kill()
    screen.wait()
    median, p95 = median_and_p95(attached or [math.nan])
    return (f"window killed {options.times} times, training {state()}, slowest from window to paused training {slowest:.1f} s; start of "
            f"the window to attached: median {median:.2f} s, p95 {p95:.2f} s, n {len(attached)}")


def thread_seconds(pid):
    """Processor seconds of every thread of a process so far: {(id, name): seconds}."""
    seconds = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        fields = rest.split()
        seconds[task.name, name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def window_use(window, seconds):
    """Waits, then prints the fraction of one core of the window's busiest threads; returns that of all, and the time."""
    begin, before = time.monotonic(), thread_seconds(window.process.pid)
    while time.monotonic() < begin + seconds and window.process.poll() is None:
        time.sleep(1)
    wall, after = time.monotonic() - begin, thread_seconds(window.process.pid)
    used = sorted(((seconds - before.get(thread, 0), thread[1]) for thread, seconds in after.items()), reverse=True)
    for seconds, name in used[:4]:
        print(f"  {name:16} {100 * seconds / wall:5.2f} %", flush=True)
    return 100 * sum(seconds for seconds, _ in used) / wall, wall


def visit(window, workspaces):
    for workspace in workspaces:
        window.press(f"ctrl+{workspace}")
        time.sleep(3)
    time.sleep(5)


def cost(lab, options, _):
    if options.engine:
        lab.env.update(KURVE_ENGINE=str(options.engine.resolve()), KURVE_FAKE_STEPS="10000000")
    for file in (lab.project / "experiments").glob("*.toml") if not options.engine else []:
        file.write_text(file.read_text() + f"\n[log]\nevery_steps = {options.every}\n")
    screen = start_screen(options.display)
    window = Window(lab, options.display)
    time.sleep(4)
    try:
        return idle_cost(window, options) if options.idle else training_cost(lab, window, options)
    finally:
        window.kill()
        screen.kill()
        screen.wait()


def idle_cost(window, options):
    visit(window, [2, 3, 4, 1])
    fraction, wall = window_use(window, options.window)
    return f"{fraction:.2f} % of a core over {wall:.0f} s with nothing to do"


def training_cost(lab, window, options):
    run = start_by_key(lab, window)
    state = lambda: lab.runs().get(run, {}).get("state")
    if run is None or not wait_for(lambda: state() == "running", 30):
        return "no training"
    visit(window, options.visit + [1] * bool(options.visit))
    fraction, wall = window_use(window, options.window)
    with lab.database(run) as db:
        points, = db.execute("SELECT count(*) FROM points WHERE metric = 'loss'").fetchone()
    window.press("shift+F5")
    return f"{fraction:.1f} % of a core over {wall:.0f} s; {points} points of the loss"


def crowd(lab, options, _):
    window = subprocess.Popen([lab.studio, lab.project], env=dict(lab.env, QT_QPA_PLATFORM="offscreen"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    logs = [open(lab.folder / f"crowd-{i}.log", "w+") for i in range(options.engines)]
    engines = [lab.train(f"crowd-{i}", "--set", f"train.seconds={options.seconds}", "--set", "train.cpu_replicas=1", "--set",
                         "log.every_steps=1", stdout=subprocess.DEVNULL, stderr=log) for i, log in enumerate(logs)]
    asked = 0
    while any(engine.poll() is None for engine in engines):
        lab.runs()
        asked += 1
        time.sleep(1)
    for i, (engine, log) in enumerate(zip(engines, logs)):
        log.seek(0)
        text = log.read()
        if engine.returncode != 0 or "locked" in text:
            lab.fail(f"crowd-{i}: exit {engine.returncode}: {text[-300:]}")
        lab.check_sound(f"crowd-{i}")
    alive = window.poll() is None
    window.kill()
    if not alive or "locked" in window.stderr.read():
        lab.fail("the window ended or met a locked database")
    return f"{options.engines} engines for {options.seconds} s, {asked} times all runs listed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kill-engine", "kill-studio", "crowd", "cost"])
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "projects/sample")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--engines", type=int, default=8)
    parser.add_argument("--visit", type=int, nargs="*", default=[])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--window", type=float, default=70)
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--engine", type=pathlib.Path)
    parser.add_argument("--display", default=":93")
    options = parser.parse_args()
    lab = Lab(options)
    work = {"kill-engine": kill_engine, "kill-studio": kill_studio, "crowd": crowd, "cost": cost}[options.what]
    try:
        print(work(lab, options, random.Random(options.seed)), "-", len(lab.wrong), "wrong")
    finally:
        shutil.rmtree(lab.folder, ignore_errors=True)
    sys.exit(bool(lab.wrong))


if __name__ == "__main__":
    main()
