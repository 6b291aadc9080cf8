"""ConvLSTM1D, ConvLSTM2D, ConvLSTM3D."""
from itertools import product

import keras

from declare import layer

L = keras.layers
SHAPES = {1: (2, 3, 6, 2), 2: (2, 3, 5, 6, 2), 3: (1, 2, 4, 3, 4, 2)}
FIRST = {1: (2, 3, 2, 6), 2: (2, 3, 2, 5, 6), 3: (1, 2, 2, 4, 3, 4)}


def of(n, **arguments):
    return layer(f"ConvLSTM{n}D", SHAPES[n], filters=3, **{"kernel_size": 2, **arguments})


def cases():
    for n, padding, sequences in product([1, 2, 3], ["valid", "same"], [False, True]):
        yield of(n, padding=padding, return_sequences=sequences)
    for n in [1, 2, 3]:
        yield of(n, strides=2, kernel_size=3, padding="same", return_state=True)
        yield of(n, dilation_rate=2, go_backwards=True, return_sequences=True)
        yield layer(f"ConvLSTM{n}D", FIRST[n], filters=3, kernel_size=2, data_format="channels_first", unroll=True,
                    return_sequences=True, return_state=True)
    yield of(2, kernel_size=(3, 2), strides=(1, 2), return_sequences=True)
    yield of(2, dilation_rate=(1, 2), padding="same")
    yield of(2, use_bias=False, activation="relu", recurrent_activation="hard_sigmoid")
    yield of(2, activation="softmax", recurrent_activation="softmax", return_sequences=True)
    yield layer("ConvLSTM2D", FIRST[2], filters=3, kernel_size=2, data_format="channels_first", unroll=True, activation="softmax")
    yield of(2, unit_forget_bias=False, bias_initializer="ones", kernel_initializer="he_normal",
             recurrent_initializer="glorot_normal")
    yield of(2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2", activity_regularizer="l2",
             _training=True)
    yield of(2, kernel_constraint="max_norm", recurrent_constraint="unit_norm", bias_constraint="non_neg")
    yield of(2, dropout=0.4, recurrent_dropout=0.3, seed=3)
    yield of(2, return_sequences=True, _masks=[(2, 3)])
    yield of(1, return_sequences=True, zero_output_for_mask=True, _masks=[(2, 3)])
    yield of(1, unroll=True, return_state=True, _masks=[(2, 3)])
    yield of(1, _tensors={"initial_state": [(2, 5, 3)] * 2})
    yield of(2, dtype="mixed_bfloat16", _gradients=False)
    yield layer("Bidirectional", SHAPES[1], layer=L.ConvLSTM1D(2, 3, return_sequences=True))
    yield layer("Bidirectional", SHAPES[2], layer=L.ConvLSTM2D(2, 3, padding="same"), merge_mode="sum")
    yield layer("TimeDistributed", (2, 2, 3, 5, 2), layer=L.ConvLSTM1D(2, 3))
