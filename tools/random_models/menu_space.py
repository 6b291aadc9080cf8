"""Convolutions, pooling and similar layers over 1, 2 or 3 dimensions; the last axis of a sample is the channels."""
from arguments import GATES, activation, usual, weights
from source import obj


def sizes(d, shape, low=1, high=3):
    """One number for each dimension, or one for all."""
    spatial = shape[:-1]
    if d.chance(0.4):
        return d.int(low, max(low, min(high, *spatial, 99)))
    return [d.int(low, max(low, min(high, n))) for n in spatial]


def convolution(d, shape, transpose=False, depthwise=False, separable=False):
    names = ["bias"]
    args = {} if depthwise else {"filters": d.int(1, 4)}
    names += ["depthwise"] * (depthwise or separable) + ["pointwise"] * separable + ["kernel"] * (not depthwise and not separable)
    args |= {"kernel_size": sizes(d, shape)} | d.some({"padding": ["same"]}, 0.4) | usual(d, *names)
    if d.chance(0.5):
        args["strides"] = d.int(1, 2) if separable or depthwise else sizes(d, shape, 1, 2)
    elif not transpose and d.chance(0.3):
        args["dilation_rate"] = 2
    if (depthwise or separable) and d.chance(0.4):
        args["depth_multiplier"] = 2
    if not (transpose or depthwise or separable) and shape[-1] % 2 == 0 and d.chance(0.06):
        args |= {"groups": 2, "filters": 2 * d.int(1, 2)}
    if len(shape) == 2 and not (transpose or depthwise or separable) and d.chance(0.15):
        args["padding"] = "causal"
    return args


def pooling(d, shape):
    return {"pool_size": sizes(d, shape, 1, 2)} | d.some({"padding": ["same"], "strides": lambda: sizes(d, shape, 1, 2)}, 0.4)


def adaptive(d, shape):
    return {"output_size": sizes(d, shape, 1, 3)}


def overall(d, shape):
    return d.some({"keepdims": [True]}, 0.15)


def padding(d, shape):
    if len(shape) == 2:
        return {"padding": d.pick([1, [d.int(0, 2), d.int(0, 1)]])}
    return {"padding": d.pick([1, [[d.int(0, 1), d.int(0, 2)] for _ in shape[:-1]]])}


def cropping(d, shape):
    if min(shape[:-1]) < 3:
        return None
    return {"cropping": [1, 0] if len(shape) == 2 else [[d.int(0, 1), d.int(0, 1)] for _ in shape[:-1]]}


def upsampling(d, shape):
    if max(shape[:-1]) > 6:
        return None
    return {"size": d.int(1, 2)} | (d.some({"interpolation": ["bilinear", "nearest", "bicubic"]}) if len(shape) == 3 else {})


def conv_lstm(d, shape):
    inner = shape[1:]
    return {"filters": d.int(1, 3), "kernel_size": sizes(d, inner, 1, 2)} | d.some({
        "padding": ["same"], "return_sequences": [True], "go_backwards": [True], "recurrent_activation": GATES,
        "activation": ["tanh", "relu"], "unit_forget_bias": [False], "use_bias": [False]}) | weights(
            d, "kernel", "recurrent", "bias", probability=0.05)


def distributed(d, shape):
    inner = shape[1:]
    options = {1: [obj("layers.Dense", units=d.int(1, 4), activation=activation(d)), obj("layers.LayerNormalization")],
               2: [obj("layers.Conv1D", filters=d.int(1, 3), kernel_size=1), obj("layers.LSTM", units=d.int(1, 3)),
                   obj("layers.Flatten"), obj("layers.GlobalMaxPooling1D")],
               3: [obj("layers.Conv2D", filters=d.int(1, 3), kernel_size=1), obj("layers.Flatten"),
                   obj("layers.GlobalAveragePooling2D")]}
    return {"layer": d.pick(options[len(inner)])}


def resizing(d, shape):
    return {"height": d.int(2, 6), "width": d.int(2, 6)} | d.some({
        "interpolation": ["nearest", "bicubic", "lanczos3", "lanczos5", "area"][:2 if d.chance(0.8) else 4],
        "crop_to_aspect_ratio": [True], "pad_to_aspect_ratio": [True]}, 0.2)


def menu():
    table = {}
    for n in (1, 2, 3):
        rank = (n + 1,)
        heavy = 0.6 if n == 3 else 1.0
        table |= {
            f"Conv{n}D": (rank, convolution, 3 * heavy),
            f"Conv{n}DTranspose": (rank, lambda d, s: convolution(d, s, transpose=True), 1.5 * heavy),
            f"MaxPooling{n}D": (rank, pooling, 1), f"AveragePooling{n}D": (rank, pooling, 1),
            f"GlobalMaxPooling{n}D": (rank, overall, 0.7), f"GlobalAveragePooling{n}D": (rank, overall, 0.7),
            f"AdaptiveMaxPooling{n}D": (rank, adaptive, 0.4), f"AdaptiveAveragePooling{n}D": (rank, adaptive, 0.4),
            f"ZeroPadding{n}D": (rank, padding, 0.5), f"Cropping{n}D": (rank, cropping, 0.5), f"UpSampling{n}D": (rank, upsampling, 0.5),
            f"SpatialDropout{n}D": (rank, lambda d, s: {"rate": 0.0}, 0.15),
            f"ConvLSTM{n}D": ((n + 2,), conv_lstm, 0.7)}
        if n < 3:
            table |= {f"SeparableConv{n}D": (rank, lambda d, s: convolution(d, s, separable=True), 1),
                      f"DepthwiseConv{n}D": (rank, lambda d, s: convolution(d, s, depthwise=True), 1)}
    return table | {"Resizing": ((3,), resizing, 0.5), "TimeDistributed": ((2, 3, 4), distributed, 1),
                    "CenterCrop": ((3,), lambda d, s: {"height": d.int(1, 4), "width": d.int(1, 4)}, 0.3)}


SPACE = menu()
