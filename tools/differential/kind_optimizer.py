"""Weights and slots after steps with given gradients."""
import keras
import numpy as np

from declare import short
from store import numpy_of, serialized

SHAPES = {"kernel": (4, 3), "bias": (3,), "filters": (2, 2, 3, 2)}


def run(case, _, record, put):
    rng = np.random.default_rng(7)  # the same numbers for all: they are stored once
    variables = [keras.Variable(short(rng.standard_normal(s)), name=n, dtype="float32") for n, s in SHAPES.items()]
    optimizer = getattr(keras.optimizers, case.class_name)(**case.arguments)
    record.update(object=serialized(optimizer, case.arguments), names=list(SHAPES),
                  initial=[put(numpy_of(v)) for v in variables])
    gradients = [[short(rng.standard_normal(s)).astype(np.float32) for s in SHAPES.values()]
                 for _ in range(case.settings.get("steps", 20))]
    for step in gradients:
        optimizer.apply([keras.ops.convert_to_tensor(g) for g in step], variables)
    record.update(gradients=[[put(g) for g in step] for step in gradients],
                  final=[put(numpy_of(v)) for v in variables],
                  slots=[{"path": v.path, "array": put(numpy_of(v))} for v in optimizer.variables])
