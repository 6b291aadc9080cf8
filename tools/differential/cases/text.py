"""Layers that process texts."""
import numpy as np

from declare import integers, layer

TEXTS = np.array(["The cat sat, the cat!", "A dog; a DOG?", "", "unknown  words\tand\nspaces", "the, the"])
KNOWN = ["the", "cat", "dog", "a", "sat"]


def cases():
    yield from vectorizations()
    numbers = integers((4, 3), -5, 1000, "int64")
    words = np.array([["cat", "dog"], ["a much longer text than the others are", ""]])
    for inputs in [numbers, words]:
        for more in [{}, {"salt": 133}, {"salt": [133, 137]}, {"output_mode": "one_hot"}, {"output_mode": "multi_hot"},
                     {"output_mode": "count"}]:
            yield layer("Hashing", inputs, num_bins=5, **more)
    yield layer("Hashing", integers((4, 3), 0, 4, "int64"), num_bins=4, mask_value=2)
    yield layer("Hashing", words, num_bins=4, mask_value="")
    yield layer("Hashing", integers((4, 3), 0, 90), num_bins=7)
    yield from crossings()


def crossings():
    numbers, words = integers((6,), -5, 1000, "int64"), np.array(["cat", "dog", "", "a much longer text", "cat", "x"])
    column = integers((4, 1), 0, 90)
    for more in [{}, {"output_mode": "one_hot"}, {"dtype": "int32"}]:
        yield layer("HashedCrossing", numbers, words, num_bins=5, **more)
        yield layer("HashedCrossing", column, column, num_bins=7, **more)
    yield layer("HashedCrossing", numbers, words, numbers, num_bins=1000)
    yield layer("HashedCrossing", words, words, num_bins=3)
    yield layer("HashedCrossing", integers((5,), 0, 200, "uint8"), integers((5,), -9, 9), num_bins=100)


def vectorizations():
    def vectorization(texts=TEXTS, **arguments):
        as_said = {} if arguments.get("output_mode", "int") == "int" else {"_output_dtype": "float32"}
        return layer("TextVectorization", texts, vocabulary=KNOWN, **arguments, **as_said)

    for length in [3, 8]:
        yield vectorization(output_sequence_length=length)
    yield vectorization(TEXTS.reshape(5, 1), output_sequence_length=4)
    for standardize in ["lower", "strip_punctuation", None]:
        yield vectorization(output_sequence_length=6, standardize=standardize)
    for ngrams in [2, (1, 3)]:
        yield vectorization(output_sequence_length=8, ngrams=ngrams)
    for mode in ["multi_hot", "count"]:
        yield vectorization(output_mode=mode)
        yield vectorization(output_mode=mode, max_tokens=9, pad_to_max_tokens=True)
    yield vectorization(output_mode="tf_idf", idf_weights=[0.5, 1.0, 1.5, 2.0, 0.25])
    yield layer("TextVectorization", np.array(["h\u00e9llo", "ab"]), vocabulary=["h", "\u00e9", "l", "a"], split="character",
                output_sequence_length=6)
    yield layer("TextVectorization", TEXTS, output_sequence_length=5, _adapt=TEXTS)
    yield layer("TextVectorization", TEXTS, output_sequence_length=5, max_tokens=4, _adapt=TEXTS)
