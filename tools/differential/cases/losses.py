"""Losses: every reduction, with and without weights."""
from itertools import product

import numpy as np

from declare import Drawn, integers, loss, normal, one_hot, probabilities, uniform

REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None]


def unit_rows(shape):
    def make(rng, s):
        rows = rng.standard_normal(s)
        return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return Drawn(shape, make)


def padded_labels(shape, classes):
    """Labels from 1 on, padded with zeros."""
    def make(rng, s):
        labels = rng.integers(1, classes, s)
        lengths = rng.integers(1, s[1] + 1, (s[0], 1))
        return np.where(np.arange(s[1]) < lengths, labels, 0).astype(np.int32)
    return Drawn(shape, make)


def every_way(name, y_true, y_pred, **arguments):
    batch = y_pred.shape[:-1]
    yield loss(name, y_true, y_pred, **arguments)
    for reduction in REDUCTIONS:
        yield loss(name, y_true, y_pred, uniform(batch, 0.1, 2), reduction=reduction, **arguments)


def cases():
    for name, shape in product(["MeanSquaredError", "MeanAbsoluteError", "Huber"], [(5, 3), (2, 4, 3)]):
        yield from every_way(name, normal(shape), normal(shape))
    yield from every_way("Huber", normal((5, 3)), normal((5, 3)), delta=0.4)
    for smoothing in [0.0, 0.1]:
        yield from every_way("CategoricalCrossentropy", one_hot((5, 4)), probabilities((5, 4)), label_smoothing=smoothing)
        yield from every_way("CategoricalCrossentropy", one_hot((5, 4)), normal((5, 4)), from_logits=True,
                             label_smoothing=smoothing)
        yield from every_way("BinaryCrossentropy", integers((5, 3), 0, 2, "float32"), uniform((5, 3), 0.05, 0.95),
                             label_smoothing=smoothing)
        yield from every_way("BinaryCrossentropy", integers((5, 3), 0, 2, "float32"), normal((5, 3)), from_logits=True,
                             label_smoothing=smoothing)
    for from_logits, ignore_class in product([False, True], [None, 1]):
        y_pred = normal((6, 4)) if from_logits else probabilities((6, 4))
        yield from every_way("SparseCategoricalCrossentropy", integers((6,), 0, 4), y_pred, from_logits=from_logits,
                             ignore_class=ignore_class)
    yield from every_way("SparseCategoricalCrossentropy", integers((2, 3), 0, 4), normal((2, 3, 4)), from_logits=True)
    for name in ["MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "LogCosh", "CosineSimilarity", "Poisson"]:
        for shape in [(5, 3), (2, 4, 3)]:
            yield from every_way(name, uniform(shape, 0.1, 3), uniform(shape, 0.1, 3))
    yield loss("CosineSimilarity", normal((3, 4, 2)), normal((3, 4, 2)), axis=1)
    yield loss("LogCosh", normal((4, 2), 30), normal((4, 2), 30))
    for name in ["Hinge", "SquaredHinge"]:
        yield from every_way(name, integers((5, 3), 0, 2, "float32"), normal((5, 3)))
        yield loss(name, normal((5, 3)), normal((5, 3)))  # targets that stay as they are
    yield from every_way("CategoricalHinge", one_hot((5, 4)), normal((5, 4)))
    yield from every_way("KLDivergence", probabilities((5, 4)), probabilities((5, 4)))
    for focal in [{}, {"gamma": 3.0}, {"alpha": 0.6, "gamma": 1.5, "label_smoothing": 0.1}]:
        yield from every_way("BinaryFocalCrossentropy", integers((5, 3), 0, 2, "float32"), uniform((5, 3), 0.05, 0.95),
                             apply_class_balancing=True, **focal)
        yield loss("BinaryFocalCrossentropy", integers((5, 3), 0, 2, "float32"), normal((5, 3)), from_logits=True, **focal)
        yield from every_way("CategoricalFocalCrossentropy", one_hot((5, 4)), probabilities((5, 4)), **focal)
        yield loss("CategoricalFocalCrossentropy", one_hot((5, 4)), normal((5, 4)), from_logits=True, **focal)
    yield loss("BinaryFocalCrossentropy", integers((4, 3, 2), 0, 2, "float32"), uniform((4, 3, 2), 0.1, 0.9), axis=1)
    yield loss("CategoricalFocalCrossentropy", uniform((4, 3, 2)), uniform((4, 3, 2), 0.1, 0.9), axis=1)
    yield loss("BinaryCrossentropy", integers((4, 3, 2), 0, 2, "float32"), uniform((4, 3, 2), 0.1, 0.9), axis=1)
    yield loss("CategoricalCrossentropy", uniform((4, 3, 2)), uniform((4, 3, 2), 0.1, 0.9), axis=1)
    for name, own in [("Dice", {}), ("Tversky", {}), ("Tversky", {"alpha": 0.3, "beta": 0.9})]:
        yield loss(name, integers((4, 3, 2), 0, 2, "float32"), uniform((4, 3, 2)), **own)
        yield loss(name, integers((4, 3, 2), 0, 2, "float32"), uniform((4, 3, 2)), axis=1, **own)
        for reduction in REDUCTIONS:
            yield loss(name, integers((4, 3, 2), 0, 2, "float32"), uniform((4, 3, 2)), uniform((4,)), axis=(1, 2),
                       reduction=reduction, **own)
    for own in [{}, {"gamma": 8.0, "margin": 0.2}, {"remove_diagonal": False}]:
        yield from every_way("Circle", integers((7,), 0, 3), unit_rows((7, 4)), **own)
    for q in [0.5, 0.8]:
        yield from every_way("CategoricalGeneralizedCrossEntropy", integers((6,), 0, 4), probabilities((6, 4)), q=q)
    yield from every_way("Huber", normal((5, 3)), normal((5, 3)), dtype="float64")
    yield loss("MeanSquaredError", normal((5, 1)), normal((5,)))  # ranks that differ
    yield loss("MeanSquaredError", normal((5,)), normal((5, 1)))
    yield loss("MeanAbsoluteError", normal((5, 3, 1)), normal((5, 3)), uniform((5, 1)))
    for reduction in REDUCTIONS:
        yield loss("CTC", padded_labels((4, 3), 5), normal((4, 8, 5)), uniform((4,), 0.1, 2), reduction=reduction)
