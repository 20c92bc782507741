#!/usr/bin/env python3
"""Writes the event files in events/ and events.json, what TensorBoard itself reads from them.

    pip install tensorboard==2.20.0 tensorboardX==2.6.4 protobuf==7.36.2 numpy==2.4.6
    python3 make_events.py

events/plain     tensorboardX: scalars as simple_value, NaN and infinities, a histogram and a text between them
events/tensors   tensorboard's own writer and protobufs: scalars as tensors of every number type, metadata only in the
                 first value of a tag, a tensor that is no scalar
events/restart   two files of one run: the second begins again at step 3, as a session does that
                 was restarted from a checkpoint
"""
import json
import math
import pathlib
import shutil
import struct

import numpy
import tensorboard
import tensorboardX
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.scalar import summary_v2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

START = 1.7e9


def place(folder, number):
    """The writers name their files after clock and machine; ours have fixed names."""
    new = [f for f in folder.glob("events.out.tfevents.*") if not f.name.endswith(".golden")]
    assert len(new) == 1, new
    new[0].rename(folder / f"events.out.tfevents.{int(START) + number}.golden")


def plain(folder):
    writer = tensorboardX.SummaryWriter(str(folder))
    values = [1.5, 0.1, math.nan, math.inf, -math.inf, -0.0, 3.4e38, 1e-40]
    for i, value in enumerate(values):
        writer.add_scalar("loss/train", value, 10 * i, walltime=START + 0.25 * i)
    writer.add_histogram("weights", numpy.arange(6.0), 3, bins=3, walltime=START)
    writer.add_text("note", "no scalar", 3, walltime=START)
    for step in (0, 2**40):
        writer.add_scalar("Größe", step / 4, step, walltime=START + 9)
    writer.close()
    place(folder, 0)


def tensor_value(tag, array, metadata):
    value = summary_pb2.Summary.Value(tag=tag, tensor=tensor_util.make_tensor_proto(array))
    if metadata:
        value.metadata.plugin_data.plugin_name = "scalars"
        value.metadata.data_class = summary_pb2.DATA_CLASS_SCALAR
    return summary_pb2.Summary(value=[value])


def tensors(folder):
    writer = EventFileWriter(str(folder))

    def add(summary, step):
        writer.add_event(event_pb2.Event(wall_time=START + step, step=step, summary=summary))

    for step in range(3):
        add(summary_v2.scalar_pb("accuracy", 0.5 + step / 8), step)
    for name in ("float64", "int32", "int64", "float16"):
        for step in range(2):
            add(tensor_value(name, numpy.array(-7 if "int" in name else 0.1, name), metadata=step == 0), step)
    add(tensor_value("matrix", numpy.ones([2, 2], "float32"), metadata=False), 0)
    packed = summary_pb2.Summary.Value(tag="packed")  # float_val instead of tensor_content, rank 1 of one element
    packed.tensor.dtype = 1
    packed.tensor.tensor_shape.dim.add(size=1)
    packed.tensor.float_val.append(0.25)
    packed.metadata.plugin_data.plugin_name = "scalars"
    add(summary_pb2.Summary(value=[packed]), 5)
    writer.close()
    place(folder, 0)


def restart(folder):
    for number, (first, last) in enumerate([(0, 6), (3, 8)]):
        writer = EventFileWriter(str(folder))
        log = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
        writer.add_event(event_pb2.Event(wall_time=START + 100 * number, step=first, session_log=log))
        for step in range(first, last):
            value = summary_pb2.Summary.Value(tag="loss", simple_value=step + number / 2)
            writer.add_event(event_pb2.Event(wall_time=START + step + 100 * number, step=step,
                                             summary=summary_pb2.Summary(value=[value])))
        writer.close()
        place(folder, number)


def number(value):
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def what_tensorboard_reads(folder):
    events = plugin_event_accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0})
    events.Reload()
    curves = {}
    for tag in events.PluginTagToContent("scalars"):
        points = [(p.step, p.wall_time, tensor_util.make_ndarray(p.tensor_proto).item()) for p in events.Tensors(tag)]
        curves[tag] = {
            "step": [p[0] for p in points],
            "wall": [p[1] for p in points],
            "value": [number(float(p[2])) for p in points],
        }
    return curves


def record_starts(file):
    """Byte offsets of the records and of the end: length u64, its check sum u32, data, its check sum u32."""
    data, at, starts = file.read_bytes(), 0, [0]
    while at < len(data):
        at += 16 + struct.unpack_from("<Q", data, at)[0]
        starts.append(at)
    return starts


here = pathlib.Path(__file__).parent
root = here / "events"
shutil.rmtree(root, ignore_errors=True)
result = {"made_with": {"tensorboard": tensorboard.__version__, "tensorboardX": tensorboardX.__version__}, "runs": {}}
for make in (plain, tensors, restart):
    folder = root / make.__name__
    folder.mkdir(parents=True)
    make(folder)
    result["runs"][make.__name__] = what_tensorboard_reads(folder)
result["plain_records"] = record_starts(next((root / "plain").iterdir()))
(here / "events.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
