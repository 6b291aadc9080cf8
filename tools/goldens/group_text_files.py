"""Files of models with vocabularies that real Keras saved, adapted or given, as group_files has them."""
import keras
import numpy as np
import tensorflow as tf
from group_files import file_of
from keras import layers

from store import Group

TEXTS = np.array([["the cat sat on the mat"], ["a dog ate the cat"], ["dogs and cats"], ["The CAT, the dog!"],
                  ["a mat"], ["no word of it is known, nor this"], [""], ["cats ate a mat and a mat"]])
WORDS = np.array([["red", "blue"], ["blue", "green"], ["blue", "blue"], ["grey", "red"]] * 2)
NUMBERS = np.array([[1, 2], [2, 3], [2, 2], [40, 1]] * 2)


def make():
    group = Group()
    for number, (name, build) in enumerate(MODELS.items()):
        add_case(group, name, *build(), np.random.default_rng(190 + number))
    return group


def add_case(group, name, model, x, rng):
    model.compile(keras.optimizers.SGD(0.05, momentum=0.5), "mse")
    data = tf.constant(x)
    y = rng.standard_normal((len(x), 2)).astype("float32")
    model.fit(data, y, batch_size=4, epochs=1, shuffle=False, verbose=0)
    case = group.case(name, {})
    case.set(id=name, extension=".keras", file=case.put("file", file_of(model, ".keras")),
             x=case.put_all("x", [x]), y=case.put_all("y", [y]),
             weights=case.put_all("weights", model.get_weights()),
             predictions=case.put_all("predictions", [model.predict(data, verbose=0)]))
    history = model.fit(data, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history
    case.set(history=history, final_weights=case.put_all("final", model.get_weights()))


def stack(layer, data, *after):
    """The layer, adapted where it was given no vocabulary, between strings or integers and a Dense."""
    if layer.get_config()["vocabulary"] is None:
        layer.adapt(data)
    dtype = "string" if data.dtype.kind == "U" else "int64"
    keras.utils.set_random_seed(7)
    return keras.Sequential([layers.Input(data.shape[1:], dtype=dtype), layer, *after, layers.Dense(2)]), data


def texts(*after, **arguments):
    return lambda: stack(layers.TextVectorization(**arguments), TEXTS, *(make_layer() for make_layer in after))


def words(*after, **arguments):
    return lambda: stack(layers.StringLookup(**arguments), WORDS, *(make_layer() for make_layer in after))


def numbers(**arguments):
    return lambda: stack(layers.IntegerLookup(**arguments), NUMBERS)


EMBEDDED = [lambda: layers.Embedding(30, 3), layers.Flatten]
GIVEN = {"vocabulary": ["cat", "the", "dog"], "idf_weights": [0.5, 0.25, 1.5]}
MODELS = {
    "texts_int": texts(*EMBEDDED, output_sequence_length=5),
    "texts_few": texts(*EMBEDDED, output_sequence_length=4, max_tokens=6, ngrams=2),
    "texts_given": texts(*EMBEDDED, output_sequence_length=5, vocabulary=["cat", "the", "dog"]),
    "texts_count": texts(output_mode="count", max_tokens=20, pad_to_max_tokens=True),
    "texts_tf_idf": texts(output_mode="tf_idf"),
    "texts_tf_idf_few": texts(output_mode="tf_idf", max_tokens=5, ngrams=(1, 2)),
    "texts_tf_idf_given": texts(output_mode="tf_idf", **GIVEN),
    "words_int": words(*EMBEDDED, mask_token=""),
    "words_tf_idf": words(output_mode="tf_idf"),
    "words_tf_idf_oov": words(output_mode="tf_idf", num_oov_indices=3, max_tokens=5),
    "words_tf_idf_given": words(output_mode="tf_idf", vocabulary=["red", "blue"], idf_weights=[0.5, 1.25]),
    "numbers_tf_idf": numbers(output_mode="tf_idf"),
    "numbers_tf_idf_given": numbers(output_mode="tf_idf", vocabulary=[2, 40], idf_weights=[0.5, 1.25], max_tokens=6,
                                    pad_to_max_tokens=True),
    "numbers_multi_hot": numbers(output_mode="multi_hot", mask_token=1),
}
