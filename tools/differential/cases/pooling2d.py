"""MaxPooling2D, AveragePooling2D and the global ones."""
from itertools import product

from declare import layer


def cases():
    for name, padding in product(["MaxPooling2D", "AveragePooling2D"], ["valid", "same"]):
        yield layer(name, (2, 6, 7, 3), pool_size=2, padding=padding)
        yield layer(name, (1, 7, 8, 2), pool_size=3, strides=2, padding=padding)
        yield layer(name, (1, 7, 6, 3), pool_size=(3, 2), strides=(2, 3), padding=padding)
        yield layer(name, (1, 2, 6, 5), pool_size=2, strides=1, padding=padding, data_format="channels_first")
    for name, keepdims in product(["GlobalAveragePooling2D", "GlobalMaxPooling2D"], [False, True]):
        yield layer(name, (3, 4, 5, 2), keepdims=keepdims)
        yield layer(name, (3, 2, 4, 5), keepdims=keepdims, data_format="channels_first")
