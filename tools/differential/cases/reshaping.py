"""Layers that move, repeat, crop or pad elements."""
from itertools import product

from declare import layer


def cases():
    for family in [padding, cropping, up_sampling, shapes]:
        yield from family()


def padding():
    for amount in [1, (2, 0), 3]:
        yield layer("ZeroPadding1D", (2, 4, 3), padding=amount)
    yield layer("ZeroPadding1D", (2, 3, 4), padding=(1, 2), data_format="channels_first")
    for amount in [1, (2, 1), ((0, 1), (0, 1)), ((1, 0), (2, 3))]:
        yield layer("ZeroPadding2D", (2, 3, 4, 2), padding=amount)
    yield layer("ZeroPadding2D", (2, 2, 3, 4), padding=((1, 0), (2, 3)), data_format="channels_first")
    for amount in [1, (2, 1, 0), ((0, 1), (2, 0), (1, 1))]:
        yield layer("ZeroPadding3D", (2, 3, 2, 4, 2), padding=amount)
    yield layer("ZeroPadding3D", (1, 2, 3, 2, 4), padding=1, data_format="channels_first")


def cropping():
    for amount in [1, (2, 0), (0, 1)]:
        yield layer("Cropping1D", (2, 5, 3), cropping=amount)
    for amount in [1, (2, 1), ((0, 1), (1, 0))]:
        yield layer("Cropping2D", (2, 5, 6, 2), cropping=amount)
    yield layer("Cropping2D", (2, 5, 6, 2))
    yield layer("Cropping2D", (2, 2, 5, 6), cropping=((1, 0), (2, 3)), data_format="channels_first")
    for amount in [1, (2, 1, 0), ((0, 1), (2, 0), (1, 1))]:
        yield layer("Cropping3D", (1, 5, 4, 6, 2), cropping=amount)
    yield layer("Cropping3D", (1, 2, 5, 4, 6), cropping=1, data_format="channels_first")


def up_sampling():
    for size in [2, 3]:
        yield layer("UpSampling1D", (2, 4, 3), size=size)
    for interpolation in ["nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"]:
        yield layer("UpSampling2D", (2, 3, 4, 2), interpolation=interpolation)
    for interpolation in ["nearest", "bilinear", "lanczos3", "lanczos5"]:  # TensorFlow's bicubic rounds to a table
        yield layer("UpSampling2D", (2, 3, 4, 2), size=(3, 1), interpolation=interpolation)
    for interpolation in ["nearest", "bilinear"]:
        yield layer("UpSampling2D", (1, 2, 3, 4), interpolation=interpolation, data_format="channels_first")
    for size in [2, (1, 3, 2)]:
        yield layer("UpSampling3D", (1, 3, 2, 4, 2), size=size)
    yield layer("UpSampling3D", (1, 2, 3, 2, 4), data_format="channels_first")


def shapes():
    for n in [1, 3]:
        yield layer("RepeatVector", (2, 4), n=n)
    for dims in [(2, 1), (1, 2)]:
        yield layer("Permute", (2, 3, 4), dims=dims)
    yield layer("Permute", (2, 3, 4, 5), dims=(3, 1, 2))
    for target in [(4, 3), (-1,), (2, -1, 3), (12,), (1, 12)]:
        yield layer("Reshape", (2, 3, 4), target_shape=target)
    for shape in [(3, 4), (2, 3, 4), (2, 3, 2, 4), (3,)]:
        yield layer("Flatten", shape)
        yield layer("Flatten", shape, data_format="channels_first")
    yield layer("Identity", (2, 3))
    yield layer("Identity", (2, 3, 4), _masks=[(2, 3)])
    yield layer("ActivityRegularization", (2, 3), l1=0.5, l2=0.25)
    yield layer("ActivityRegularization", (4, 3, 2), l1=0.5)
