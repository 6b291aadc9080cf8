"""Masks given by name, combined with other arguments of a call, and propagated by wrappers."""
import keras
import numpy as np

from declare import booleans, layer

L = keras.layers
X, STEPS = (3, 5, 4), (3, 5)
FROM_THE_FIRST = np.array([[1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], bool)  # what comes before is not the same everywhere


def beside_states():
    """With an initial_state Keras looks for "sequences_mask", which no layer has: the mask is only propagated to the output."""
    for name, states in [("LSTM", 2), ("GRU", 1), ("SimpleRNN", 1)]:
        for sequences in [False, True]:
            yield layer(name, X, units=3, return_sequences=sequences, _masks=[STEPS], _tensors={"initial_state": [(3, 3)] * states})
        yield layer(name, X, units=3, return_sequences=True, _masks=[STEPS],
                    _tensors={"initial_state": [(3, 3)] * states, "mask": FROM_THE_FIRST})
    yield layer("RNN", X, cell=L.GRUCell(3), return_sequences=True, _masks=[STEPS], _tensors={"initial_state": [(3, 3)]})
    yield layer("Bidirectional", X, layer=L.LSTM(3, return_sequences=True), _masks=[STEPS], _tensors={"initial_state": [(3, 3)] * 4})


def by_name():
    mask = {"mask": booleans(STEPS, 0.6)}
    for name in ["LSTM", "GRU", "SimpleRNN"]:
        yield layer(name, X, units=3, return_sequences=True, _tensors=mask)
        for sequences in [False, True]:
            yield layer("Bidirectional", X, layer=getattr(L, name)(3, return_sequences=sequences), _tensors=mask)
    yield layer("Bidirectional", X, layer=L.GRU(3), merge_mode=None, _masks=[STEPS], _tensors=mask)
    yield layer("RNN", X, cell=L.StackedRNNCells([L.LSTMCell(3), L.GRUCell(2)]), return_sequences=True, _tensors=mask)
    yield layer("RNN", X, cell=L.StackedRNNCells([L.LSTMCell(3), L.GRUCell(2)]), return_sequences=True, _masks=[STEPS])
    yield layer("GlobalAveragePooling1D", X, _tensors=mask)
    yield layer("BatchNormalization", X, _tensors=mask, _training=True)
    yield layer("TimeDistributed", X, layer=L.Dense(3), _tensors=mask)


def handed_on():
    steps, inner = (2, 3), (2, 3, 4)
    for given in [dict(_masks=[inner]), dict(_tensors={"mask": booleans(inner, 0.6)})]:
        yield layer("TimeDistributed", (2, 3, 4, 2), layer=L.LSTM(3, return_sequences=True), **given)
        yield layer("TimeDistributed", (2, 3, 4, 2), layer=L.GlobalAveragePooling1D(), **given)
    yield layer("TimeDistributed", (2, 3, 4), layer=L.BatchNormalization(), _masks=[steps], _training=True)


def of_attention():
    q, v, heads = (2, 5, 4), (2, 6, 4), dict(num_heads=2, key_dim=3)
    groups = dict(head_dim=3, num_query_heads=4, num_key_value_heads=2)
    for name, arguments in [("MultiHeadAttention", heads), ("GroupQueryAttention", groups)]:
        for tensors in [{"query_mask": booleans((2, 5))}, {"value_mask": booleans((2, 6))}, {"key_mask": booleans((2, 6), 0.7)},
                        {"query_mask": booleans((2, 5)), "value_mask": booleans((2, 6), 0.7)}]:
            yield layer(name, q, v, _positional=True, _tensors=tensors, **arguments)
        yield layer(name, q, v, _positional=True, _masks=[(2, 5), (2, 6)], **arguments)
    yield layer("Attention", q, v, _tensors={"mask": [booleans((2, 5)), booleans((2, 6), 0.7)]})


def cases():
    yield from beside_states()
    yield from by_name()
    yield from handed_on()
    yield from of_attention()
