"""Conv2D."""
from itertools import product

from declare import layer


def cases():
    for padding, strides, kernel_size in product(["valid", "same"], [1, 2], [1, 3, (2, 3)]):
        yield layer("Conv2D", (2, 6, 7, 3), filters=4, kernel_size=kernel_size, strides=strides, padding=padding)
    for padding, dilation_rate in product(["valid", "same"], [2, (1, 3)]):
        yield layer("Conv2D", (1, 7, 8, 2), filters=3, kernel_size=3, dilation_rate=dilation_rate, padding=padding)
    for groups, padding in product([2, 4], ["valid", "same"]):
        yield layer("Conv2D", (2, 5, 5, 4), filters=4, kernel_size=3, groups=groups, padding=padding)
    for activation in ["relu", "sigmoid", "softmax"]:
        yield layer("Conv2D", (2, 5, 5, 3), filters=4, kernel_size=3, activation=activation, use_bias=False)
    yield layer("Conv2D", (2, 5, 5, 3), filters=2, kernel_size=3, kernel_regularizer="l2", bias_regularizer="l1")
    yield layer("Conv2D", (2, 5, 5, 3), filters=2, kernel_size=3, kernel_constraint="max_norm")
    yield layer("Conv2D", (2, 3, 5, 5), filters=2, kernel_size=3, data_format="channels_first")
