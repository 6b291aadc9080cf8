"""Dense: the shortest complete family."""
from itertools import product

from declare import layer


def cases():
    for shape, use_bias in product([(4, 5), (2, 3, 5), (2, 2, 3, 4)], [True, False]):
        yield layer("Dense", shape, units=3, use_bias=use_bias)
    for activation in ["relu", "softmax", "sigmoid", "gelu", "tanh", "elu"]:
        yield layer("Dense", (4, 5), units=4, activation=activation)
    for regularizer in ["l1", "l2", "l1l2"]:
        yield layer("Dense", (4, 5), units=3, kernel_regularizer=regularizer)
        yield layer("Dense", (4, 5), units=3, bias_regularizer=regularizer, activation="relu")
    for constraint in ["max_norm", "non_neg", "unit_norm", "min_max_norm"]:
        yield layer("Dense", (4, 5), units=3, kernel_constraint=constraint)
    yield layer("Dense", (4, 5), units=3, bias_constraint="non_neg", activation="relu")
    for regularizer in ["l1", "l2"]:
        yield layer("Dense", (4, 5), units=3, activity_regularizer=regularizer, activation="tanh", _training=True)
    yield layer("Dense", (4, 5), units=3, trainable=False)
    for initializer in ["zeros", "he_normal", "orthogonal"]:
        yield layer("Dense", (1, 7), units=1, kernel_initializer=initializer, bias_initializer="ones")
    for dtype in ["mixed_bfloat16", "mixed_float16", "float64"]:
        yield layer("Dense", (4, 5), units=3, dtype=dtype)
