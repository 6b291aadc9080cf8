"""Arguments that many layers share: activations, initializers, regularizers, constraints."""
from source import obj

ACTIVATIONS = ["relu", "tanh", "sigmoid", "gelu", "elu", "selu", "softplus", "softsign", "silu", "swish", "leaky_relu", "relu6",
               "hard_sigmoid", "hard_silu", "hard_tanh", "hard_shrink", "soft_shrink", "tanh_shrink", "mish", "celu", "squareplus",
               "log_sigmoid", "linear", "exponential", "softmax", "log_softmax", "sparse_plus", "sparse_sigmoid", "sparsemax"]
GATES = ["sigmoid", "hard_sigmoid", "tanh"]


def initializer(d):
    return d.pick([
        "glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform", "random_normal", "ones",
        "orthogonal", obj("keras.initializers.TruncatedNormal", stddev=d.real(0.05, 0.5)),
        obj("keras.initializers.Constant", value=d.real(-0.5, 0.5)),
        obj("keras.initializers.VarianceScaling", scale=d.real(0.5, 2), mode=d.pick(["fan_in", "fan_out", "fan_avg"]),
            distribution=d.pick(["normal", "uniform", "truncated_normal", "untruncated_normal"])),
        obj("keras.initializers.RandomUniform", minval=-0.3, maxval=d.real(0, 0.4))])


def bias_initializer(d):
    return d.pick(["zeros", "ones", "random_normal", obj("keras.initializers.Constant", value=d.real(-0.5, 0.5)),
                   obj("keras.initializers.RandomUniform", minval=-0.3, maxval=0.3)])


def regularizer(d):
    return d.pick(["l1", "l2", "l1_l2", obj("keras.regularizers.L2", l2=d.real(0.001, 0.1)),
                   obj("keras.regularizers.L1", l1=d.real(0.001, 0.1)),
                   obj("keras.regularizers.L1L2", l1=d.real(0.001, 0.05), l2=d.real(0.001, 0.05))])


def matrix_regularizer(d):
    orthogonal = obj("keras.regularizers.OrthogonalRegularizer", factor=d.real(0.01, 0.1), mode=d.pick(["rows", "columns"]))
    return orthogonal if d.chance(0.2) else regularizer(d)


def constraint(d):
    return d.pick(["non_neg", "unit_norm", "max_norm", obj("keras.constraints.MaxNorm", max_value=d.real(0.5, 2), axis=0),
                   obj("keras.constraints.MinMaxNorm", min_value=d.real(0.1, 0.5), max_value=d.real(0.6, 2), rate=d.real(0.3, 1)),
                   obj("keras.constraints.UnitNorm", axis=0)])


def activation(d):
    if d.chance(0.1):
        return d.pick([obj("layers.LeakyReLU", negative_slope=d.real(0, 0.5)), obj("layers.ReLU", max_value=d.real(1, 3))])
    return d.pick(ACTIVATIONS)


def weights(d, *names, probability=0.12):
    """Arguments of weights: of a kernel, a bias, a depthwise kernel …"""
    chosen = {}
    for name in names:
        bias = name in ("bias", "beta", "gamma")
        chosen |= d.some({f"{name}_initializer": lambda: bias_initializer(d) if bias else initializer(d),
                          f"{name}_regularizer": lambda: regularizer(d),
                          f"{name}_constraint": lambda: constraint(d)}, probability)
    return chosen


def usual(d, *names):
    """Activation, bias, arguments of weights, and a penalty on the output."""
    return (d.some({"activation": lambda: activation(d)}, 0.6) | d.some({"use_bias": [False]}, 0.15) | weights(d, *names)
            | d.some({"activity_regularizer": lambda: regularizer(d), "trainable": [False]}, 0.05))
