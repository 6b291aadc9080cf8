"""Losses: every reduction, with and without weights."""
from itertools import product

from declare import integers, loss, normal, one_hot, probabilities, uniform

REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None]


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
