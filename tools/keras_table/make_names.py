#!/usr/bin/env python3
"""Writes names.json: the public names of real Keras, area by area. Aliases of a class are left out.

usage: make_names.py     (in an environment that has Keras)
"""
import inspect
import json
import os
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras  # noqa: E402

AREAS = {"layers": keras.layers, "losses": keras.losses, "metrics": keras.metrics, "optimizers": keras.optimizers,
         "schedules": keras.optimizers.schedules, "callbacks": keras.callbacks, "initializers": keras.initializers,
         "regularizers": keras.regularizers, "constraints": keras.constraints}
BASES = {"Layer", "Loss", "Metric", "Optimizer", "LearningRateSchedule", "Callback", "Initializer", "Regularizer",
         "Constraint", "InputSpec", "Wrapper", "TFSMLayer", "TorchModuleWrapper", "FlaxLayer", "JaxLayer",
         "NNXLayer"}


def classes(module):
    names = {}
    for name, thing in inspect.getmembers(module, inspect.isclass):
        names.setdefault(thing, []).append(name)
    chosen = (thing.__name__ if thing.__name__ in known else known[0] for thing, known in names.items())
    return sorted(name for name in chosen if name not in BASES)


def activations():
    helpers = {"get", "serialize", "deserialize"}
    return sorted(name for name, thing in inspect.getmembers(keras.activations, inspect.isfunction)
                  if name not in helpers)


def operations():
    """The operations that a model file can contain: the classes of keras.ops."""
    from keras.src.ops import core, image, linalg, math, nn, numpy
    found = {name for module in (core, image, linalg, math, nn, numpy)
             for name, thing in inspect.getmembers(module, inspect.isclass)
             if issubclass(thing, keras.Operation) and thing.__module__ == module.__name__}
    return sorted(found - {"Operation", "SegmentReduction"})


def main():
    names = {area: classes(module) for area, module in AREAS.items()}
    names["activations"] = activations()
    names["operations"] = operations()
    path = Path(__file__).with_name("names.json")
    path.write_text(json.dumps({"keras_version": keras.__version__, "areas": names}, indent=1) + "\n")


if __name__ == "__main__":
    main()
