"""Recurrent networks and attention."""
import keras
from compare import Case
from data import labels, normal, tokens
from keras import layers

VOCABULARY, LENGTH = 30, 9


def classifier(*parts, optimizer="adam"):
    def make():
        model = keras.Sequential([layers.Input((LENGTH, 4)), *(part() for part in parts),
                                  layers.Dense(3, activation="softmax")])
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return Case(model, [normal(LENGTH, 4)], [labels(3)])
    return make


def reader(*parts):
    def make():
        model = keras.Sequential([layers.Input((LENGTH,)),
                                  layers.Embedding(VOCABULARY, 6, mask_zero=True),
                                  *(part() for part in parts), layers.Dense(1)])
        model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
        return Case(model, [tokens(LENGTH, VOCABULARY)], [labels(2, 1).astype("float32")])
    return make


def encoder(length, width, heads, depth, vocabulary, hidden, rate=1e-3, samples=48, **options):
    """Token and position embeddings, then blocks of attention and a small network.

    A key's bias has a gradient of nothing but rounding, since softmax takes no notice of it; hence Adam's epsilon."""
    def make():
        ids = layers.Input((length,), dtype="int32")
        h = layers.Embedding(vocabulary, width)(ids)
        position = layers.Input((length,), dtype="int32")
        h = layers.LayerNormalization()(h + layers.Embedding(length, width)(position))
        for _ in range(depth):
            a = layers.MultiHeadAttention(heads, width // heads)(h, h)
            h = layers.LayerNormalization()(layers.Add()([h, a]))
            f = layers.Dense(width)(layers.Dense(hidden, activation="gelu")(h))
            h = layers.LayerNormalization()(layers.Add()([h, f]))
        model = keras.Model([ids, position],
                            layers.Dense(2, activation="softmax")(h[:, 0]))
        model.compile(keras.optimizers.Adam(rate, epsilon=1e-4), "sparse_categorical_crossentropy")
        x = tokens(length, vocabulary, samples).astype("int32")
        positions = x * 0 + range(length)
        return Case(model, [x, positions.astype("int32")], [labels(2, samples=samples)], **options)
    return make


def decoder():
    query, memory = layers.Input((5, 8)), layers.Input((7, 8))
    h = layers.MultiHeadAttention(2, 4, use_bias=False)(query, query, use_causal_mask=True)
    h = layers.Attention(use_scale=True)([h, memory])
    h = layers.AdditiveAttention()([h, memory])
    model = keras.Model([query, memory], layers.Dense(1)(layers.Flatten()(h)))
    model.compile("adam", "mse")
    return Case(model, [normal(5, 8), normal(7, 8, seed=3)], [normal(1, seed=4)])


def with_states():
    x = layers.Input((LENGTH, 4))
    _, h, c = layers.LSTM(5, return_state=True)(x)
    y = layers.LSTM(5, return_sequences=True)(x, initial_state=[h, c])
    model = keras.Model(x, layers.Dense(2)(y))
    model.compile("adam", "mse")
    return Case(model, [normal(LENGTH, 4)], [normal(LENGTH, 2, seed=4)])


def recurrent(kind, units=5, **arguments):
    return lambda: kind(units, **arguments)


MODELS = {
    "lstm": classifier(recurrent(layers.LSTM)),
    "lstm_stack": classifier(recurrent(layers.LSTM, return_sequences=True),
                             recurrent(layers.LSTM, go_backwards=True)),
    "lstm_states": with_states,
    "gru": classifier(recurrent(layers.GRU)),
    "gru_before": classifier(recurrent(layers.GRU, reset_after=False)),
    "simple_rnn": classifier(recurrent(layers.SimpleRNN, return_sequences=True),
                             lambda: layers.TimeDistributed(layers.Dense(4)),
                             lambda: layers.GlobalAveragePooling1D()),
    "bidirectional": classifier(lambda: layers.Bidirectional(layers.LSTM(4))),
    "rnn_of_cells": classifier(lambda: layers.RNN([layers.GRUCell(4), layers.LSTMCell(3)])),
    "masked_lstm": reader(recurrent(layers.LSTM)),
    "masked_average": reader(lambda: layers.GlobalAveragePooling1D()),
    "masked_bidirectional": reader(lambda: layers.Bidirectional(layers.GRU(4))),
    "attention_encoder": encoder(length=LENGTH, width=8, heads=2, depth=2, vocabulary=VOCABULARY,
                                 hidden=16),
    "attention_decoder": decoder,
}
