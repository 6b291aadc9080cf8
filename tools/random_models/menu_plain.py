"""Layers that take tensors of any number of dimensions, or vectors. A menu is {class: (ranks, arguments, weight)}; arguments is a
function of the choices and the shape of one sample, and returns None where the layer does not fit."""
from arguments import (activation, constraint, initializer, matrix_regularizer, regularizer, usual, weights)
from source import obj

ANY = (1, 2, 3, 4)


def dense(d, shape):
    args = {"units": d.int(1, 5)} | usual(d, "kernel", "bias")
    if d.chance(0.05):
        args["kernel_regularizer"] = matrix_regularizer(d)
    return args


def einsum_dense(d, shape):
    letters = "abcde"[:len(shape) + 1]
    out = [d.int(1, 4)]
    args = {"equation": f"{letters},{letters[-1]}z->{letters[:-1]}z", "output_shape": [*shape[:-1], *out]}
    return args | d.some({"bias_axes": ["z"], "activation": lambda: activation(d)}, 0.5) | weights(d, "kernel", "bias")


def batch_normalization(d, shape):
    return d.some({"axis": [d.int(1, len(shape))], "momentum": [d.real(0.5, 0.99)], "epsilon": [d.real(0.001, 0.1)],
                   "center": [False], "scale": [False], "renorm": [True]}, 0.2) | weights(d, "beta", "gamma")


def layer_normalization(d, shape):
    return d.some({"axis": [d.int(1, len(shape)), [-1]] + ([[1, 2]] if len(shape) > 1 else []), "epsilon": [d.real(0.001, 0.1)],
                   "center": [False], "scale": [False]}) | weights(d, "beta", "gamma")


def rms_normalization(d, shape):
    return d.some({"axis": [d.int(1, len(shape))], "epsilon": [d.real(0.001, 0.1)]})


def group_normalization(d, shape):
    divisors = [n for n in range(1, shape[-1] + 1) if shape[-1] % n == 0]
    return {"groups": d.pick([*divisors, -1])} | d.some({"epsilon": [0.01], "center": [False], "scale": [False]}) | weights(
        d, "beta", "gamma")


def unit_normalization(d, shape):
    return d.some({"axis": [d.int(1, len(shape))]})


def spectral_normalization(d, shape):
    return {"layer": obj("layers.Dense", units=d.int(1, 4))} | d.some({"power_iterations": [2]})


def relu(d, shape):
    return d.some({"max_value": [d.real(1, 4)], "negative_slope": [d.real(0, 0.5)], "threshold": [d.real(0, 0.5)]})


def prelu(d, shape):
    args = d.some({"alpha_initializer": lambda: initializer(d), "alpha_regularizer": lambda: regularizer(d),
                   "alpha_constraint": lambda: constraint(d)}, 0.2)
    return args | ({"shared_axes": [1]} if len(shape) > 1 and d.chance(0.5) else {})


def softmax(d, shape):
    return d.some({"axis": [-1, d.int(1, len(shape))] + ([[1, 2]] if len(shape) > 1 else [])})


def rescaling(d, shape):
    return {"scale": d.real(0.1, 2)} | d.some({"offset": [d.real(-1, 1)]})


def normalization(d, shape):
    return {"axis": -1, "mean": [d.real(-1, 1) for _ in range(shape[-1])],
            "variance": [d.real(0.5, 2) for _ in range(shape[-1])]} | d.some({"invert": [True]}, 0.2)


def reshape(d, shape):
    size = 1
    for n in shape:
        size *= n
    options = [[size], [-1], [1, size], [size, 1]]
    options += [[k, size // k] for k in (2, 3, 4) if size % k == 0] + [[2, 2, size // 4]] * (size % 4 == 0)
    return {"target_shape": d.pick(options)}


def none(d, shape):
    return {}


PLAIN = {
    "Dense": (ANY, dense, 6), "EinsumDense": (ANY, einsum_dense, 1), "BatchNormalization": (ANY, batch_normalization, 2),
    "LayerNormalization": (ANY, layer_normalization, 2), "RMSNormalization": (ANY, rms_normalization, 1),
    "GroupNormalization": (ANY, group_normalization, 1), "UnitNormalization": (ANY, unit_normalization, 1),
    "SpectralNormalization": ((1, 2), spectral_normalization, 0.5),
    "ReLU": (ANY, relu, 0.7), "PReLU": (ANY, prelu, 0.7), "Softmax": (ANY, softmax, 0.5),
    "LeakyReLU": (ANY, lambda d, s: d.some({"negative_slope": [d.real(0, 0.6)]}), 0.4),
    "ELU": (ANY, lambda d, s: d.some({"alpha": [d.real(0.2, 1.5)]}), 0.4),
    "Activation": (ANY, lambda d, s: {"activation": activation(d)}, 1),
    "Dropout": (ANY, lambda d, s: {"rate": 0.0}, 0.4), "GaussianNoise": (ANY, lambda d, s: {"stddev": 0.0}, 0.2),
    "GaussianDropout": (ANY, lambda d, s: {"rate": 0.0}, 0.2), "AlphaDropout": (ANY, lambda d, s: {"rate": 0.0}, 0.2),
    "Identity": (ANY, none, 0.2), "Rescaling": (ANY, rescaling, 0.4), "Normalization": (ANY, normalization, 0.5),
    "ActivityRegularization": (ANY, lambda d, s: {"l1": d.real(0, 0.01), "l2": d.real(0, 0.01)}, 0.3),
    "Reshape": (ANY, reshape, 0.7), "Flatten": (ANY, none, 0.5),
    "RepeatVector": ((1,), lambda d, s: {"n": d.int(2, 4)}, 0.6),
    "Permute": ((2, 3), lambda d, s: {"dims": d.pick([[2, 1], [1, 2]]) if len(s) == 2 else d.pick([[2, 1, 3], [3, 1, 2], [1, 3, 2]])}, 0.4),
}
