"""Files of layers with sublayers, which Keras names after its attributes."""
import io
import zipfile

import h5py
import keras
import numpy as np
from group_files import as_list, file_of
from keras import layers

from store import Group

SAMPLES = 2


def make():
    group = Group()
    for number, (name, (shapes, build)) in enumerate(CASES.items()):
        add_case(group, name, shapes, build(), np.random.default_rng(50 + number))
    return group


def add_case(group, name, shapes, layer, rng):
    inputs = [layers.Input(shape) for shape in shapes]
    model = keras.Model(inputs, layer(*inputs))
    model.set_weights([rng.standard_normal(value.shape).astype(value.dtype) for value in model.get_weights()])
    x = [rng.standard_normal((SAMPLES, *shape)).astype("float32") for shape in shapes]
    file = file_of(model, ".keras")
    case = group.case(name, {})
    case.set(id=name, file=case.put("file", file), names=names_in(file), inputs=case.put_all("x", x),
             outputs=case.put_all("y", as_list(model.predict(x, verbose=0))))


def names_in(file):
    names = []
    with zipfile.ZipFile(io.BytesIO(file.tobytes())) as archive, h5py.File(io.BytesIO(archive.read("model.weights.h5"))) as weights:
        weights.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    return sorted(name for name in names if "generator/" not in name)


def heads(**arguments):
    return lambda: layers.MultiHeadAttention(2, 3, **arguments)


def groups(**arguments):
    return lambda: layers.GroupQueryAttention(3, 4, 2, **arguments)


PAIR = [(5, 4), (6, 4)]
SEQUENCE = [(5, 4)]
IMAGE = [(6, 6, 3)]

# name: shapes of the inputs, the layer
CASES = {
    "heads": (PAIR, heads()),
    "heads_with_gate": (PAIR, heads(use_gate=True)),
    "groups": (PAIR, groups()),
    "groups_with_gate": (PAIR, groups(use_gate=True)),
    "groups_without_bias": (PAIR, groups(use_bias=False)),
    "bidirectional": (SEQUENCE, lambda: layers.Bidirectional(layers.LSTM(3))),
    "bidirectional_of_two": (SEQUENCE, lambda: layers.Bidirectional(layers.LSTM(3), backward_layer=layers.LSTM(3, go_backwards=True))),
    "bidirectional_of_cells": (SEQUENCE, lambda: layers.Bidirectional(layers.RNN(layers.GRUCell(3)))),
    "cell": (SEQUENCE, lambda: layers.RNN(layers.LSTMCell(3))),
    "cells": (SEQUENCE, lambda: layers.RNN([layers.LSTMCell(3), layers.GRUCell(2)])),
    "gru": (SEQUENCE, lambda: layers.GRU(3)),
    "conv_lstm": ([(3, 6, 3)], lambda: layers.ConvLSTM1D(2, 3)),
    "time_distributed": (SEQUENCE, lambda: layers.TimeDistributed(layers.Dense(3))),
    "time_distributed_model": (SEQUENCE, lambda: layers.TimeDistributed(keras.Sequential([layers.Dense(3), layers.Dense(2)]))),
    "spectral_normalization": (IMAGE, lambda: layers.SpectralNormalization(layers.Conv2D(2, 3))),
    "separable": (IMAGE, lambda: layers.SeparableConv2D(2, 3)),
    "pipeline": (SEQUENCE, lambda: layers.Pipeline([layers.Dense(3), layers.Dense(2)])),
    "model_in_model": (SEQUENCE, lambda: keras.Sequential([layers.Input((5, 4)), layers.Dense(3), layers.LSTM(2)])),
}
