"""Twenty full-batch steps of a small network with each optimizer."""
import keras
import numpy as np
import tensorflow as tf

import conditioning
from optimizer_cases import CASES
from store import Group, numpy_of

STEPS = 20
LAYERS = [{"class_name": "Dense", "config": {"units": 8, "activation": "tanh"}},
          {"class_name": "Dense", "config": {"units": 3}}]


def make():
    group = Group()
    rng = np.random.default_rng(4)
    x = rng.standard_normal((24, 6)).astype(np.float32)
    y = np.argmax(x[:, :3] + 0.3 * x[:, 3:], axis=1).astype(np.int32)
    shapes = [(6, 8), (8,), (8, 3), (3,)]
    initial = [(rng.standard_normal(shape) * 0.4).astype(np.float32) for shape in shapes]
    group.extra["model"] = {
        "layers": LAYERS, "x": group.put("x", x), "y": group.put("y", y),
        "initial_weights": [group.put(f"initial{i}", value) for i, value in enumerate(initial)],
        "loss": {"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": True}},
    }
    for name, config in CASES:
        losses, final = train(name, config, x, y, initial, "float32")
        conditioning.check(f"{name} {config}", final, train(name, config, x, y, initial, "float64")[1])
        case = group.case(name, config)
        case.set(losses=case.put("losses", np.array(losses, np.float32)),
                 final_weights=case.put_all("final", final))
    return group


def optimizer_of(class_name, config):
    config = dict(config)
    rate = config.get("learning_rate")
    if isinstance(rate, dict):
        config["learning_rate"] = getattr(keras.optimizers.schedules, rate["class_name"])(**rate["config"])
    return getattr(keras.optimizers, class_name)(**config)


def train(name, config, x, y, initial, dtype):
    """The loss before each step, and the weights after the last, or their averages with use_ema."""
    model = keras.Sequential([keras.Input((6,))] + [
        getattr(keras.layers, layer["class_name"])(**layer["config"], dtype=dtype) for layer in LAYERS])
    model.set_weights(initial)
    optimizer = optimizer_of(name, config)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, dtype=dtype)
    losses = []
    for _ in range(STEPS):
        with tf.GradientTape() as tape:
            value = loss(y, model(x.astype(dtype), training=True))
        optimizer.apply(tape.gradient(value, [w.value for w in model.trainable_weights]), model.trainable_weights)
        losses.append(float(value))
    optimizer.finalize_variable_values(model.trainable_weights)  # what fit does at its end
    return losses, [numpy_of(w) for w in model.weights]
