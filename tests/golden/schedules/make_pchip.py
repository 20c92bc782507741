"""Golden numbers of the monotone cubic: scipy.interpolate.PchipInterpolator.

    pip install scipy==1.11.4 numpy==1.26.4
    python make_pchip.py > pchip.json
"""
import json
import sys

import numpy
import scipy
from scipy.interpolate import PchipInterpolator

CURVES = {
    "two points": ([0, 1], [12, -12]),
    "three points": ([0, 0.3, 1], [6, 1, -9]),
    "even log-SNR": ([0, 0.25, 0.5, 0.75, 1], [10, 2.5, 0, -2.5, -10]),
    "steep ends": ([0, 0.01, 0.2, 0.8, 0.99, 1], [14, 5, 1, -1.5, -4, -13]),
    "flat then steep": ([0, 0.1, 0.5, 0.9, 1], [8, 7.9, 7.8, -7.9, -8]),
    "end slope cut to zero": ([0, 0.5, 0.6, 1], [4, 3.9, -4, -4.1]),
    "not monotone": ([0, 0.2, 0.4, 0.7, 1], [5, 1, 3, 3, -4]),
    "uneven": (
        sorted(numpy.random.default_rng(7).uniform(0, 1, 9)),
        sorted(numpy.random.default_rng(8).normal(0, 5, 9), reverse=True),
    ),
}

out = {"scipy": scipy.__version__, "numpy": numpy.__version__, "python": sys.version.split()[0], "curves": []}
for name, (x, y) in CURVES.items():
    curve = PchipInterpolator(x, y)
    at = numpy.linspace(x[0], x[-1], 23)
    out["curves"].append(
        {
            "name": name,
            "x": [float(v) for v in x],
            "y": [float(v) for v in y],
            "slopes": curve.derivative()(x).tolist(),
            "at": at.tolist(),
            "value": curve(at).tolist(),
            "slope": curve.derivative()(at).tolist(),
        }
    )
json.dump(out, sys.stdout, indent=1)
print()
