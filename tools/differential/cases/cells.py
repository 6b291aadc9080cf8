"""Cells of recurrent layers, called for a step."""
from itertools import product

import keras

from declare import layer

L = keras.layers
X, H = (4, 5), (4, 3)


def cases():
    for name, bias in product(["SimpleRNNCell", "GRUCell"], [True, False]):
        yield layer(name, X, H, units=3, use_bias=bias, _positional=True)
        yield layer(name, X, units=3, use_bias=bias, _tensors={"states": [H]})
    yield layer("LSTMCell", X, units=3, _tensors={"states": [H, H]})
    yield layer("StackedRNNCells", X, cells=[L.GRUCell(3), L.SimpleRNNCell(2)], _tensors={"states": [H, (4, 2)]})
