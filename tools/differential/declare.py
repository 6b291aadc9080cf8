"""Functions that declare the cases of a family: one per kind, Keras's arguments as keywords, our own with an underscore.

An input is a shape (float32, normal), one of the functions below, or an array.
"""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Case:
    kind: str
    class_name: str
    arguments: dict
    settings: dict = field(default_factory=dict)


def split(keywords):
    """Keras's arguments, and ours without their underscore."""
    theirs = {key: value for key, value in keywords.items() if not key.startswith("_")}
    ours = {key[1:]: value for key, value in keywords.items() if key.startswith("_")}
    return theirs, ours


def layer(class_name, *inputs, **keywords):
    """_training, _keys (call({key: input, …}), sorted; "a/b": {"a": {"b": …}}), _forgotten (arguments that Keras's config
    leaves out), _masks (one per input: a bool array, a shape or None), _positional (call(a, b) instead of
    call([a, b])), _call (literal keyword arguments), _tensors (keyword arguments that are tensors, one or a list),
    _weights (given instead of drawn), _adapt (data that the layer adapts to first), _output_dtype (where TensorFlow gives
    another one than Keras says), _gradients=False where Keras has none."""
    arguments, ours = split(keywords)
    return Case("layer", class_name, arguments, {"inputs": list(inputs), **ours})


def operation(name, *inputs, **keywords):
    """A model of keras.ops.<name>(inputs …, **arguments); _listed: the inputs as one list, _then: positional arguments behind
    them, _first: before them, _fixed_batch: the inputs say how many samples they take. "getitem" is inputs[_key]."""
    arguments, ours = split(keywords)
    return Case("operation", name, arguments, {"inputs": list(inputs), **ours})


def loss(class_name, y_true, y_pred, _sample_weight=None, **arguments):
    return Case("loss", class_name, arguments, {"y_true": y_true, "y_pred": y_pred, "sample_weight": _sample_weight})


def metric(class_name, *updates, **arguments):
    """Each update is what update_state takes: (y_true, y_pred), (y_true, y_pred, sample_weight), (values,)."""
    return Case("metric", class_name, arguments, {"updates": updates})


def optimizer(class_name, **keywords):
    """_steps of gradients (default 20) for a matrix, a vector and a kernel of rank 4."""
    arguments, ours = split(keywords)
    return Case("optimizer", class_name, arguments, ours)


def schedule(class_name, _steps=(0, 1, 2, 5, 9, 10, 11, 20, 50, 99, 100, 101, 250), **arguments):
    return Case("schedule", class_name, arguments, {"steps": _steps})


def activation(name, x):
    return Case("activation", name, {}, {"x": x})


def regularizer(class_name, x, **arguments):
    return Case("regularizer", class_name, arguments, {"x": x})


def constraint(class_name, x, **arguments):
    return Case("constraint", class_name, arguments, {"x": x})


def affine(images, rows, **arguments):
    """keras.ops.image.affine_transform; one row of six numbers for each image."""
    return Case("affine", "affine_transform", arguments, {"images": images, "rows": rows})


def initializer(class_name, shape, **keywords):
    """_random: only the distribution is compared."""
    arguments, ours = split(keywords)
    return Case("initializer", class_name, arguments, {"shape": shape, **ours})


# Inputs.

@dataclass
class Drawn:
    shape: tuple
    make: object

    def draw(self, rng):
        return self.make(rng, self.shape)


def integers(shape, low, high, dtype="int32"):
    return Drawn(shape, lambda rng, s: rng.integers(low, high, s).astype(dtype))


def uniform(shape, low=0.0, high=1.0, dtype="float32"):
    return Drawn(shape, lambda rng, s: short(rng.uniform(low, high, s)).astype(dtype))


def normal(shape, scale=1.0, dtype="float32"):
    return Drawn(shape, lambda rng, s: short(rng.standard_normal(s) * scale).astype(dtype))


def booleans(shape, share=0.5):
    return Drawn(shape, lambda rng, s: rng.uniform(size=s) < share)


def probabilities(shape):
    """Rows that sum to one."""
    def make(rng, s):
        powers = np.exp(rng.standard_normal(s))
        return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)
    return Drawn(shape, make)


def one_hot(shape):
    return Drawn(shape, lambda rng, s: np.eye(s[-1], dtype=np.float32)[rng.integers(0, s[-1], s[:-1])])


def short(values):
    """Twelve fractional bits: files stay small, and the numbers are exact in float32."""
    return np.round(np.asarray(values) * 4096) / 4096


def draw(rng, spec):
    if spec is None:
        return None
    if hasattr(spec, "draw"):
        return spec.draw(rng)
    if isinstance(spec, tuple):
        return normal(spec, 1.5).draw(rng)
    return np.asarray(spec)
