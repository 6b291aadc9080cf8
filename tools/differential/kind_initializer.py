"""What an initializer makes: its numbers, or their distribution where they are random."""
import keras
import numpy as np

from store import numpy_of, serialized


def run(case, _, record, put):
    initializer = getattr(keras.initializers, case.class_name)(**case.arguments)
    value = numpy_of(initializer(case.settings["shape"]))
    record.update(object=serialized(initializer, case.arguments), shape=list(case.settings["shape"]))
    if case.settings.get("random"):
        shares = np.linspace(0, 1, 21)  # the least, the largest, and what lies between
        record.update(quantiles=put(np.quantile(value, shares).astype(np.float32)))
    else:
        record.update(value=put(value))
