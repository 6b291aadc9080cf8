"""A schedule's learning rates."""
import keras
import numpy as np

from store import serialized


def run(case, _, record, put):
    schedule = getattr(keras.optimizers.schedules, case.class_name)(**case.arguments)
    values = [float(schedule(step)) for step in case.settings["steps"]]
    record.update(object=serialized(schedule, case.arguments), steps=list(case.settings["steps"]),
                  values=put(np.array(values, np.float32)))
