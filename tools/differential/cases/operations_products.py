"""Operations as parts of functional models: products, indices, windows, images."""
import numpy as np

from declare import integers, normal, operation, probabilities, uniform


def kernel(*shape):
    return [np.round(np.random.default_rng(3).standard_normal(shape) * 4096).astype(np.float32) / 4096]


def products():
    yield operation("matmul", (2, 3, 4), (2, 4, 5))
    yield operation("matmul", (2, 3, 4), _then=kernel(4, 2))
    yield operation("matmul", (3, 4), _then=kernel(4, 2))
    yield operation("matmul", (2, 2, 3, 4), (2, 1, 4, 5))
    yield operation("matmul", (2, 3, 4), _then=kernel(4))
    yield operation("dot", (3, 4), _then=kernel(4, 2))
    yield operation("dot", (2, 3, 4), _then=kernel(5, 4, 2))
    yield operation("dot", (3, 4), _then=[2.0])
    yield operation("inner", (3, 4), (2, 4))
    yield operation("outer", (3,), (4,))
    yield operation("kron", (3, 2), (2, 4))
    yield operation("kron", (2, 3, 2), (2, 2))
    yield operation("tensordot", (2, 3, 4), _then=kernel(4, 3, 2), axes=1)
    yield operation("tensordot", (2, 3, 4), _then=kernel(4, 3, 2), axes=([1, 2], [1, 0]))
    for equation, shapes in [("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("bij->bji", [(2, 3, 4)]), ("bij->b", [(2, 3, 4)]),
                             ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]), ("bi,bi->b", [(3, 4), (3, 4)]),
                             ("bi,bj->bij", [(3, 4), (3, 2)]), ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
                             ("bi,bj,bk->bijk", [(2, 3), (2, 4), (2, 2)]), ("bii->bi", [(2, 3, 3)]), ("bij,bjk", [(2, 3, 4), (2, 4, 5)])]:
        yield operation("einsum", *shapes, _first=[equation])
    yield operation("cross", (4, 3), (4, 3))
    yield operation("vdot", (6,), (6,))


def indices():
    y = (2, 5, 3)
    yield operation("take", y, _then=[np.array([0, 3, 3], np.int32)], axis=1)
    yield operation("take", y, integers((2, 2), 0, 3), axis=2)
    yield operation("take", y, integers((3,), -2, 2), axis=2)
    yield operation("take", y, _then=[2], axis=1)
    yield operation("take", y, integers((4,), 0, 30))
    yield operation("take_along_axis", y, integers((2, 2, 3), 0, 5), axis=1)
    yield operation("take_along_axis", (2, 5), integers((2, 3), -5, 5), axis=-1)
    yield operation("sort", y, axis=1)
    yield operation("sort", (3, 7))
    yield operation("argsort", (3, 7))
    yield operation("argsort", integers((3, 9), 0, 3), axis=-1)
    yield operation("top_k", (3, 7), k=3)
    yield operation("in_top_k", integers((4,), 0, 5), (4, 5), k=2)
    yield operation("searchsorted", np.array([-1.0, 0.0, 0.5, 1.0], np.float32), (6,))
    yield operation("digitize", (3, 4), _then=[np.array([-1.0, 0.0, 0.5], np.float32)])
    yield operation("segment_sum", normal((6, 2)), integers((6,), 0, 3), num_segments=3)
    yield operation("scatter", integers((4, 1), 0, 6), (4, 2), shape=(6, 2))
    yield operation("scatter", integers((4, 2), 0, 3), (4,), shape=(3, 3))
    yield operation("isclose", (2, 3), (2, 3))


def windows():
    image = (2, 6, 7, 3)
    for name in ["nn.max_pool", "nn.average_pool"]:
        yield operation(name, image, pool_size=2)
        yield operation(name, image, pool_size=(3, 2), strides=(1, 2), padding="same")
        yield operation(name, (2, 8, 3), pool_size=2, strides=3)
        yield operation(name, (2, 3, 6, 7), pool_size=2, data_format="channels_first", _compiled=True)
    yield operation("nn.adaptive_average_pool", image, output_size=(2, 3))
    yield operation("nn.adaptive_max_pool", image, output_size=(3, 2))
    yield operation("nn.conv", image, _then=kernel(2, 3, 3, 4))
    yield operation("nn.conv", image, _then=kernel(2, 3, 3, 4), strides=2, padding="same")
    yield operation("nn.conv", image, _then=kernel(2, 2, 3, 4), dilation_rate=2)
    yield operation("nn.conv", (2, 8, 3), _then=kernel(3, 3, 4))
    yield operation("nn.conv", (2, 3, 6, 7), _then=kernel(2, 3, 3, 4), data_format="channels_first", _compiled=True)
    yield operation("nn.depthwise_conv", image, _then=kernel(2, 3, 3, 2))
    yield operation("nn.separable_conv", image, _then=kernel(2, 3, 3, 2) + kernel(1, 1, 6, 4))


def networks():
    yield operation("nn.binary_crossentropy", integers((4, 3), 0, 2, "float32"), uniform((4, 3), 0.1, 0.9))
    yield operation("nn.binary_crossentropy", integers((4, 3), 0, 2, "float32"), (4, 3), from_logits=True)
    yield operation("nn.categorical_crossentropy", probabilities((4, 3)), probabilities((4, 3)))
    yield operation("nn.categorical_crossentropy", probabilities((4, 3)), (4, 3), from_logits=True)
    yield operation("nn.sparse_categorical_crossentropy", integers((4,), 0, 3), probabilities((4, 3)))
    yield operation("nn.sparse_categorical_crossentropy", integers((4,), 0, 3), (4, 3), from_logits=True)
    yield operation("nn.dot_product_attention", (2, 5, 2, 4), (2, 6, 2, 4), (2, 6, 2, 4))
    yield operation("nn.dot_product_attention", (2, 5, 2, 4), (2, 5, 2, 4), (2, 5, 2, 4), is_causal=True, scale=0.7)
    yield operation("nn.batch_normalization", (4, 3), _then=[np.zeros(3, np.float32), np.ones(3, np.float32) * 2], axis=-1)
    yield operation("nn.layer_normalization", (4, 3))
    yield operation("nn.rms_normalization", (4, 3))
    yield operation("nn.psnr", uniform((2, 3)), uniform((2, 3)), max_val=1.0)


def images():
    image = uniform((2, 6, 7, 3))
    yield operation("image.rgb_to_grayscale", image)
    yield operation("image.rgb_to_hsv", image, _gradients=False)
    yield operation("image.hsv_to_rgb", image, _gradients=False)
    yield operation("image.resize", image, size=(4, 9))
    yield operation("image.resize", image, size=(9, 5), interpolation="nearest")
    yield operation("image.resize", image, size=(12, 14), interpolation="bicubic")
    yield operation("image.pad_images", image, top_padding=1, left_padding=2, bottom_padding=0, right_padding=3)
    yield operation("image.crop_images", image, top_cropping=1, left_cropping=2, bottom_cropping=0, right_cropping=3)
    yield operation("image.crop_images", image, top_cropping=1, left_cropping=2, target_height=3, target_width=4)
    yield operation("image.extract_patches", image, size=2)
    yield operation("image.extract_patches", image, size=(3, 2), strides=1, padding="same")


def perspectives():
    start = np.array([[0, 0], [6, 0], [0, 5], [6, 5]], np.float32)
    end = np.array([[0.5, -0.3], [5.2, 0.8], [-0.4, 4.1], [6.6, 5.5]], np.float32)
    for interpolation in ["bilinear", "nearest"]:
        yield operation("image.perspective_transform", uniform((2, 6, 7, 3)), _then=[start, end], interpolation=interpolation,
                        fill_value=0.25, _gradients=False)


def cases():
    yield from products()
    yield from indices()
    yield from windows()
    yield from networks()
    yield from images()
    yield from perspectives()
