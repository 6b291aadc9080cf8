"""BatchNormalization."""
from itertools import product

from declare import layer


def cases():
    for training, shape in product([False, True], [(6, 5), (4, 3, 5), (2, 3, 4, 2)]):
        yield layer("BatchNormalization", shape, _training=training)
    for training in [False, True]:
        yield layer("BatchNormalization", (3, 4, 5, 2), axis=1, _training=training)
        yield layer("BatchNormalization", (6, 5), momentum=0.9, epsilon=0.01, _training=training)
        for center, scale in [(False, True), (True, False), (False, False)]:
            yield layer("BatchNormalization", (6, 5), center=center, scale=scale, _training=training)
    yield layer("BatchNormalization", (6, 5), gamma_regularizer="l2", beta_regularizer="l1", _training=True)
    yield layer("BatchNormalization", (6, 5), gamma_constraint="non_neg", beta_constraint="max_norm", _training=True)
    yield layer("BatchNormalization", (4, 5, 3), _masks=[(4, 5)], _training=True)
    yield layer("BatchNormalization", (6, 5), trainable=False, _training=True)
    yield layer("BatchNormalization", (6, 5), synchronized=True, _training=True)
    for training in [False, True]:
        yield layer("BatchNormalization", (6, 5), renorm=True, _training=training)
    yield layer("BatchNormalization", (4, 3, 5), renorm=True, renorm_momentum=0.8, momentum=0.7, _training=True)
    yield layer("BatchNormalization", (6, 5), renorm=True, renorm_clipping={"rmin": 0.7, "rmax": 1.2, "dmax": 0.1}, _training=True)
    yield layer("BatchNormalization", (6, 5), renorm=True, renorm_clipping={"rmax": 1.1}, scale=False, _training=True)
    yield layer("BatchNormalization", (3, 4, 5), renorm=True, axis=1, center=False, _training=True)
    yield layer("BatchNormalization", (4, 5, 3), renorm=True, _masks=[(4, 5)], _training=True)
