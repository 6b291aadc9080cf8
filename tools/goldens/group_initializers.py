"""Initial values: exact ones of the deterministic initializers, and the distributions of the random ones."""
import math

import keras
import numpy as np
from keras.src.initializers import random_initializers

from store import Group, numpy_of

TRUNCATED_STDDEV = 0.87962566103423978  # of a unit normal cut at two standard deviations

EXACT = [("Zeros", {}), ("Ones", {}), ("Constant", {"value": 0.25}), ("Constant", {}), ("Identity", {}),
         ("Identity", {"gain": 2.0})]
PLAIN = [("RandomNormal", {}), ("RandomNormal", {"mean": 1.0, "stddev": 0.5}), ("RandomUniform", {}),
         ("RandomUniform", {"minval": -1.0, "maxval": 3.0}), ("TruncatedNormal", {}),
         ("TruncatedNormal", {"mean": -0.5, "stddev": 0.2})]
SCALED = [(f"{author}{kind}", {}) for author in ("Glorot", "He", "Lecun") for kind in ("Uniform", "Normal")]
SCALED += [("VarianceScaling", {})]
SCALED += [("VarianceScaling", {"scale": 1.5, "mode": mode, "distribution": distribution})
           for mode in ("fan_in", "fan_out", "fan_avg")
           for distribution in ("truncated_normal", "untruncated_normal", "uniform")]
SHAPES = [(40, 90), (3, 3, 16, 24), (3000,)]


def make():
    group = Group()
    for name, config in EXACT:
        for shape in [(4, 4), (3, 5)]:
            add_exact(group.case(name, config), shape)
    for name, config in PLAIN:
        add_random(group.case(name, config), (40, 90))
    for name, config in SCALED:
        for shape in SHAPES:
            add_random(group.case(name, config), shape)
    for config in [{}, {"gain": 1.5}]:
        for shape in [(12, 7), (7, 12), (9, 9), (3, 3, 2, 5)]:
            group.case("Orthogonal", config).set(shape=shape, distribution="orthogonal", gain=config.get("gain", 1.0))
    return group


def add_exact(case, shape):
    case.set(shape=shape, value=case.put("value", numpy_of(make_initializer(case)(shape))))


def add_random(case, shape):
    facts = distribution_of(make_initializer(case), shape)
    confirm(make_initializer(case, seed=3)(shape), facts)
    case.set(shape=shape, **facts)


def make_initializer(case, **extra):
    return getattr(keras.initializers, case.fields["class_name"])(**case.fields["config"], **extra)


class Recorder:
    """Replaces keras.random and records what an initializer requests from it."""

    def normal(self, shape, mean, stddev, **_):
        self.facts = {"distribution": "normal", "mean": mean, "stddev": stddev, "limit": None}

    def truncated_normal(self, shape, mean, stddev, **_):
        self.facts = {"distribution": "truncated_normal", "mean": mean, "stddev": stddev * TRUNCATED_STDDEV,
                      "limit": 2 * stddev}

    def uniform(self, shape, minval, maxval, **_):
        width = maxval - minval
        self.facts = {"distribution": "uniform", "mean": (minval + maxval) / 2, "stddev": width / math.sqrt(12),
                      "limit": width / 2}


def distribution_of(initializer, shape):
    recorder, real = Recorder(), random_initializers.random
    random_initializers.random = recorder
    try:
        initializer(shape)
    finally:
        random_initializers.random = real
    return recorder.facts


def confirm(sample, facts):
    """A draw of real Keras must agree with what is stored."""
    sample = numpy_of(sample).astype(np.float64)
    error = facts["stddev"] / math.sqrt(sample.size)
    assert abs(sample.mean() - facts["mean"]) < 5 * error, facts
    assert abs(sample.std() - facts["stddev"]) < 5 * error, facts
    assert facts["limit"] is None or np.abs(sample - facts["mean"]).max() <= facts["limit"] * 1.000001, facts
