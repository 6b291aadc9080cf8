"""Loss values and gradients with respect to y_pred (of the sum, where the reduction leaves several values)."""
from itertools import product

import keras
import numpy as np
import tensorflow as tf

from store import Group, numpy_of

REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"]
SHAPES = [(6, 4), (3, 5, 4)]
CROSS_ENTROPIES = ["SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy"]


def make():
    group = Group()
    rng = np.random.default_rng(2)
    for name in CROSS_ENTROPIES:
        cross_entropy_cases(group, rng, name)
    hard_probability_cases(group, rng)
    for name, configs in {"MeanSquaredError": [{}], "MeanAbsoluteError": [{}], "Huber": [{}, {"delta": 0.4}]}.items():
        regression_cases(group, rng, name, configs)
    return group


def labels(rng, name, shape):
    if name == "BinaryCrossentropy":
        return rng.integers(0, 2, shape).astype(np.float32)
    classes = rng.integers(0, shape[-1], shape[:-1])
    return classes.astype(np.int32) if name.startswith("Sparse") else np.eye(shape[-1], dtype=np.float32)[classes]


def predictions(rng, name, shape, from_logits):
    """Logits, or probabilities given as plain numbers."""
    logits = (rng.standard_normal(shape) * 2).astype(np.float32)
    if from_logits:
        return logits
    if name == "BinaryCrossentropy":
        return 1 / (1 + np.exp(-logits))
    powers = np.exp(logits)
    return powers / powers.sum(-1, keepdims=True)


def weights_for(rng, shape):
    return rng.uniform(0.1, 2.0, shape[:-1]).astype(np.float32)


def cross_entropy_cases(group, rng, name):
    for shape, from_logits in product(SHAPES, [True, False]):
        def case(config, weight=None):
            add_case(group, name, {"from_logits": from_logits, **config}, labels(rng, name, shape),
                     predictions(rng, name, shape, from_logits), weight)

        case({})
        case({}, weights_for(rng, shape))
        case({}, weights_for(rng, shape[:1] + (1, 1)))
        for reduction in REDUCTIONS[1:]:
            case({"reduction": reduction}, weights_for(rng, shape))
        case({"reduction": "none"})
        if not name.startswith("Sparse"):
            case({"label_smoothing": 0.1})
            case({"label_smoothing": 0.3, "reduction": "sum"}, weights_for(rng, shape))


def hard_probability_cases(group, rng):
    """Rows that do not sum to one, probabilities of 0 and 1, an ignored class, large logits."""
    loose = rng.uniform(0.05, 0.9, (6, 4)).astype(np.float32)
    for name in CROSS_ENTROPIES:
        add_case(group, name, {}, labels(rng, name, loose.shape), loose, None)
    certain = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 1]], np.float32)
    for name in CROSS_ENTROPIES:
        add_case(group, name, {}, labels(rng, name, certain.shape), certain, None)
        add_case(group, name, {"from_logits": True}, labels(rng, name, certain.shape), certain * 60 - 30, None)
    truth = np.array([0, 3, 1, 3, 2, 3], np.int32)
    add_case(group, "SparseCategoricalCrossentropy", {"from_logits": True, "ignore_class": 3}, truth,
             rng.standard_normal((6, 4)).astype(np.float32), None)


def regression_cases(group, rng, name, configs):
    for config, shape in product(configs, [(5, 1), (6, 4), (3, 5, 4)]):
        def case(extra, weight=None):
            add_case(group, name, {**config, **extra}, rng.standard_normal(shape).astype(np.float32),
                     rng.standard_normal(shape).astype(np.float32) * 1.5, weight)

        case({})
        case({}, weights_for(rng, shape[:1] + (1, 1)))
        for reduction in REDUCTIONS[1:]:
            case({"reduction": reduction}, weights_for(rng, shape))


def add_case(group, name, config, y_true, y_pred, sample_weight):
    case = group.case(name, config)
    loss = getattr(keras.losses, name)(**config)
    prediction = tf.constant(y_pred.astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(prediction)
        value = loss(y_true, prediction, sample_weight=sample_weight)
        total = tf.reduce_sum(value)
    case.set(
        y_true=case.put("y_true", y_true),
        y_pred=case.put("y_pred", numpy_of(prediction)),
        sample_weight=case.put("sample_weight", sample_weight),
        value=case.put("value", numpy_of(value)),
        grad=case.put("grad", numpy_of(tape.gradient(total, prediction))),
    )
