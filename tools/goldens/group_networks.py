"""Whole networks: Keras's configs of them, and what they compute."""
import json

import keras
import numpy as np
import tensorflow as tf

from network_cases import NETWORKS
from store import Group

BATCH = 8


def sample(tensor, random):
    shape = [BATCH] + [8 if size is None else size for size in tensor.shape[1:]]
    if tensor.dtype != "float32":
        return random.integers(0, 2 if tensor.dtype == "bool" else 50, shape).astype(tensor.dtype)
    return random.normal(size=shape).astype("float32")


def add(group, build):
    keras.backend.clear_session()
    keras.utils.set_random_seed(1)
    random = np.random.default_rng(2)
    model = build()
    case = group.case(type(model).__name__, {"case": build.__name__})
    case.set(object=json.loads(json.dumps(keras.saving.serialize_keras_object(model))))
    case.set(layers=[layer.name for layer in model.layers])
    model.set_weights([random.uniform(0.1, 1, w.shape).astype(w.dtype) for w in model.get_weights()])
    inputs = [sample(tensor, random) for tensor in model.inputs]
    sequential = isinstance(model, keras.Sequential)
    given = inputs[0] if sequential else tf.nest.pack_sequence_as(model.input, inputs)
    outputs = tf.nest.flatten(model(given, training=False))
    case.set(weights=case.put_all("weights", model.get_weights()), inputs=case.put_all("inputs", inputs),
             trainable=[w.trainable for w in model.weights],
             outputs=case.put_all("outputs", [keras.ops.convert_to_numpy(y).astype("float32") for y in outputs]))


def make():
    group = Group()
    for build in NETWORKS:
        add(group, build)
    return group
