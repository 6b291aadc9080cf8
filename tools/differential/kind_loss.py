"""A loss's value and its gradient (of the sum, where the reduction leaves several values)."""
import keras
import tensorflow as tf

from declare import draw
from store import numpy_of, serialized


def run(case, rng, record, put):
    loss = getattr(keras.losses, case.class_name)(**case.arguments)
    y_true, y_pred, weight = (draw(rng, case.settings[name]) for name in ("y_true", "y_pred", "sample_weight"))
    prediction = tf.constant(y_pred)
    with tf.GradientTape() as tape:
        tape.watch(prediction)
        value = loss(y_true, prediction, sample_weight=weight)
        total = tf.reduce_sum(value)
    gradient = tape.gradient(total, prediction)
    record.update(object=serialized(loss, case.arguments), y_true=put(y_true), y_pred=put(y_pred),
                  sample_weight=put(weight), value=put(numpy_of(value)), gradient=put(numpy_of(gradient)))
