#!/usr/bin/env python3
"""The window kept open: does it grow? Memory, descriptors and threads of the studio while a training logs and somebody looks around.

Usage: soak.py --bin build/release/bin [--project projects/sample] [--engine PROGRAM] [--seconds 1800] [--every 5] [--display :94]
           [--keys "ctrl+1 ctrl+shift+p,Escape …"] [--idle]

F5 starts the training. ENGINE takes the place of `kurve`: fake_engine logs 50 points a second (KURVE_FAKE_MILLISECONDS: between two) on a project of make_synthetic_project.
With --idle nothing trains. KEYS takes the place of what is done: to find which of it grows.
Every EVERY seconds one thing is done with the keyboard: the next workspace, the next run, a trace played, the palette opened and
closed, another theme. Every 20th of the time a line: seconds, MB of memory (RssAnon: what the process itself holds), open descriptors, threads.
Ends with the growth per hour over the second half. Needs Xvfb and xdotool; Python's standard library only.
"""
import argparse
import itertools
import pathlib
import time

from reliability import Lab, Window, start_by_key, start_screen

ACTIONS = [["ctrl+1"], ["ctrl+2"], ["space"], ["End"], ["Home"], ["ctrl+3"], ["ctrl+4"], ["ctrl+1"], ["ctrl+shift+p", "Escape"], ["F1", "Escape"],
         ["ctrl+equal", "ctrl+minus"]]


def measure(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    number = lambda key: int(status.split(key + ":")[1].split()[0])
    return number("RssAnon") / 1024, len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())), number("Threads")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--engine", type=pathlib.Path)
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path("projects/sample"))
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--every", type=float, default=5)
    parser.add_argument("--display", default=":94")
    parser.add_argument("--keys")
    parser.add_argument("--idle", action="store_true")
    options = parser.parse_args()
    actions = [action.split(",") for action in options.keys.split()] if options.keys else ACTIONS
    lab = Lab(options)
    if options.engine:
        lab.env.update(KURVE_ENGINE=str(options.engine.resolve()), KURVE_FAKE_STEPS="10000000")
    for file in (lab.project / "experiments").glob("*.toml"):  # a training that outlasts the looking
        file.write_text(file.read_text().replace("seconds = 90\n", f"seconds = {options.seconds + 60:.0f}\n"))
    screen = start_screen(options.display)
    window = Window(lab, options.display)
    time.sleep(4)
    lines = []
    try:
        if not options.idle and start_by_key(lab, window) is None:
            return
        begin, shown = time.monotonic(), 0
        for action in itertools.cycle(actions):
            now = time.monotonic() - begin
            if now >= shown:
                lines.append((now, *measure(window.process.pid)))
                print("{:6.0f} s {:7.1f} MB {:4} descriptors {:3} threads".format(*lines[-1]), flush=True)
                shown += options.seconds / 20
            if now > options.seconds:
                break
            for key in action:
                window.press(key)
                time.sleep(0.3)
            time.sleep(options.every)
        window.press("shift+F5")
    finally:
        window.kill()
        screen.kill()
        screen.wait()
    middle, last = lines[len(lines) // 2], lines[-1]
    hours = (last[0] - middle[0]) / 3600
    print(f"second half: {(last[1] - middle[1]) / hours:+.1f} MB an hour, descriptors {last[2] - middle[2]:+d}, threads {last[3] - middle[3]:+d}")


if __name__ == "__main__":
    main()
