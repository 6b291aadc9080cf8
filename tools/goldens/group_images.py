"""Images decoded by tf.io, resized and adjusted by tf.image, and rotated, zoomed and translated by Keras's layers."""
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from store import Group, numpy_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import make_image_corpus as corpus  # noqa: E402

METHODS = [("nearest", False), ("bilinear", False), ("bilinear", True), ("area", False), ("bicubic", False),
           ("bicubic", True)]
KERNELS = ["lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
SIZES = [(23, 31), (7, 9), (13, 6), (5, 21)]
BOXES = [(0, 0, 40, 60), (3, 5, 20, 17), (16, 16, 24, 32), (31, 47, 9, 13), (39, 0, 1, 60), (7, 33, 15, 2)]


def photo(height, width, channels=3, seed=0):
    """Noise of several sizes, as photographs have."""
    random, image = np.random.default_rng(seed), 0
    for cells, strength in [(2, 60), (5, 50), (12, 30)]:
        noise = random.normal(size=(cells, cells, channels)) * strength
        image = image + tf.image.resize(noise, (height, width), "bicubic").numpy()
    return np.clip(128 + image, 0, 255).astype(np.uint8)


def make():
    group = Group()
    add_decoded(group)
    add_crops(group)
    add_resized(group)
    add_adjusted(group)
    add_moved(group)
    add_kernels(group)
    return group


def add_decoded(group):
    for form, files in [("jpeg", corpus.jpegs()), ("png", corpus.PNGS)]:
        for name, content in files.items():
            for channels in ([0, 1, 3] if form == "jpeg" else [0, 1, 3, 4]):
                add_file(group, f"{form} {name}", content, channels)


def add_file(group, name, content, channels):
    if name == "jpeg cmyk" and channels == 1:
        return  # TensorFlow has no conversion
    if name in ("png gray_1", "png gray_4", "png palette") and channels == 4:
        return  # what it adds as opaque is 1 or 15 of 255
    decode = tf.io.decode_jpeg if name.startswith("jpeg") else tf.io.decode_png
    case = group.case("decode", {"name": name, "channels": channels})
    case.set(file=case.put("file", np.frombuffer(content, np.uint8)),
             output=case.put("output", decode(content, channels=channels).numpy()))


def add_crops(group):
    image = photo(40, 60)
    for settings in [{"quality": 90}, {"quality": 95, "chroma_downsampling": False}, {"progressive": True}]:
        content = tf.io.encode_jpeg(image, **settings)
        case = group.case("crop", settings)
        file = case.put("file", np.frombuffer(content.numpy(), np.uint8))
        outputs = [numpy_of(tf.io.decode_jpeg(content))[y:y + h, x:x + w] for y, x, h, w in BOXES]
        case.set(file=file, boxes=BOXES, outputs=case.put_all("output", outputs))


def add_resized(group):
    image = group.put("image", photo(13, 17))
    for method, antialias in METHODS:
        for size in SIZES:
            case = group.case("resize", {"interpolation": method, "antialias": antialias, "size": size})
            output = tf.image.resize(group.arrays[image], size, method, antialias=antialias)
            case.set(image=image, output=case.put("output", output.numpy()))
    for size in [(8, 8), (5, 12), (30, 9)]:
        case = group.case("crop_to_aspect_ratio", {"size": size})
        output = keras.layers.Resizing(*size, crop_to_aspect_ratio=True)(group.arrays[image][None].astype("float32"))[0]
        case.set(image=image, output=case.put("output", numpy_of(output)))


def add_kernels(group):
    image = group.put("small image", photo(13, 17, seed=3))
    for method in KERNELS:
        for antialias in [False, True]:
            for size in [(23, 9), (5, 31)]:
                case = group.case("resize", {"interpolation": method, "antialias": antialias, "size": size})
                output = tf.image.resize(group.arrays[image], size, method, antialias=antialias)
                case.set(image=image, output=case.put("output", output.numpy()))
    for size in [(21, 8), (5, 12), (9, 40)]:
        case = group.case("resize_with_pad", {"size": size})
        case.set(image=image, output=case.put("output", tf.image.resize_with_pad(group.arrays[image], *size).numpy()))


def add_adjusted(group):
    image = photo(11, 14, seed=1)
    image[0, 0], image[0, 1], image[0, 2] = 0, 255, 100  # no hue
    names = {np.uint8: group.put("adjusted_uint8", image),
             np.float32: group.put("adjusted_float32", (image / 255).astype(np.float32))}
    for name, arguments in [("brightness", [-0.3, 0.2]), ("contrast", [0.5, 1.7]), ("saturation", [0.0, 0.4, 2.5]),
                            ("hue", [-0.4, 0.05, 0.5])]:
        for argument in arguments:
            for array in names.values():
                case = group.case(name, {"argument": argument})
                output = getattr(tf.image, f"adjust_{name}")(group.arrays[array], argument)
                case.set(image=array, output=case.put("output", output.numpy()))


def add_moved(group):
    image = group.put("moved", photo(10, 13, seed=2).astype(np.float32))
    layers = [("rotation", (0.07,)), ("rotation", (-0.3,)), ("zoom", (0.6, 0.3)), ("zoom", (-0.3, -0.5)),
              ("translation", (0.33, -0.21))]
    for name, factors in layers:
        for fill_mode in ["reflect", "constant", "wrap", "nearest"]:
            for interpolation in ["bilinear", "nearest"] if name != "zoom" else ["bilinear"]:
                add_layer(group.case(name, {"factors": factors, "fill_mode": fill_mode,
                                            "interpolation": interpolation, "fill_value": 40.0}), image)


def add_layer(case, image):
    config = dict(case.fields["config"])
    layer = getattr(keras.layers, f"Random{case.fields['class_name'].capitalize()}")
    factors = [(factor, factor) for factor in config.pop("factors")]  # nothing left to chance
    output = layer(*factors, **config)(case.group.arrays[image][None], training=True)[0]
    case.set(image=image, output=case.put("output", numpy_of(output)))
