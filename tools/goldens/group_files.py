"""Files that real Keras saved, with its predictions and how its training continues from them."""
import tempfile
from pathlib import Path

import keras
import numpy as np
from keras import layers, optimizers

from store import Group

SAMPLES = 24


def make():
    group = Group()
    for number, (name, build) in enumerate(MODELS.items()):
        add_case(group, name, *build(), np.random.default_rng(90 + number))
    return group


def add_case(group, name, model, extension, epochs_before, rng):
    model.set_weights([value + 0.1 * rng.standard_normal(value.shape).astype(value.dtype)
                       for value in model.get_weights()])
    x = [rng.standard_normal((SAMPLES, *tensor.shape[1:])).astype("float32") for tensor in model.inputs]
    y = [rng.standard_normal((SAMPLES, *tensor.shape[1:])).astype("float32") for tensor in model.outputs]
    if model.compiled:
        train(model, x, y, epochs_before)
    case = group.case(name, {})
    case.set(id=name, extension=extension, file=case.put("file", file_of(model, extension)),
             x=case.put_all("x", x), y=case.put_all("y", y),
             weights=case.put_all("weights", model.get_weights()),
             predictions=case.put_all("predictions", as_list(model.predict(x, verbose=0))))
    if model.compiled:
        history = train(model, x, y, 2)
        case.set(history=history, final_weights=case.put_all("final", model.get_weights()))


def train(model, x, y, epochs):
    return model.fit(x, y, batch_size=8, epochs=epochs, shuffle=False, verbose=0).history


def file_of(model, extension):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{extension}"
        (model.save_weights if extension == ".weights.h5" else model.save)(path)
        return np.frombuffer(path.read_bytes(), np.uint8)


def as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def stack():
    return keras.Sequential([layers.Input((5,)), layers.Dense(4, activation="relu", name="first"),
                             layers.BatchNormalization(), layers.Dense(2)])


def compiled(model, optimizer="adam", loss="mse", **settings):
    model.compile(optimizer, loss, **settings)
    return model


def wired():
    """Two inputs, two outputs, a layer used twice, a nested model."""
    a, b = layers.Input((3,), name="a"), layers.Input((3,), name="b")
    shared = layers.Dense(4, activation="tanh", name="shared")
    inside = keras.Sequential([layers.Input((4,)), layers.Dense(2)], name="inside")
    sum_, product = layers.Add()([shared(a), shared(b)]), layers.Multiply()([shared(a), shared(b)])
    return keras.Model([a, b], [layers.Dense(1, name="value")(product), inside(sum_)])


def scheduled():
    return optimizers.SGD(optimizers.schedules.ExponentialDecay(0.1, 2, 0.5), momentum=0.9)


def by_name():
    return compiled(wired(), scheduled(), {"value": "mae", "inside": keras.losses.Huber()},
                    loss_weights={"value": 2.0, "inside": 0.5}, metrics={"value": ["mse"]},
                    weighted_metrics=[None, ["mae"]])


def scaled():
    return compiled(stack(), optimizers.LossScaleOptimizer(optimizers.Adam(), initial_scale=64.0))


# name: the model, compiled or not; how it is saved; epochs that it was trained before
MODELS = {
    "sequential": lambda: (compiled(stack(), metrics=["mae"]), ".keras", 2),
    "saved_after_compile": lambda: (compiled(stack()), ".keras", 0),
    "not_compiled": lambda: (stack(), ".keras", 0),
    "functional": lambda: (by_name(), ".keras", 1),
    "loss_scale": lambda: (scaled(), ".keras", 1),
    "legacy_sequential": lambda: (compiled(stack(), metrics=["mae"]), ".h5", 1),
    "legacy_functional": lambda: (compiled(wired(), "rmsprop", ["mse", "mae"]), ".h5", 1),
    "weights": lambda: (compiled(stack()), ".weights.h5", 1),
}
