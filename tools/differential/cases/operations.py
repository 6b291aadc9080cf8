"""Operations as parts of functional models: elementwise functions, shapes, sums."""
import numpy as np

from declare import booleans, integers, normal, operation, uniform

X = (3, 4)
POSITIVE, INSIDE = uniform(X, 0.2, 3.0), uniform(X, -0.9, 0.9)

ONE = ["abs", "absolute", "arcsinh", "arctan", "cbrt", "ceil", "copy", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "fabs", "floor",
       "negative", "rad2deg", "round", "sign", "sin", "sinc", "sinh", "square", "tan", "tanh", "trunc", "erf", "erfc", "isfinite", "isinf",
       "isnan", "isneginf", "isposinf", "signbit", "nan_to_num", "ones_like", "zeros_like", "ravel", "stop_gradient", "real",
       "isreal", "fliplr", "flipud", "relu", "relu6", "sigmoid", "softplus", "softsign", "silu", "log_sigmoid", "leaky_relu", "hard_sigmoid", "hard_silu", "elu",
       "selu", "gelu", "celu", "glu", "tanh_shrink", "hard_tanh", "hard_shrink", "soft_shrink", "softmax", "log_softmax", "sparsemax",
       "sparse_plus", "sparse_sigmoid", "squareplus"]
TWO = ["add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp",
       "logaddexp2", "mod", "fmod", "floor_divide", "divide_no_nan", "equal", "not_equal", "greater", "greater_equal", "less",
       "less_equal", "heaviside"]


def elementwise():
    for name in ONE:
        yield operation(name, X)
    for name in ["log", "log10", "log1p", "log2", "sqrt", "rsqrt", "reciprocal"]:
        yield operation(name, POSITIVE)
    for name in ["arccos", "arcsin", "arctanh"]:
        yield operation(name, INSIDE)
    yield operation("arccosh", uniform(X, 1.2, 4.0))
    for name in TWO:
        yield operation(name, X, X)
    yield operation("add", X, (3, 1))
    yield operation("ldexp", X, integers(X, -3, 4))
    yield operation("multiply", X, _then=[2.5])
    yield operation("mod", integers(X, -7, 8), _then=[3])
    yield operation("floor_divide", integers(X, -7, 8), _then=[3])
    yield operation("power", POSITIVE, X)
    yield operation("power", X, _then=[2])
    for name in ["logical_and", "logical_or", "logical_xor"]:
        yield operation(name, booleans(X), booleans(X))
    yield operation("logical_not", booleans(X))
    yield operation("where", booleans(X), X, X)
    yield operation("round", X, decimals=1)
    yield operation("round", np.array([[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]], np.float32))
    yield operation("clip", X, x_min=-0.5, x_max=1.0)
    yield operation("cast", X, dtype="int32")
    yield operation("cast", integers(X, 0, 9), dtype="float32")
    yield operation("leaky_relu", X, negative_slope=0.4)
    yield operation("elu", X, alpha=0.6)
    yield operation("celu", X, alpha=0.6)
    yield operation("gelu", X, approximate=False)
    yield operation("glu", X, axis=1)
    yield operation("hard_shrink", X, threshold=0.8)
    yield operation("soft_shrink", X, threshold=0.8)
    yield operation("threshold", X, threshold=0.3, default_value=-1.5)
    yield operation("squareplus", X, b=2)
    yield operation("softmax", (2, 3, 4), axis=1)
    yield operation("log_softmax", (2, 3, 4), axis=1)
    yield operation("sparsemax", (3, 5), axis=-1)
    yield operation("full_like", X, _then=[1.5])
    yield operation("nan_to_num", X, nan=1.0, posinf=2.0, neginf=-2.0)
    yield operation("one_hot", integers((3,), 0, 5), num_classes=5)
    yield operation("multi_hot", integers((3, 4), 0, 5), num_classes=5)


def slices():
    """x[…], which is no function of keras.ops."""
    for key in [np.s_[:, 1:3], np.s_[:, ::2], np.s_[:, ::-1, 1], np.s_[..., -3:-1], np.s_[:, 4:1:-2], np.s_[:, None, 2]]:
        yield operation("getitem", (2, 6, 4), _key=key)


def shapes():
    y = (2, 3, 4)
    yield operation("tile", y, repeats=(1, 2, 3))
    yield operation("tile", y, repeats=2)
    yield operation("broadcast_to", (3, 1, 4), shape=(3, 2, 4), _fixed_batch=True)
    yield operation("broadcast_to", (3, 1), shape=(2, 3, 5), _fixed_batch=True)
    yield operation("pad", y, pad_width=((0, 0), (1, 2), (0, 1)))
    yield operation("pad", y, pad_width=((0, 0), (1, 2), (0, 1)), constant_values=1.5)
    yield operation("pad", y, pad_width=((0, 0), (1, 2), (2, 1)), mode="reflect")
    yield operation("pad", y, pad_width=((0, 0), (1, 2), (2, 1)), mode="symmetric")
    yield operation("flip", y, axis=1)
    yield operation("flip", y, axis=(1, 2))
    yield operation("roll", y, shift=2, axis=1)
    yield operation("roll", y, shift=(1, -1), axis=(1, 2))
    yield operation("repeat", y, repeats=2, axis=1)
    yield operation("repeat", y, repeats=[1, 2, 0], axis=1)
    yield operation("moveaxis", y, source=1, destination=2)
    yield operation("moveaxis", (2, 3, 4, 5), source=[1, 3], destination=[3, 2])
    yield operation("swapaxes", y, axis1=1, axis2=2)
    yield operation("transpose", y, axes=(0, 2, 1))
    yield operation("rot90", (2, 3, 4, 2), axes=(1, 2))
    yield operation("rot90", (2, 3, 4, 2), k=3, axes=(1, 2))
    yield operation("expand_dims", y, axis=1)
    yield operation("squeeze", (2, 1, 4), axis=1)
    yield operation("reshape", y, newshape=(-1, 12))
    yield operation("concatenate", y, y, axis=2, _listed=True)
    yield operation("stack", y, y, axis=1, _listed=True)
    yield operation("hstack", y, (2, 2, 4), _listed=True)
    yield operation("vstack", y, y, _listed=True)
    yield operation("dstack", y, (2, 3, 1), _listed=True)
    yield operation("append", y, (2, 3, 2), axis=2)
    yield operation("split", (2, 6, 3), indices_or_sections=3, axis=1)
    yield operation("split", (2, 6, 3), indices_or_sections=[1, 4], axis=1)
    yield operation("array_split", (2, 7, 3), indices_or_sections=3, axis=1)
    yield operation("hsplit", (2, 6, 3), indices_or_sections=2)
    yield operation("dsplit", (2, 3, 6), indices_or_sections=2)
    yield operation("unstack", y, axis=1)
    yield operation("slice", y, start_indices=(0, 1, 2), shape=(2, 2, 2))
    yield operation("tril", (2, 4, 5))
    for k in [0, 1, -2]:
        yield operation("diag", (4,), k=k, _fixed_batch=True)
        yield operation("diag", (4, 3), k=k, _fixed_batch=True)
        yield operation("diagflat", (2, 3), k=k, _fixed_batch=True)
    yield operation("tril", (2, 4, 5), k=1)
    yield operation("triu", (2, 4, 5), k=-1)
    yield operation("diagonal", (2, 4, 5), axis1=1, axis2=2)
    yield operation("diagonal", (2, 4, 5), offset=1, axis1=2, axis2=1)
    yield operation("trace", (2, 4, 5), axis1=1, axis2=2)
    yield operation("trace", (2, 4, 5), offset=-1, axis1=1, axis2=2)
    yield operation("diff", (2, 6), axis=1)
    yield operation("diff", (2, 6, 3), n=2, axis=1)
    yield operation("nn.depth_to_space", (2, 2, 3, 8), block_size=2)
    yield operation("nn.space_to_depth", (2, 4, 6, 2), block_size=2)
    yield operation("nn.depth_to_space", (2, 8, 2, 3), block_size=2, data_format="channels_first")


def reductions():
    y = (2, 3, 4)
    for name in ["sum", "mean", "max", "min", "amax", "amin", "var", "std", "prod", "ptp", "logsumexp", "median", "count_nonzero",
                 "nansum", "nanmean", "nanmax", "nanmin", "nanprod", "nanvar", "nanstd"]:
        yield operation(name, y, axis=1)
    for name in ["sum", "mean", "max", "min", "var", "std", "prod", "logsumexp", "ptp", "median"]:
        yield operation(name, y, axis=(1, 2) if name != "median" else 2, keepdims=True)
        yield operation(name, y)
    for name in ["all", "any"]:
        yield operation(name, booleans(y, 0.7), axis=1)
        yield operation(name, integers(y, 0, 2), axis=(1, 2), keepdims=True)
        yield operation(name, booleans(y))
    for name in ["argmax", "argmin", "nanargmax", "nanargmin"]:
        yield operation(name, y, axis=1)
        yield operation(name, y, axis=-1, keepdims=True)
        yield operation(name, y)
    for name in ["cumsum", "cumprod", "nancumsum", "nancumprod"]:
        yield operation(name, (2, 5, 3), axis=1)
        yield operation(name, (2, 9), axis=-1)
    yield operation("cumsum", integers((2, 5), 0, 5), axis=1)
    yield operation("average", y, axis=1)
    yield operation("average", y, axis=1, weights=np.array([0.2, 0.5, 0.9], np.float32))
    yield operation("norm", y, axis=1)
    yield operation("norm", y, ord=1, axis=1, keepdims=True)
    yield operation("norm", y, ord=np.inf, axis=2)
    yield operation("norm", y, ord=3, axis=2)
    yield operation("norm", y, axis=(1, 2))
    yield operation("quantile", (2, 7), _then=[0.3], axis=1)
    yield operation("moments", y, axes=[1])
    yield operation("moments", y, axes=[1, 2], keepdims=True)
    yield operation("normalize", y, axis=1)
    yield operation("normalize", y, axis=2, order=3)
    yield operation("normalize", y, axis=2, order=1)


def cases():
    yield from elementwise()
    yield from slices()
    yield from shapes()
    yield from reductions()
