"""The values of an initializer, or their distribution if they are random."""
import keras
import numpy as np

from store import numpy_of, serialized


def run(case, _, record, put):
    initializer = getattr(keras.initializers, case.class_name)(**case.arguments)
    value = numpy_of(initializer(case.settings["shape"]))
    record.update(object=serialized(initializer, case.arguments), shape=list(case.settings["shape"]))
    if case.settings.get("random"):
        shares = np.linspace(0, 1, 21)  # the minimum, the maximum, and the quantiles between them
        record.update(quantiles=put(np.quantile(value, shares).astype(np.float32)))
    else:
        record.update(value=put(value))
