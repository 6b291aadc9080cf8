"""Normalisations within each sample."""
from itertools import product

from declare import layer

BASE = dict(beta_initializer="ones", gamma_initializer="he_normal")


def cases():
    for family in [by_layer, by_group, rms, unit]:
        yield from family()


def by_layer():
    for shape in [(4, 6), (2, 3, 5), (2, 3, 4, 5)]:
        yield layer("LayerNormalization", shape)
    for axis in [1, 2, -2, (1, 2), (1, 2, 3), (-1, -2), [3]]:
        yield layer("LayerNormalization", (2, 3, 4, 5), axis=axis)
    for center, scale in [(False, True), (True, False), (False, False)]:
        yield layer("LayerNormalization", (4, 6), center=center, scale=scale)
    yield layer("LayerNormalization", (4, 6), epsilon=0.1)
    yield layer("LayerNormalization", (4, 6), gamma_regularizer="l2", beta_regularizer="l1")
    yield layer("LayerNormalization", (4, 6), gamma_constraint="non_neg", beta_constraint="max_norm")
    yield layer("LayerNormalization", (2, 3, 5), _masks=[(2, 3)])
    yield layer("LayerNormalization", (4, 6), beta_initializer="ones", gamma_initializer="zeros")
    yield layer("LayerNormalization", (4, 6), dtype="mixed_bfloat16")
    yield layer("LayerNormalization", (2, 7, 33))


def by_group():
    for groups, shape in product([1, 2, 4, -1], [(3, 4), (2, 3, 8), (2, 3, 2, 8)]):
        yield layer("GroupNormalization", shape, groups=groups)
    for axis in [1, 2, -2]:
        yield layer("GroupNormalization", (2, 4, 6, 3), groups=2, axis=axis)
    for center, scale in [(False, True), (True, False), (False, False)]:
        yield layer("GroupNormalization", (2, 3, 4), groups=2, center=center, scale=scale)
    yield layer("GroupNormalization", (2, 3, 4), groups=2, epsilon=0.1, gamma_regularizer="l2", beta_regularizer="l1")
    yield layer("GroupNormalization", (2, 3, 4), groups=2, gamma_constraint="non_neg", beta_constraint="max_norm")
    yield layer("GroupNormalization", (2, 64))


def rms():
    for shape in [(4, 6), (2, 3, 5), (2, 3, 4, 5)]:
        yield layer("RMSNormalization", shape)
    yield layer("RMSNormalization", (4, 6), epsilon=0.1)
    yield layer("RMSNormalization", (2, 3, 4, 5), axis=(-2, -1))
    yield layer("RMSNormalization", (2, 4, 4), axis=1)


def unit():
    for axis in [-1, 1, (1, 2), [2]]:
        yield layer("UnitNormalization", (2, 3, 4), axis=axis)
    yield layer("UnitNormalization", (4, 6))
