"""Cells, RNN, StackedRNNCells, Bidirectional, TimeDistributed, SpectralNormalization."""
from itertools import product

import keras
import numpy as np

from declare import integers, layer

L = keras.layers
X = (3, 5, 4)


def cells():
    yield lambda: L.SimpleRNNCell(3)
    yield lambda: L.LSTMCell(3, use_bias=False)
    yield lambda: L.GRUCell(3, reset_after=False, activation="softsign")
    yield lambda: L.StackedRNNCells([L.LSTMCell(3), L.GRUCell(2)])
    yield lambda: L.StackedRNNCells([L.GRUCell(3), L.GRUCell(2, activation="softsign"), L.SimpleRNNCell(4)])


def rnn_cases():
    for cell, sequences in product(cells(), [False, True]):
        yield layer("RNN", X, cell=cell(), return_sequences=sequences)
        yield layer("RNN", X, cell=cell(), return_sequences=sequences, return_state=True, go_backwards=True)
    for cell in list(cells())[:3]:
        yield layer("RNN", X, cell=cell(), return_sequences=True, _masks=[(3, 5)])
        yield layer("RNN", X, cell=cell(), return_sequences=True, zero_output_for_mask=True, _masks=[(3, 5)])


def bidirectional_cases():
    for name, mode, sequences in product(["SimpleRNN", "LSTM", "GRU"], ["concat", "sum", "mul", "ave", None], [False, True]):
        make = getattr(L, name)
        yield layer("Bidirectional", X, layer=make(3, return_sequences=sequences), merge_mode=mode)
    for sequences in [False, True]:
        yield layer("Bidirectional", X, layer=L.LSTM(3, return_sequences=sequences, return_state=True))
        yield layer("Bidirectional", X, layer=L.GRU(3, return_sequences=sequences), _masks=[(3, 5)])
        yield layer("Bidirectional", X, layer=L.LSTM(3, return_sequences=sequences), _masks=[(3, 5)])
        yield layer("Bidirectional", X, layer=L.LSTM(3, return_sequences=sequences),
                    backward_layer=L.GRU(2, return_sequences=sequences, go_backwards=True))
    yield layer("Bidirectional", X, layer=L.LSTM(3), _tensors={"initial_state": [(3, 3)] * 4})
    yield layer("Bidirectional", X, layer=L.RNN(L.GRUCell(3), return_sequences=True))
    yield layer("Bidirectional", X, layer=L.LSTM(3, recurrent_regularizer="l2"))


def time_distributed_cases():
    yield layer("TimeDistributed", X, layer=L.Dense(3, activation="relu"))
    yield layer("TimeDistributed", X, layer=L.Dense(3), _masks=[(3, 5)])
    yield layer("TimeDistributed", (2, 3, 4), layer=L.BatchNormalization(), _training=True)
    yield layer("TimeDistributed", (2, 3, 4), layer=L.BatchNormalization())
    yield layer("TimeDistributed", (2, 3, 4, 2), layer=L.LSTM(3, return_sequences=True))
    yield layer("TimeDistributed", (2, 3, 4, 2), layer=L.Flatten())
    yield layer("TimeDistributed", (2, 3, 6, 6, 2), layer=L.Conv2D(3, 3))
    yield layer("TimeDistributed", integers((2, 3, 4), 0, 6), layer=L.Embedding(6, 3))
    yield layer("TimeDistributed", X, layer=L.Dense(2, kernel_regularizer="l2"))


def spectral_cases():
    for training in [False, True]:
        yield layer("SpectralNormalization", (4, 5), layer=L.Dense(3), _training=training)
    yield layer("SpectralNormalization", (4, 5), layer=L.Dense(3, use_bias=False), power_iterations=4, _training=True)
    yield layer("SpectralNormalization", (4, 5), layer=L.Dense(3, kernel_regularizer="l2", kernel_constraint="max_norm"),
                _training=True)
    yield layer("SpectralNormalization", (2, 6, 6, 2), layer=L.Conv2D(3, 3, activation="relu"), _training=True)
    yield layer("SpectralNormalization", (2, 6, 2), layer=L.Conv1DTranspose(3, 2), power_iterations=2, _training=True)
    yield layer("SpectralNormalization", integers((3, 4), 0, 6, "float32"), layer=L.Embedding(6, 3), _training=True)
    yield layer("SpectralNormalization", (4, 5), layer=L.EinsumDense("ab,bc->ac", 3, bias_axes="c"), _training=True)
    yield layer("SpectralNormalization", (4, 5), layer=L.Dense(3), _training=True,
                _weights=[np.zeros((5, 3)), np.ones((1, 3)), None])


def pipeline_cases():
    for training in [False, True]:
        yield layer("Pipeline", (4, 5), layers=[L.Dense(3, activation="tanh"), L.BatchNormalization(), L.Dense(2)],
                    _training=training)
    yield layer("Pipeline", (2, 4, 5, 3), layers=[L.Rescaling(0.5), L.RandomFlip(), L.CenterCrop(3, 2)])
    yield layer("Pipeline", X, layers=[L.Masking(), L.LSTM(3, return_sequences=True), L.LSTM(2)], _masks=[(3, 5)])
    yield layer("Pipeline", X, layers=[L.LSTM(3, return_sequences=True), L.LayerNormalization()], _masks=[(3, 5)])
    yield layer("Pipeline", integers((3, 4), 0, 6), layers=[L.Embedding(6, 3, mask_zero=True), L.Dense(2, name="last")],
                name="all")
    yield layer("Pipeline", (4, 5), layers=[L.Pipeline([L.Dense(3, kernel_regularizer="l2")]), L.Dense(2)])


def cases():
    yield from rnn_cases()
    yield from bidirectional_cases()
    yield from time_distributed_cases()
    yield from spectral_cases()
    yield from pipeline_cases()
