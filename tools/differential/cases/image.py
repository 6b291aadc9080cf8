"""Image layers outside training, and those that are not random."""
from itertools import product

import numpy as np

from declare import affine, integers, layer, one_hot, uniform

INTERPOLATIONS = ["bilinear", "nearest", "bicubic", "lanczos3", "lanczos5"]


def cases():
    yield from resizings()
    for height, width in [(3, 4), (2, 5), (8, 8), (7, 3)]:
        yield layer("CenterCrop", (2, 5, 6, 2), height=height, width=width)
    yield layer("CenterCrop", (5, 6, 2), height=3, width=3)
    yield layer("CenterCrop", (2, 2, 5, 6), height=3, width=4, data_format="channels_first")
    yield from passed_on()
    yield from transforms()


def resizings():
    for interpolation, (height, width) in product(INTERPOLATIONS, [(8, 12), (2, 3), (4, 12)]):
        yield layer("Resizing", (2, 4, 6, 2), height=height, width=width, interpolation=interpolation)
    for interpolation, (height, width) in product(["bilinear", "nearest", "lanczos3"], [(3, 7), (5, 5)]):
        yield layer("Resizing", (2, 4, 6, 2), height=height, width=width, interpolation=interpolation)
    for interpolation in ["bilinear", "bicubic", "lanczos3", "lanczos5"]:
        yield layer("Resizing", (1, 9, 8, 1), height=3, width=4, interpolation=interpolation, antialias=True)
    for height, width in [(3, 3), (6, 2), (4, 9)]:
        yield layer("Resizing", (2, 4, 6, 2), height=height, width=width, crop_to_aspect_ratio=True)
        yield layer("Resizing", (2, 4, 6, 2), height=height, width=width, pad_to_aspect_ratio=True, fill_value=0.5)
    yield layer("Resizing", (4, 6, 2), height=3, width=3)
    yield layer("Resizing", (2, 2, 4, 6), height=3, width=3, data_format="channels_first")
    for interpolation in ["bilinear", "nearest"]:
        yield layer("Resizing", integers((2, 4, 6, 3), 0, 256, "uint8"), height=3, width=5, interpolation=interpolation)


def passed_on():
    x = uniform((2, 6, 5, 3), 0, 255)
    yield layer("RandomFlip", x, mode="horizontal", seed=1)
    yield layer("RandomCrop", x, height=6, width=5, seed=2)
    yield layer("RandomRotation", x, factor=0.2, fill_mode="constant", fill_value=1.0, seed=3)
    yield layer("RandomRotation", x, factor=(-0.1, 0.3), interpolation="nearest")
    yield layer("RandomTranslation", x, height_factor=0.2, width_factor=(-0.1, 0.3), fill_mode="wrap")
    yield layer("RandomZoom", x, height_factor=(-0.2, 0.1), width_factor=0.3, fill_mode="nearest")
    yield layer("RandomZoom", x, height_factor=0.2)
    yield layer("RandomShear", x, x_factor=0.2, y_factor=(0.1, 0.3))
    yield layer("RandomContrast", x, factor=0.3, seed=3)
    yield layer("RandomContrast", x, factor=(0.1, 0.4), value_range=(0, 1))
    yield layer("RandomBrightness", x, factor=0.3)
    yield layer("RandomBrightness", x, factor=(-0.1, 0.4), value_range=(0.0, 1.0), seed=3)
    colours = uniform((2, 3, 4, 3), 0, 255)
    for name, factor in [("RandomSaturation", 0.3), ("RandomHue", 0.3), ("RandomPosterization", 4), ("RandomInvert", 0.5),
                         ("RandomColorDegeneration", 0.5)]:
        yield layer(name, colours, factor=factor)
    # Factors with one possible value, so that nothing is random. TensorFlow has no gradients of hues.
    yield layer("RandomSaturation", uniform((2, 3, 4, 3)), factor=(0.7, 0.7), value_range=(0, 1), _training=True, _gradients=False)
    yield layer("RandomHue", colours, factor=(0.0, 0.0), _training=True, _gradients=False)
    for bits in [1, 3, 8]:
        yield layer("RandomPosterization", colours, factor=(bits, bits), _training=True, _gradients=False)
    yield layer("RandomInvert", colours, factor=(1.0, 1.0), _training=True)
    yield layer("RandomColorDegeneration", colours, factor=(0.7, 0.7), _training=True)
    yield from effects(colours)


def effects(x):
    yield layer("RandomColorJitter", x, brightness_factor=0.2, contrast_factor=(0.1, 0.3), hue_factor=0.1, seed=2)
    yield layer("RandomColorJitter", uniform((2, 3, 4, 3)), value_range=(0, 1), brightness_factor=(0.25, 0.25),
                contrast_factor=(0.0, 0.0), saturation_factor=(0.7, 0.7), hue_factor=(0.0, 0.0), _training=True, _gradients=False)
    yield layer("RandomGrayscale", x, factor=0.3)
    yield layer("RandomGrayscale", x, factor=1.0, _training=True)
    yield layer("RandomSharpness", x, factor=0.3)
    yield layer("RandomSharpness", x, factor=(0.9, 0.9), _training=True)
    yield layer("RandomErasing", x, factor=0.4, scale=(0.1, 0.2), fill_value=7.0, seed=4)
    yield layer("RandomErasing", x, factor=(1.0, 1.0), scale=(1.0, 1.0), fill_value=[1.0, 2.0, 3.0], _training=True)
    yield layer("RandomGaussianBlur", x, factor=0.4, kernel_size=5, sigma=0.5)
    yield layer("RandomGaussianBlur", x, factor=(1.0, 1.0), kernel_size=(3, 3), sigma=(0.8, 0.8), _training=True)
    yield layer("Solarization", x, addition_factor=0.2, threshold_factor=(0.1, 0.5))
    yield layer("AutoContrast", x)
    yield layer("AutoContrast", uniform((2, 3, 4, 3)), value_range=(0, 1))
    yield layer("RandomFlip", uniform((2, 6, 5, 3)), seed=1)
    yield layer("RandomRotation", x, factor=0.0, _training=True)
    yield layer("RandomTranslation", x, height_factor=(0.5, 0.5), width_factor=(-0.2, -0.2), _training=True,
                _gradients=False)  # TensorFlow approximates them
    yield layer("RandomZoom", x, height_factor=(0.5, 0.5), width_factor=(-0.25, -0.25), _training=True, _gradients=False)
    yield layer("RandomCrop", x, height=8, width=5, _training=True)
    yield layer("RandomContrast", x, factor=(0.0, 0.0), _training=True)
    yield layer("RandomBrightness", x, factor=(0.25, 0.25), _training=True)
    labels = one_hot((2, 5))
    for name, arguments in [("MixUp", {"alpha": 0.4}), ("CutMix", {"factor": 0.6}), ("CutMix", {"factor": (0.2, 0.5)})]:
        yield layer(name, x, labels, **arguments, _keys=["images", "labels"], _gradients=False)
        yield layer(name, x, seed=3, _gradients=False)
    yield layer("RandomPerspective", x, factor=0.5, scale=0.3, seed=2)
    yield layer("RandomPerspective", x, factor=(0.2, 0.7), interpolation="nearest", fill_value=1.0)
    yield layer("RandomPerspective", x, scale=0.0, _training=True, _gradients=False)
    yield layer("RandomPerspective", x, factor=(0.0, 0.0), _training=True, _gradients=False)
    yield layer("RandomElasticTransform", x, factor=0.5, scale=0.3, seed=2)
    yield layer("RandomElasticTransform", x, factor=(0.2, 0.7), interpolation="nearest", fill_mode="wrap", value_range=(0, 1))
    yield layer("RandomElasticTransform", x, scale=0.0, _training=True, _gradients=False)
    yield layer("RandomElasticTransform", x, factor=0.0, _training=True, _gradients=False)
    bright = uniform((2, 5, 6, 3), 0, 255)
    yield layer("Equalization", bright)
    yield layer("Equalization", bright, _training=True, _gradients=False)
    yield layer("Equalization", bright, bins=16, _training=True, _gradients=False)
    yield layer("Equalization", uniform((2, 5, 6, 3)), value_range=(0, 1), _training=True, _gradients=False)
    yield layer("Equalization", np.full((2, 3, 3, 2), 7.0, np.float32), _training=True, _gradients=False)
    yield from local_equalizations()
    yield from drawn_layers(x)
    yield from boxes()


def local_equalizations():
    name, x = "ContrastLimitedAdaptiveHistogramEqualization", uniform((2, 9, 12, 3), 0, 255)
    yield layer(name, x, tile_grid_size=(3, 4), _gradients=False)
    yield layer(name, x, tile_grid_size=(2, 5), clip_limit=20.0, _training=True, _gradients=False)
    yield layer(name, uniform((9, 12, 1), -20, 280), tile_grid_size=(4, 1), clip_limit=0.0, _gradients=False)
    yield layer(name, uniform((2, 8, 8, 1)), value_range=(0, 1), tile_grid_size=(2, 2), clip_limit=60.0, _gradients=False)
    yield layer(name, integers((2, 3, 8, 10), 0, 256, "uint8"), tile_grid_size=(2, 3), data_format="channels_first",
                _compiled=False, _gradients=False)
    yield layer(name, np.full((1, 4, 4, 2), 7.0, np.float32), tile_grid_size=(2, 2), _gradients=False)
    yield layer(name, uniform((1, 16, 16, 1), 100, 120), _gradients=False)


def drawn_layers(x):
    yield layer("RandAugment", x, seed=1)
    yield layer("RandAugment", x, value_range=(0, 1), num_ops=3, factor=(0.2, 0.7), interpolation="nearest")
    yield layer("RandAugment", x, num_ops=0, _training=True)
    yield layer("AugMix", x, seed=1)
    yield layer("AugMix", x, num_chains=2, chain_depth=1, factor=(0.2, 0.7), alpha=0.5, all_ops=False, interpolation="nearest")
    yield layer("AugMix", uniform((2, 4, 4, 3), -50, 300), chain_depth=0, _training=True, _gradients=False)


def boxes():
    keys = ["bounding_boxes/boxes", "bounding_boxes/labels", "images"]
    x = uniform((2, 3, 4, 3), 0, 255)
    for count in [2, 3, 5]:
        yield layer("MaxNumBoundingBoxes", uniform((2, count, 4), 0, 9), integers((2, count), 0, 5), x, max_number=3,
                    bounding_box_format="xyxy", _keys=keys)
    yield layer("MaxNumBoundingBoxes", uniform((2, 1, 4), 0, 9), integers((2, 1), 0, 5), x, max_number=2, fill_value=7,
                bounding_box_format="xywh", _keys=keys, _forgotten={"fill_value": 7})
    yield layer("MaxNumBoundingBoxes", uniform((1, 4), 0, 9), integers((1,), 0, 5), uniform((3, 4, 3)), max_number=2,
                bounding_box_format="xyxy", _keys=keys)
    yield layer("MaxNumBoundingBoxes", integers((2, 3, 4, 3), 0, 256, "uint8"), max_number=2)


def transforms():
    moved = [[1, 0, 1.5, 0, 1, -0.75], [0.8, -0.6, 1.0, 0.6, 0.8, -0.5]]
    far = [[2.5, 0.5, -9.0, -0.5, 1.5, 7.25], [-1.0, 0, 12.5, 0, -1.25, 3.0]]
    for interpolation, fill_mode in product(["bilinear", "nearest"], ["constant", "reflect", "wrap", "nearest"]):
        for rows in [moved, far]:
            yield affine((2, 5, 6, 2), rows, interpolation=interpolation, fill_mode=fill_mode, fill_value=0.5)
