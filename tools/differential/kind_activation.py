"""An activation and its gradient."""
import keras
import numpy as np
import tensorflow as tf

from declare import draw, short
from store import numpy_of


def run(case, rng, record, put):
    function = keras.activations.get(case.class_name)
    x = draw(rng, case.settings["x"])
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        y = function(tensor)
        cotangent = short(rng.standard_normal(y.shape)).astype(np.float32)
        total = tf.reduce_sum(y * cotangent)
    record.update(x=put(x), y=put(numpy_of(y)), cotangent=put(cotangent),
                  gradient=put(numpy_of(tape.gradient(total, tensor))))
