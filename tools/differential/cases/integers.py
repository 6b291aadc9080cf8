"""Integers and bools where most models have floats: Keras promotes them op by op, and no fraction may be lost.

What TensorFlow refuses and JAX takes (softmax, gelu, PReLU … of integers) is in src/nn/integers_test.cpp."""
import numpy as np

from declare import booleans, integers, layer, operation


def whole(shape, dtype="int32"):
    if dtype == "bool":
        return booleans(shape)
    return integers(shape, 0 if dtype == "uint8" else -4, 7, dtype)


V, S, I = (3, 6), (2, 5, 4), (2, 6, 6, 3)

WEIGHTED = [("Dense", S, dict(units=3, activation="relu")),
            ("EinsumDense", S, dict(equation="abc,cd->abd", output_shape=[None, 3], bias_axes="d")),
            ("LSTM", S, dict(units=3)),
            ("GRU", S, dict(units=3)),
            ("SimpleRNN", S, dict(units=3, return_sequences=True)),
            ("BatchNormalization", S, dict()),
            ("LayerNormalization", S, dict()),
            ("RMSNormalization", S, dict()),
            ("GroupNormalization", S, dict(groups=2)),
            ("Normalization", V, dict(mean=1.5, variance=2.0))]

PLAIN = [("GlobalAveragePooling1D", S, dict()),
         ("GlobalAveragePooling2D", I, dict()),
         ("GlobalMaxPooling2D", I, dict()),
         ("LeakyReLU", V, dict(negative_slope=0.3)),
         ("Rescaling", V, dict(scale=0.25, offset=0.5)),
         ("Flatten", S, dict()),
         ("RepeatVector", V, dict(n=2)),
         ("ZeroPadding1D", S, dict(padding=1)),
         ("UpSampling1D", S, dict(size=2))]

MERGES = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"]

# Operations by their arguments; all of them on integers, some of them on bools as well.
REDUCED = ["mean", "sum", "var", "std", "max", "min", "prod", "ptp", "median", "cumsum", "average"]
ONE = ["exp", "sin", "tanh", "relu", "leaky_relu", "square", "absolute", "negative", "sign", "floor", "round", "logical_not", "isfinite"]
TWO = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "mod", "floor_divide", "arctan2", "hypot", "equal", "greater", "less_equal",
       "logical_and", "logical_or", "logical_xor", "matmul", "outer"]


def layers():
    for dtype in ["int32", "uint8", "bool"]:
        for name, shape, arguments in WEIGHTED + PLAIN:
            if dtype != "int32" and name in ("UpSampling1D", "ZeroPadding1D", "RepeatVector", "Flatten"):
                continue
            if dtype == "bool" and name == "LeakyReLU":  # TensorFlow refuses it
                continue
            if dtype == "uint8" and name in ("LayerNormalization", "RMSNormalization", "GroupNormalization"):  # of negative numbers: anything
                continue
            yield layer(name, whole(shape, dtype), **arguments)
        yield layer("MultiHeadAttention", whole(S, dtype), whole(S, dtype), num_heads=2, key_dim=3, _positional=True, _gradients=False)
    for name in MERGES:
        dtype = {"_output_dtype": "float32"} if name == "Average" else {}
        yield layer(name, whole(S), whole(S), **dtype)
        yield layer(name, whole(S), S)
        yield layer(name, whole(S, "uint8"), whole(S), **dtype)
    for dtype in ["int32", "uint8"]:
        yield layer("Dot", whole(S, dtype), S, axes=-1)
        yield layer("Attention", whole(S, dtype), S)


def operations():
    for name in REDUCED:
        yield operation(name, whole(S), axis=1)
    for name in ["mean", "sum", "var", "std", "count_nonzero", "any"]:
        yield operation(name, whole(S, "bool"), axis=1)
    yield operation("mean", whole(S, "uint8"))
    for name in ONE:
        yield operation(name, whole(V))
    for name in ["exp", "square"]:
        yield operation(name, whole(V, "bool"))
    for name in TWO:
        yield operation(name, whole((3, 3)), integers((3, 3), 1, 5), _fixed_batch=True)
        yield operation(name, whole((3, 3)), (3, 3), _fixed_batch=True)
    for name in ["add", "multiply", "divide", "maximum", "equal"]:
        yield operation(name, whole(V, "bool"), integers(V, 1, 5))
        yield operation(name, whole(V, "uint8"), integers(V, 1, 5))
    yield operation("add", whole(V), _then=[0.5])
    yield operation("multiply", whole(V), _then=[2])
    yield operation("multiply", whole(V, "bool"), _then=[2])
    yield operation("power", whole(V), _then=[2])
    yield operation("concatenate", whole(S), S, axis=2, _listed=True)
    yield operation("stack", whole(S), S, axis=1, _listed=True)
    yield operation("einsum", whole(S), (2, 4, 3), _first=["abc,acd->abd"])
    yield operation("where", whole(V), whole(V), V)
    yield operation("where", whole(V, "bool"), _then=[1.5, 0.0])
    yield operation("where", whole(V, "bool"), _then=[1, 0])
    yield operation("where", whole(V, "bool"), _then=[2.5, 1])
    yield operation("clip", whole(V), x_min=-1, x_max=2)
    yield operation("one_hot", whole(V, "uint8"), num_classes=7, axis=1)
    yield operation("image.resize", integers((2, 4, 4, 3), 0, 255, "uint8"), size=(8, 8))  # ties are exact


def others():
    """Arguments in addition to the usual ones."""
    yield operation("one_hot", integers((3, 2), 0, 5), num_classes=5, axis=1)
    yield operation("multi_hot", integers((3, 4), 0, 5), num_classes=5, axis=-1)
    yield operation("take", (3, 6), _then=[[[0, 2], [5, 1]]], axis=1)
    yield operation("take", (3, 6), _then=[np.array([[0, 2, 1], [5, 1, -1]], "int32")], axis=1)
    yield operation("einsum", (3, 4), (4, 5), _first=["ij,jk"], _fixed_batch=True)
    yield operation("einsum", (3, 4, 4), _first=["bii"])
    yield operation("max", (3, 6), axis=1, initial=0.75)
    yield operation("min", (3, 6), axis=1, keepdims=True, initial=-0.25)
    yield operation("max", integers((3, 6), -4, 7), axis=1, initial=3)
    yield operation("convert_to_tensor", (3, 4))
    yield operation("convert_to_tensor", integers((3, 4), 0, 5), dtype="float32")


def cases():
    yield from layers()
    yield from operations()
    yield from others()
