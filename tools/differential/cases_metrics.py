"""Metrics over several updates."""
from declare import integers, metric, normal, one_hot, probabilities, uniform


def twice(name, y_true, y_pred, **arguments):
    """Without and with sample weights."""
    weight = uniform(y_pred.shape[:1], 0.1, 2)
    yield metric(name, (y_true, y_pred), (y_true, y_pred), **arguments)
    yield metric(name, (y_true, y_pred, weight), (y_true, y_pred), (y_true, y_pred, weight), **arguments)


def cases():
    for name in ["MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError"]:
        yield from twice(name, normal((6, 3)), normal((6, 3)))
    yield from twice("CategoricalAccuracy", one_hot((8, 4)), probabilities((8, 4)))
    yield from twice("SparseCategoricalAccuracy", integers((8,), 0, 4), probabilities((8, 4)))
    yield from twice("BinaryAccuracy", integers((8, 3), 0, 2, "float32"), uniform((8, 3)))
    yield from twice("BinaryAccuracy", integers((8, 3), 0, 2, "float32"), uniform((8, 3)), threshold=0.7)
    yield from twice("TopKCategoricalAccuracy", one_hot((8, 6)), probabilities((8, 6)), k=2)
    yield from twice("SparseTopKCategoricalAccuracy", integers((8,), 0, 6), probabilities((8, 6)), k=3)
    yield from twice("CategoricalCrossentropy", one_hot((8, 4)), probabilities((8, 4)))
    yield from twice("BinaryCrossentropy", integers((8, 3), 0, 2, "float32"), uniform((8, 3), 0.1, 0.9))
    yield from twice("SparseCategoricalCrossentropy", integers((8,), 0, 4), normal((8, 4)), from_logits=True)
    for name in ["Mean", "Sum"]:
        yield metric(name, (normal((4, 3)),), (normal((5,)),))
        yield metric(name, (normal((4,)), uniform((4,))), (normal((5,)),))
