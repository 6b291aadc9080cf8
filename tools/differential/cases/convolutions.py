"""Convolutions over one and three axes, transposed, depthwise and separable ones."""
from itertools import product

from declare import layer

SHAPES = {1: (2, 7, 3), 2: (2, 6, 7, 3), 3: (1, 5, 4, 6, 2)}
# With as many columns as channels, Keras on TensorFlow takes a bias for one of the columns.
FIRST = {1: (2, 3, 9), 2: (2, 3, 6, 9), 3: (1, 2, 5, 4, 6)}


def cases():
    for family in [plain, causal, transposed, depthwise, separable, arguments]:
        yield from family()


def plain():
    for n, padding, strides in product([1, 3], ["valid", "same"], [1, 2]):
        yield layer(f"Conv{n}D", SHAPES[n], filters=4, kernel_size=3, strides=strides, padding=padding)
        yield layer(f"Conv{n}D", FIRST[n], filters=2, kernel_size=2, strides=strides, padding=padding,
                    data_format="channels_first")
    for n, padding in product([1, 3], ["valid", "same"]):
        yield layer(f"Conv{n}D", SHAPES[n], filters=2, kernel_size=2, dilation_rate=2, padding=padding)
        yield layer(f"Conv{n}D", SHAPES[n][:-1] + (4,), filters=6, kernel_size=3, groups=2, padding=padding)
    yield layer("Conv3D", (2, 4, 5, 3, 2), filters=3, kernel_size=(1, 2, 3), strides=(3, 1, 2), padding="same")
    yield layer("Conv3D", (1, 6, 5, 3, 2), filters=3, kernel_size=(2, 3, 1), dilation_rate=(3, 1, 2))
    yield layer("Conv2D", (2, 3, 6, 7), filters=4, kernel_size=3, activation="softmax", data_format="channels_first")
    yield layer("Conv2D", (2, 4, 6, 7), filters=4, kernel_size=3, groups=2, padding="same", data_format="channels_first")


def causal():
    for strides, dilation_rate in [(1, 1), (2, 1), (1, 3)]:
        yield layer("Conv1D", (2, 8, 3), filters=4, kernel_size=3, strides=strides, dilation_rate=dilation_rate,
                    padding="causal")
    yield layer("Conv1D", (2, 3, 8), filters=4, kernel_size=2, padding="causal", data_format="channels_first")
    yield layer("Conv1D", (2, 8, 4), filters=4, kernel_size=3, padding="causal", groups=4, activation="relu")


def transposed():
    for n, padding, kernel_size, strides in product([1, 2, 3], ["valid", "same"], [1, 2, 3], [1, 2, 3]):
        yield layer(f"Conv{n}DTranspose", (1,) + (3, 2, 3)[:n] + (2,), filters=3, kernel_size=kernel_size,
                    strides=strides, padding=padding, _compiled=n == 3)
    for n, padding, kernel_size in product([1, 2, 3], ["valid", "same"], [2, 3]):
        yield layer(f"Conv{n}DTranspose", (1,) + (3, 2, 3)[:n] + (2,), filters=2, kernel_size=kernel_size, strides=3,
                    output_padding=1, padding=padding)
    for n, padding in product([1, 2], ["valid", "same"]):
        yield layer(f"Conv{n}DTranspose", (2,) + (4, 3)[:n] + (2,), filters=3, kernel_size=3, dilation_rate=2,
                    padding=padding, _compiled=True)
        yield layer(f"Conv{n}DTranspose", (2, 2) + (4, 3)[:n], filters=3, kernel_size=3, strides=2, padding=padding,
                    data_format="channels_first", activation="relu")
    yield layer("Conv2DTranspose", (2, 4, 3, 2), filters=3, kernel_size=(2, 4), strides=(3, 1), padding="same")
    yield layer("Conv2DTranspose", (2, 4, 3, 2), filters=3, kernel_size=5, strides=2, padding="same", use_bias=False)


def depthwise():
    for n, padding, strides in product([1, 2], ["valid", "same"], [1, 2]):
        yield layer(f"DepthwiseConv{n}D", SHAPES[n], kernel_size=3, strides=strides, padding=padding)
        yield layer(f"DepthwiseConv{n}D", SHAPES[n], kernel_size=2, strides=strides, padding=padding,
                    depth_multiplier=2, activation="tanh")
        yield layer(f"DepthwiseConv{n}D", FIRST[n], kernel_size=3, strides=strides, padding=padding,
                    data_format="channels_first", _compiled=False)
    for n, padding in product([1, 2], ["valid", "same"]):
        yield layer(f"DepthwiseConv{n}D", SHAPES[n], kernel_size=2, dilation_rate=2, padding=padding)
    yield layer("DepthwiseConv2D", (2, 7, 7, 9), kernel_size=5, strides=2, padding="same", use_bias=False)
    yield layer("DepthwiseConv2D", (1, 5, 6, 20), kernel_size=3, padding="same", activation="relu6")
    yield layer("DepthwiseConv2D", (2, 5, 5, 3), kernel_size=3, depthwise_regularizer="l2", bias_regularizer="l1",
                activity_regularizer="l2")
    yield layer("DepthwiseConv2D", (2, 5, 5, 3), kernel_size=3, depthwise_constraint="max_norm", bias_constraint="non_neg")


def separable():
    for n, padding, strides in product([1, 2], ["valid", "same"], [1, 2]):
        yield layer(f"SeparableConv{n}D", SHAPES[n], filters=4, kernel_size=3, strides=strides, padding=padding)
    for n in [1, 2]:
        yield layer(f"SeparableConv{n}D", SHAPES[n], filters=4, kernel_size=2, depth_multiplier=3, activation="relu")
        yield layer(f"SeparableConv{n}D", SHAPES[n], filters=4, kernel_size=2, dilation_rate=2, use_bias=False)
        yield layer(f"SeparableConv{n}D", FIRST[n], filters=4, kernel_size=2, padding="same",
                    data_format="channels_first")
    yield layer("SeparableConv2D", (2, 5, 5, 3), filters=2, kernel_size=3, depthwise_regularizer="l2",
                pointwise_regularizer="l1", bias_regularizer="l2", activity_regularizer="l1")
    yield layer("SeparableConv2D", (2, 5, 5, 3), filters=2, kernel_size=3, depthwise_constraint="max_norm",
                pointwise_constraint="unit_norm", bias_constraint="non_neg")


def arguments():
    for name in ["Conv1D", "Conv3D", "Conv2DTranspose"]:
        shape = {"Conv1D": (2, 6, 3), "Conv3D": (1, 4, 4, 4, 2), "Conv2DTranspose": (1, 3, 4, 2)}[name]
        yield layer(name, shape, filters=2, kernel_size=2, kernel_regularizer="l2", bias_regularizer="l1",
                    activity_regularizer="l2")
        yield layer(name, shape, filters=2, kernel_size=2, kernel_constraint="max_norm", bias_constraint="non_neg")
        yield layer(name, shape, filters=2, kernel_size=2, kernel_initializer="he_normal", bias_initializer="ones")
    yield layer("Conv2D", (2, 5, 5, 3), filters=2, kernel_size=3, activity_regularizer="l1")
