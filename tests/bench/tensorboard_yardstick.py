#!/usr/bin/env python3
"""The same runs in TensorBoard and in Kurve: how long until every run is listed and one of its curves is in memory.

Usage: tensorboard_yardstick.py FOLDER --kurve build/release/bin/kurve --bench build/release/bin/store_bench
           [--runs 1000] [--points 1000] [--rounds 3]

Needs: pip install tensorboard==2.20.0 (its event writer and its loader without the web server). Writes event files of
RUNS runs with three metrics of POINTS points, imports them into a new project, and reads both in turns. TensorBoard
is told to keep every point (its default keeps 1,000 of a curve).
"""
import argparse
import math
import pathlib
import statistics
import subprocess
import time

from tensorboard.backend.event_processing import plugin_event_multiplexer
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

METRICS = ("loss", "grad_norm", "lr")


def write_logs(folder: pathlib.Path, runs: int, points: int) -> None:
    for r in range(runs):
        writer = EventFileWriter(str(folder / f"run-{r:05}"))
        for step in range(points):
            values = [summary_pb2.Summary.Value(tag=m, simple_value=math.sin(step + k + r)) for k, m in enumerate(METRICS)]
            writer.add_event(event_pb2.Event(step=step, wall_time=1.8e9 + step, summary=summary_pb2.Summary(value=values)))
        writer.close()


def import_runs(kurve: str, logs: pathlib.Path, project: pathlib.Path) -> float:
    project.mkdir()
    (project / "project.toml").write_text('name = "yardstick"\n')
    start = time.perf_counter()
    subprocess.run([kurve, "import", str(logs), "--project", str(project), "--quiet"], check=True)
    return time.perf_counter() - start


def tensorboard_seconds(logs: pathlib.Path) -> tuple[float, int]:
    start = time.perf_counter()
    multiplexer = plugin_event_multiplexer.EventMultiplexer(size_guidance={"tensors": 0})
    multiplexer.AddRunsFromDirectory(str(logs))
    multiplexer.Reload()
    read = sum(len(multiplexer.Tensors(run, "loss")) for run in multiplexer.Runs())
    return time.perf_counter() - start, read


def kurve_seconds(bench: str, project: pathlib.Path) -> tuple[float, int]:
    start = time.perf_counter()
    text = subprocess.run([bench, "--curves", str(project), "loss"], check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, int(text.split()[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kurve", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logs, project = options.folder / "logs", options.folder / "project"
    write_logs(logs, options.runs, options.points)
    print(f"import into Kurve, once: {import_runs(options.kurve, logs, project):.2f} s")
    theirs, ours = [], []
    for _ in range(options.rounds):  # in turns: the machine is not the same for long
        seconds, read = tensorboard_seconds(logs)
        theirs.append(seconds)
        own, own_read = kurve_seconds(options.bench, project)
        ours.append(own)
        assert read == own_read == options.runs * options.points, (read, own_read)
        print(f"TensorBoard {seconds:.2f} s   Kurve {own:.3f} s   ratio {seconds / own:.0f}", flush=True)
    print(f"median: TensorBoard {statistics.median(theirs):.2f} s, Kurve {statistics.median(ours):.3f} s, "
          f"ratio {statistics.median(a / b for a, b in zip(theirs, ours)):.0f}")


if __name__ == "__main__":
    main()
