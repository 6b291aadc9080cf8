"""Strings and vocabularies, adapted or given."""
import keras
import numpy as np
from compare import Case
from data import SAMPLES, labels
from keras import layers

WORDS = np.array("the a cat dog mat sat ate and on red blue".split())


def sentences(seed=4):
    rng = np.random.default_rng(seed)
    return np.array([[" ".join(rng.choice(WORDS, size=rng.integers(1, 9)))] for _ in range(SAMPLES)])


def rows(words, seed=5):
    return np.random.default_rng(seed).choice(words, size=(SAMPLES, 3))


def stack(layer, x, *between):
    """Adapted on half of the data, so that some words are unknown."""
    if layer.get_config()["vocabulary"] is None:
        layer.adapt(x[:SAMPLES // 2])
    dtype = "string" if x.dtype.kind == "U" else "int64"
    model = keras.Sequential([layers.Input(x.shape[1:], dtype=dtype), layer, *between,
                              layers.Dense(3, activation="softmax")])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return Case(model, [x], [labels(3)])


def vectorized(*between, **arguments):
    return lambda: stack(layers.TextVectorization(**arguments), sentences(), *(part() for part in between))


def looked_up(layer, words, *between, **arguments):
    return lambda: stack(layer(**arguments), rows(words), *(part() for part in between))


EMBEDDED = [lambda: layers.Embedding(20, 4), layers.GlobalAveragePooling1D]
GIVEN = {"vocabulary": ["cat", "dog", "the"], "idf_weights": [0.5, 1.5, 0.25]}
MODELS = {
    "text_adapted": vectorized(*EMBEDDED, max_tokens=20, output_sequence_length=6),
    "text_tf_idf": vectorized(output_mode="tf_idf", ngrams=2, max_tokens=30),
    "text_tf_idf_given": vectorized(output_mode="tf_idf", **GIVEN),
    "strings_adapted": looked_up(layers.StringLookup, WORDS, *EMBEDDED, mask_token=""),
    "strings_tf_idf": looked_up(layers.StringLookup, WORDS, output_mode="tf_idf", num_oov_indices=2),
    "strings_tf_idf_given": looked_up(layers.StringLookup, WORDS, output_mode="tf_idf", **GIVEN),
    "integers_tf_idf": looked_up(layers.IntegerLookup, np.arange(8), output_mode="tf_idf", max_tokens=6),
}
