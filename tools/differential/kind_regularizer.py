"""A regularizer's penalty and its gradient."""
import keras
import tensorflow as tf

from declare import draw
from store import numpy_of, serialized


def run(case, rng, record, put):
    regularizer = getattr(keras.regularizers, case.class_name)(**case.arguments)
    x = draw(rng, case.settings["x"])
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        penalty = regularizer(tensor)
    record.update(object=serialized(regularizer), x=put(x), value=put(numpy_of(penalty)),
                  gradient=put(numpy_of(tape.gradient(penalty, tensor))))
