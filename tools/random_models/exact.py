"""A file and its data in float64, where rounding is too small to matter."""
import contextlib
import re
import zipfile

import keras
import numpy as np
import tensorflow as tf

NARROWER = re.compile(r'"(mixed_b?float16|b?float16|float32)"')


def in_float64(path):
    """The file with float64 in each policy and each cast to a float."""
    wide = path.with_name("exact.keras")
    with zipfile.ZipFile(path) as narrow, zipfile.ZipFile(wide, "w") as made:
        for name in narrow.namelist():
            content = narrow.read(name)
            made.writestr(name, NARROWER.sub('"float64"', content.decode()) if name == "config.json" else content)
    return wide


def widened(values):
    """Floats as float64."""
    return keras.tree.map_structure(
        lambda value: value.astype("float64") if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value, values)


@contextlib.contextmanager
def floats_of_64_bits():
    """Losses and metrics compute in floatx; TensorFlow's in_top_k takes only float32."""
    in_top_k = tf.math.in_top_k
    keras.config.set_floatx("float64")
    tf.math.in_top_k = lambda targets, predictions, k: in_top_k(targets, tf.cast(predictions, "float32"), k)
    try:
        yield
    finally:
        keras.config.set_floatx("float32")
        tf.math.in_top_k = in_top_k
