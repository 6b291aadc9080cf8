"""Files of each optimizer, alone and inside a LossScaleOptimizer, saved after compile and after steps, and how Keras continues."""
import keras
import numpy as np
import tensorflow as tf
from group_files import file_of
from keras import layers, optimizers
from keras.optimizers import schedules

from store import Group, numpy_of

SAMPLES, BATCH, FEATURES = 12, 4, 3


def make():
    tf.config.run_functions_eagerly(True)  # a hundred models of few steps: tracing would take most of the time
    group = Group()
    rng = np.random.default_rng(7)
    data = [rng.standard_normal((SAMPLES, width)).astype("float32") for width in (FEATURES, 1)]
    for name, make_optimizer in OPTIMIZERS.items():
        for inside in (False, True):
            for epochs in (0, 1):
                optimizer = make_optimizer()
                model = stack()
                model.compile(optimizers.LossScaleOptimizer(optimizer, initial_scale=64.0) if inside else optimizer, "mse")
                add_case(group, label(name, inside, epochs), model, data, epochs)
    for name, build in MIXED.items():
        for epochs in (0, 1):
            keras.config.set_dtype_policy("mixed_float16")
            model = build()
            model.compile(optimizers.Adam(0.01), "mse")
            add_case(group, label(name, False, epochs), model, data, epochs, tolerance=5e-3)
            keras.config.set_dtype_policy("float32")
    return group


def label(name, inside, epochs):
    return "_".join([name, *["inside"] * inside, "with_steps" if epochs else "fresh"])


def add_case(group, name, model, data, epochs, tolerance=5e-5):
    x, y = data
    rng = np.random.default_rng(8)
    model.set_weights([rng.standard_normal(value.shape).astype(value.dtype) for value in model.get_weights()])
    if epochs:
        train(model, x, y)
    case = group.case(name, {})
    case.set(id=name, tolerance=tolerance, file=case.put("file", file_of(model, ".keras")), x=case.put("x", x), y=case.put("y", y))
    loss = train(model, x, y)
    case.set(loss=loss, weights=case.put_all("weights", model.get_weights()),
             state=case.put_all("state", [numpy_of(variable) for variable in model.optimizer.variables]))


def train(model, x, y):
    return model.fit(x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=0).history["loss"][0]


def stack():
    return keras.Sequential([layers.Input((FEATURES,)), layers.Dense(2), layers.Dense(1)])


def functional(last=None):
    x = layers.Input((FEATURES,))
    return keras.Model(x, layers.Dense(1, dtype=last)(layers.Dense(2)(x)))


MIXED = {
    "mixed_sequential": stack,
    "mixed_functional": functional,
    "mixed_functional_float32_output": lambda: functional("float32"),
}

# ScheduleFreeAdamW is not among them: on TensorFlow its rule is not Keras's.
OPTIMIZERS = {
    "sgd": lambda: optimizers.SGD(0.05),
    "sgd_momentum": lambda: optimizers.SGD(0.05, momentum=0.9, nesterov=True),
    "sgd_weight_decay": lambda: optimizers.SGD(0.05, weight_decay=0.1, clipnorm=0.5),
    "sgd_scheduled": lambda: optimizers.SGD(schedules.ExponentialDecay(0.1, 2, 0.5)),
    "sgd_accumulating": lambda: optimizers.SGD(0.05, gradient_accumulation_steps=2),
    "sgd_averaging": lambda: optimizers.SGD(0.05, use_ema=True, ema_momentum=0.9),
    "adam": lambda: optimizers.Adam(0.01),
    "adam_scheduled": lambda: optimizers.Adam(schedules.CosineDecay(0.1, 20)),
    "adam_everything": lambda: optimizers.Adam(0.01, amsgrad=True, use_ema=True, gradient_accumulation_steps=2),
    "adamw": lambda: optimizers.AdamW(0.01, weight_decay=0.1),
    "adadelta": lambda: optimizers.Adadelta(0.5),
    "adafactor": lambda: optimizers.Adafactor(0.01),
    "adagrad": lambda: optimizers.Adagrad(0.05),
    "adamax": lambda: optimizers.Adamax(0.01),
    "ftrl": lambda: optimizers.Ftrl(0.05),
    "lamb": lambda: optimizers.Lamb(0.01),
    "lion": lambda: optimizers.Lion(0.01),
    "muon": lambda: optimizers.Muon(0.01),
    "nadam": lambda: optimizers.Nadam(0.01),
    "nadam_accumulating": lambda: optimizers.Nadam(0.01, gradient_accumulation_steps=2),
    "rmsprop": lambda: optimizers.RMSprop(0.01),
    "rmsprop_centered": lambda: optimizers.RMSprop(0.01, momentum=0.5, centered=True),
}
