"""Dropouts and noise outside training; in training their random numbers are not comparable with Keras's."""
from declare import layer


def cases():
    for training in [False, True]:
        yield layer("Dropout", (3, 4), rate=0.0, seed=3, _training=training)
        yield layer("GaussianNoise", (3, 4), stddev=0.0, _training=training)
        yield layer("AlphaDropout", (3, 4), rate=0.0, _training=training)
    yield layer("Dropout", (3, 4), rate=0.5, noise_shape=(None, 1))
    yield layer("GaussianNoise", (2, 3, 4), stddev=0.3, seed=4)
    yield layer("GaussianDropout", (2, 3, 4), rate=0.3, seed=4)
    yield layer("AlphaDropout", (2, 3, 4), rate=0.3, noise_shape=(None, 1, 4))
    yield layer("SpatialDropout1D", (2, 3, 4), rate=0.3, seed=1)
    yield layer("SpatialDropout2D", (2, 3, 3, 4), rate=0.3, data_format="channels_last")
    yield layer("SpatialDropout3D", (2, 2, 3, 3, 4), rate=0.3, dtype="bfloat16")
    yield layer("Dropout", (2, 3, 4), rate=0.3, _masks=[(2, 3)])
    yield layer("GaussianNoise", (2, 3, 4), stddev=0.3, _masks=[(2, 3)])
