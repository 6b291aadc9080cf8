"""Initializers, regularizers and constraints."""
from itertools import product

from declare import constraint, initializer, regularizer

SCALED = ["GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal", "LecunUniform", "LecunNormal"]


def cases():
    for name, shape in product(["Zeros", "Ones"], [(3,), (2, 3), (2, 2, 3, 1)]):
        yield initializer(name, shape)
    yield initializer("Constant", (2, 3), value=0.25)
    for gain, shape in product([1.0, 0.5], [(3, 3), (2, 4), (4, 2)]):
        yield initializer("Identity", shape, gain=gain)
    for name, shape in product(SCALED, [(200, 300), (3, 3, 40, 60)]):
        yield initializer(name, shape, _random=True)
    yield initializer("RandomNormal", (200, 300), mean=1.0, stddev=0.5, _random=True)
    yield initializer("TruncatedNormal", (200, 300), mean=-1.0, stddev=0.5, _random=True)
    yield initializer("RandomUniform", (200, 300), minval=-0.5, maxval=2.0, _random=True)
    for mode, distribution in product(["fan_in", "fan_out", "fan_avg"], ["truncated_normal", "untruncated_normal", "uniform"]):
        yield initializer("VarianceScaling", (120, 500), scale=0.5, mode=mode, distribution=distribution, _random=True)
    yield initializer("Orthogonal", (200, 300), gain=2.0, _random=True)
    for side, scaling, window in product(["real", "imag"], ["density", "spectrum", None], ["hann", "flattop", None]):
        yield initializer("STFT", (6, 1, 5), side=side, scaling=scaling, window=window)
    for window in ["boxcar", "hamming", "blackman", "blackmanharris", "nuttall"]:
        yield initializer("STFT", (5, 1, 9), window=window, periodic=True)
    yield initializer("STFT", (3, 1, 3), window=[0.25, 1.0, 0.5])
    yield initializer("STFT", (120, 1, 129), side="imag")
    for name, shape in product(["L1", "L2"], [(4,), (3, 4), (2, 2, 3, 2)]):
        yield regularizer(name, shape)
    for l1, l2 in [(0.3, 0.2), (0.0, 0.2), (0.3, 0.0)]:
        yield regularizer("L1L2", (3, 4), l1=l1, l2=l2)
    for mode in ["rows", "columns"]:
        yield regularizer("OrthogonalRegularizer", (4, 5), factor=0.1, mode=mode)
    for name in ["MaxNorm", "NonNeg", "UnitNorm", "MinMaxNorm"]:
        yield constraint(name, (4, 5))
    yield constraint("MaxNorm", (2, 2, 3, 4), max_value=1.0, axis=[0, 1, 2])
    yield constraint("UnitNorm", (4, 5), axis=1)
    yield constraint("MinMaxNorm", (4, 5), min_value=0.5, max_value=1.5, rate=0.5, axis=1)
