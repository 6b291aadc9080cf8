"""Poolings over one and three axes, adaptive ones, and global ones with masks."""
from itertools import product

from declare import layer

SHAPES = {1: (2, 7, 3), 2: (2, 6, 7, 3), 3: (1, 5, 4, 6, 2)}
FIRST = {1: (2, 3, 7), 2: (2, 3, 6, 7), 3: (1, 2, 5, 4, 6)}


def cases():
    for family in [sliding, globally, adaptive]:
        yield from family()


def sliding():
    for name, n, padding in product(["MaxPooling", "AveragePooling"], [1, 3], ["valid", "same"]):
        yield layer(f"{name}{n}D", SHAPES[n], pool_size=2, padding=padding)
        yield layer(f"{name}{n}D", SHAPES[n], pool_size=3, strides=2, padding=padding)
        yield layer(f"{name}{n}D", SHAPES[n], pool_size=2, strides=1, padding=padding)
        if name == "MaxPooling":
            yield layer(f"{name}{n}D", FIRST[n], pool_size=2, padding=padding, data_format="channels_first")
    for name, padding in product(["MaxPooling3D", "AveragePooling3D"], ["valid", "same"]):
        yield layer(name, (2, 6, 5, 4, 2), pool_size=(3, 1, 2), strides=(2, 3, 1), padding=padding)


def globally():
    for name, n in product(["GlobalMaxPooling", "GlobalAveragePooling"], [1, 3]):
        for keepdims in [False, True]:
            yield layer(f"{name}{n}D", SHAPES[n], keepdims=keepdims)
            yield layer(f"{name}{n}D", FIRST[n], keepdims=keepdims, data_format="channels_first")
    for keepdims in [False, True]:
        yield layer("GlobalAveragePooling1D", (3, 5, 4), keepdims=keepdims, _masks=[(3, 5)])
        yield layer("GlobalAveragePooling1D", (3, 4, 5), keepdims=keepdims, data_format="channels_first", _masks=[(3, 5)],
                    _compiled=False)


def adaptive():
    for name, n, size in product(["AdaptiveMaxPooling", "AdaptiveAveragePooling"], [1, 2, 3], [1, 2, 3]):
        # TensorFlow's gradient of the maximum of all is not initialised.
        yield layer(f"{name}{n}D", SHAPES[n], output_size=size, _gradients=size > 1)
    for name in ["AdaptiveMaxPooling", "AdaptiveAveragePooling"]:
        yield layer(f"{name}2D", (2, 5, 8, 2), output_size=(2, 3))
        yield layer(f"{name}2D", (2, 2, 5, 8), output_size=(4, 3), data_format="channels_first")
        yield layer(f"{name}3D", (1, 4, 5, 6, 2), output_size=(2, 3, 4))
