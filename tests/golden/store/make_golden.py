"""Writes golden.safetensors: what Python's safetensors package writes, for our reader.

Run: python3 make_golden.py   (packages: safetensors 0.4 or later, numpy)
The values are closed forms, repeated in safetensors_test.cpp.
"""

import numpy as np
from safetensors.numpy import save_file

i = np.arange(6, dtype=np.float64)
save_file(
    {
        "f64": (i / 7).reshape(2, 3),
        "f32": (i / 7).astype(np.float32),
        "f16": np.array([0, 1, -2, 65504, 6e-8, 1 / 3, np.inf], dtype=np.float16),
        "i64": np.array([[-1], [2**62]], dtype=np.int64),
        "u32": np.array([4000000000], dtype=np.uint32),
        "u8": np.arange(5, dtype=np.uint8),
        "bool": np.array([True, False, True]),
        "empty": np.zeros((0, 4), dtype=np.float32),
        "scalar": np.array(2.5, dtype=np.float32),
    },
    "golden.safetensors",
    metadata={"made by": "safetensors for Python", "umlaut": "ä→λ"},
)
