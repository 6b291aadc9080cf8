"""A weight after a constraint."""
import keras
import tensorflow as tf

from declare import draw
from store import numpy_of, serialized


def run(case, rng, record, put):
    constraint = getattr(keras.constraints, case.class_name)(**case.arguments)
    x = draw(rng, case.settings["x"])
    record.update(object=serialized(constraint), x=put(x), y=put(numpy_of(constraint(tf.constant(x)))))
