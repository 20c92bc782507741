"""Writes the seeds of the fuzz corpora: small good inputs of every kind, from which libFuzzer grows bad ones.

Run in this folder: python3 make_corpus.py. What fuzzing found is added to the same folders by hand.
"""

import json
import pathlib
import struct


def write(kind, name, data):
    folder = pathlib.Path("corpus") / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def safetensors(tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


write("config", "small", 'family = "sclm"\npreset = "tiny"\n[model]\nhidden = 64\n[train]\nlr = 1e-3\nema = true\n')
write("config", "dotted", 'family = "sclm"\nname = "a \\"b\\""\nmap.kind = "repeat"\n# note\n[data]\ntrain = \'x.tsv\'\n')

write("wire", "stream", '\x08{"v":1,"type":"hello","protocol":1}\n{"v":1,"type":"ping","id":"7"}\nnoise\n')
write("wire", "nested", '\x20{"v":1,"type":"set","key":"train.lr","value":[[{"a":null}],1e300,-0.0,"\\u00e4\\n"]}\n')

write("safetensors", "two", safetensors({"a": ("F32", [2, 1], bytes(8)), "b": ("U8", [3], b"xyz")}, {"k": "v"}))
write("safetensors", "empty", safetensors({}))

one = {
    "t": ("F64", [1], bytes(8)),
    "log_snr": ("F64", [1], bytes(8)),
    "inner": ("I32", [1], bytes(4)),
    "outer": ("I32", [1], bytes(4)),
    "tokens": ("U32", [1, 1], bytes(4)),
    "top_ids": ("U32", [1, 1, 8], bytes(32)),
    "entropy": ("F32", [1, 1], bytes(4)),
    "margin": ("F32", [1, 1], bytes(4)),
    "curve": ("F16", [1, 1], bytes(2)),
    "top_prob": ("U16", [1, 1, 8], bytes(16)),
    "confidence": ("U16", [1, 1], bytes(2)),
    "state": ("U8", [1, 1], bytes(1)),
    "texts": ("U8", [8], b'[0,"a"]\n'),
}
meta = {
    "format": "kurve.trace/2",
    "levels": '[{"unit":"token","positions":1,"top_k":8}]',
    "axes": '{"position":1,"denoising_step":1}',
    "family": "sclm",
}
write("trace", "one_cell", safetensors(one, meta))
chunk = {name: one[name] for name in ("t", "log_snr", "inner", "outer", "tokens", "texts")}
chunk["chunk/latent"] = ("F16", [1, 1], bytes(2))
levels = '[{"unit":"chunk","positions":1,"spans":[[0,1]]},{"unit":"token","positions":1}]'
write("trace", "growing_chunk", safetensors(chunk, meta | {"levels": levels, "frames": "000000000001"}))

write("tsv", "pairs", "# a notice\none\teins\ntwo words\tzwei Wörter\n")
write("tsv", "odd", b"\xef\xbb\xbfa\tb\r\n\tempty\nlong " + b"x" * 250 + b"\ty\nthree\tcolumns\there\n")

write("jsonl", "pair", '{"src": "one\\ttwo", "trg": "d\\u00f3s", "id": [1, null]}')
write("jsonl", "odd", '{"src": 3, "trg": "\\ud800\\u0000"}')

golden = pathlib.Path("../golden/interop/events")
for name in ("plain", "tensors"):
    events = next((golden / name).iterdir()).read_bytes()
    write("import", f"{name}_file", b"\x03" + events)
    at, count = 0, 0
    while at < len(events):  # the payloads alone
        size = struct.unpack_from("<Q", events, at)[0]
        if count in (1, 9):
            write("import", f"{name}_{count}", b"\x00" + events[at + 12 : at + 12 + size])
        at, count = at + size + 16, count + 1
write("import", "wide", b'\x01step,loss,"a ""b"""\r\n1,0.5,\n2,nan,"3\n"\n')
write("import", "long", b"\x05run;tag;step;value;wall\nr;loss;1;2;2023-11-14T22:13:20.5Z\n")
write("import", "json", b'\x02{"step": 1, "loss": NaN, "e": {"x": -Infinity, "t": "a"}}\n{"step": 2, "lo')
