"""A metric's result after each of several updates."""
import keras

from declare import draw
from store import numpy_of, serialized


def run(case, rng, record, put):
    metric = getattr(keras.metrics, case.class_name)(**case.arguments)
    updates = []
    for update in case.settings["updates"]:
        values = [draw(rng, spec) for spec in update]
        metric.update_state(*values)
        updates.append({"arguments": [put(v) for v in values], "result": put(numpy_of(metric.result()))})
    record.update(object=serialized(metric, case.arguments), updates=updates)
