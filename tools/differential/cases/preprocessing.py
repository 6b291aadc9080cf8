"""Layers that compute features from raw columns."""
from itertools import product

import numpy as np

from declare import integers, layer, normal, short, uniform


def cases():
    yield from normalizations()
    yield from adapted()
    for mode, shape in product(["int", "one_hot", "multi_hot", "count"], [(4, 3), (5, 1)]):
        yield layer("Discretization", shape, bin_boundaries=[-1.0, 0.0, 0.5, 2.0], output_mode=mode)
    yield layer("Discretization", (2, 3, 4), bin_boundaries=[0.25])
    for mode, shape in product(["one_hot", "multi_hot", "count"], [(4, 3), (5, 1)]):
        yield layer("CategoryEncoding", integers(shape, 0, 6), num_tokens=6, output_mode=mode)
    yield layer("CategoryEncoding", integers((4, 3), 0, 6, "int64"), num_tokens=6, output_mode="count",
                _tensors={"count_weights": uniform((4, 3))})
    yield layer("CategoryEncoding", integers((2, 3, 2), 0, 5), num_tokens=5, output_mode="one_hot", dtype="float16")
    yield from lookups()
    for scale, offset in [(0.5, 0.0), (2.0, -1.0), ([0.5, 1.0, 2.0], [0.0, 1.0, -1.0])]:
        yield layer("Rescaling", (2, 4, 4, 3), scale=scale, offset=offset)
    yield layer("Rescaling", integers((2, 4, 4, 3), 0, 256, "uint8"), scale=1 / 127.5, offset=-1.0)


def lookups():
    numbers = integers((4, 3), 0, 9, "int64")
    for mode in ["int", "one_hot", "multi_hot", "count"]:
        for more in [{}, {"mask_token": 0}, {"num_oov_indices": 2}, {"max_tokens": 8, "pad_to_max_tokens": True}]:
            yield layer("IntegerLookup", numbers, vocabulary=[3, 7, 1, 5], output_mode=mode, **more, **as_said(mode))
    yield layer("IntegerLookup", integers((4, 3), 0, 7, "int64"), vocabulary=[30, 70, 10, 50], invert=True)
    yield layer("IntegerLookup", numbers, vocabulary=[3, 7, 1, 5], output_mode="tf_idf", idf_weights=[0.5, 0.25, 1.0, 2.0],
                **as_said("tf_idf"))
    words = np.array([["cat", "dog"], ["a rather long token of more than sixteen bytes", "unseen"], ["", "dog"]])
    known = ["dog", "cat", "a rather long token of more than sixteen bytes"]
    for mode in ["int", "one_hot", "multi_hot", "count"]:
        for more in [{}, {"mask_token": ""}, {"oov_token": "?", "max_tokens": 6}, {"num_oov_indices": 3}]:
            yield layer("StringLookup", words, vocabulary=known, output_mode=mode, **more, **as_said(mode))


def adapted():
    rng = np.random.default_rng(5)
    rows = short(rng.standard_normal((50, 3)) * [1, 2, 0.5] + [0, 3, -1]).astype(np.float32)
    for axis in [-1, None]:
        yield layer("Normalization", (4, 3), axis=axis, _adapt=rows)
    yield layer("Normalization", (4, 2, 3), axis=(1, 2), _adapt=rows[:48].reshape(24, 2, 3))
    for bins in [2, 4, 7]:
        yield layer("Discretization", (4, 3), num_bins=bins, _adapt=rows)
    yield layer("Discretization", (4, 3), num_bins=3, epsilon=0.1, _adapt=rows, output_mode="one_hot")
    numbers = rng.integers(0, 8, 60).astype(np.int64)
    for more in [{}, {"max_tokens": 5}, {"mask_token": 3}]:
        yield layer("IntegerLookup", integers((4, 3), 0, 9, "int64"), _adapt=numbers, **more)
    words = np.array(["a", "b", "b", "c", "c", "c", "dd", "dd", "[UNK]"])
    yield layer("StringLookup", np.array([["a", "dd"], ["c", "?"]]), _adapt=words)


def as_said(mode):
    return {} if mode == "int" else {"_output_dtype": "float32"}


def normalizations():
    for shape, axis in [((4, 3), -1), ((2, 3, 4), -1), ((2, 3, 4), 1), ((2, 3, 4), (1, 2)), ((4, 3), None)]:
        for invert in [False, True]:
            yield layer("Normalization", shape, axis=axis, invert=invert)
    yield layer("Normalization", (4, 3), mean=2.0, variance=4.0)
    yield layer("Normalization", (4, 3), mean=[1.0, 2.0, 3.0], variance=[1.0, 0.25, 4.0], invert=True)
    yield layer("Normalization", (2, 3, 4), axis=(1, 2), mean=[1.0, 2.0, 3.0, 0.5], variance=[1.0, 0.25, 4.0, 2.0])
    yield layer("Normalization", integers((4, 3), 0, 9), axis=-1)
    yield layer("Normalization", normal((4, 2)), mean=[0.0, 1.0], variance=[0.0, 1.0])
