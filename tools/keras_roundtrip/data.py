"""Inputs and targets, the same in every run."""
import numpy as np

SAMPLES = 48


def normal(*shape, samples=SAMPLES, seed=0):
    return np.random.default_rng(seed).normal(size=(samples, *shape)).astype("float32")


def labels(classes, *shape, samples=SAMPLES, seed=1):
    return np.random.default_rng(seed).integers(0, classes, size=(samples, *shape))


def one_hot(classes, samples=SAMPLES, seed=1):
    return np.eye(classes, dtype="float32")[labels(classes, samples=samples, seed=seed)]


def tokens(length, vocabulary, samples=SAMPLES, seed=2):
    """Each sequence is padded with zeros."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, vocabulary, size=(samples, length))
    for row, used in zip(values, rng.integers(2, length + 1, size=samples)):
        row[used:] = 0
    return values
