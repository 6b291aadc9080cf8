"""Activations that are layers, with their arguments."""
from itertools import product

import numpy as np

from declare import layer


def cases():
    for max_value, negative_slope, threshold in product([None, 6.0, 1.5], [0.0, 0.2], [0.0, 0.7]):
        yield layer("ReLU", (3, 7), max_value=max_value, negative_slope=negative_slope, threshold=threshold)
    for slope in [0.3, 0.0, 0.05]:
        yield layer("LeakyReLU", (3, 7), negative_slope=slope)
    for alpha in [1.0, 0.3]:
        yield layer("ELU", (3, 7), alpha=alpha)
    for axis in [-1, 1, 2, [1, 2], (1, 2, 3), [-1]]:
        yield layer("Softmax", (2, 3, 4, 5), axis=axis)
    mask = np.random.default_rng(3).uniform(size=(3, 7)) < 0.6
    mask[1] = False
    yield layer("Softmax", (3, 7), _tensors={"mask": mask}, _gradients=True)
    yield layer("Softmax", (2, 3, 4), _tensors={"mask": mask[0, :4][None, None]}, axis=-1)
    for shared in [None, [1], [1, 2], 2]:
        yield layer("PReLU", (2, 3, 4, 5), shared_axes=shared)
    yield layer("PReLU", (3, 7), alpha_regularizer="l2", alpha_constraint="non_neg", alpha_initializer="ones")
    yield layer("Activation", (3, 7), activation="relu", _masks=[None])
    yield layer("Activation", (2, 3, 7), activation="softmax", _masks=[(2, 3)])
