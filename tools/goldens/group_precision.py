"""Mixed precision: forward, gradients and a few steps of small networks; how a loss scale changes."""
import keras
import numpy as np
import tensorflow as tf

from group_fit import initial_weights, make_layer
from fit_cases import layer
from store import Group, numpy_of

STEPS = 5
POLICIES = ["mixed_bfloat16", "mixed_float16", "float16", "bfloat16"]


def dense():
    return [layer("InputLayer", "input", shape=[12]),
            layer("Dense", "first", units=16, activation="relu"),
            layer("Dense", "second", units=8, activation="tanh"),
            layer("Dense", "last", units=4, activation="softmax")]


def conv():
    return [layer("InputLayer", "input", shape=[8, 8, 2]),
            layer("Conv2D", "wide", filters=4, kernel_size=3, activation="relu"),
            layer("MaxPooling2D", "pool", pool_size=2),
            layer("BatchNormalization", "norm"),
            layer("Conv2D", "narrow", filters=6, kernel_size=2, padding="same"),
            layer("Flatten", "flat"),
            layer("Dense", "last", units=4, dtype="float32", activation="softmax")]


def make():
    group = Group()
    rng = np.random.default_rng(11)
    for policy in POLICIES:
        for name, layers in (("dense", dense()), ("conv", conv())):
            if policy.startswith("mixed") or name == "dense":
                add_network(group, policy, name, layers, rng)
    for chosen in ({"class_name": "SGD", "config": {"learning_rate": 0.5, "momentum": 0.9}},
                   {"class_name": "Adam", "config": {"learning_rate": 0.1}}):
        add_scale(group, chosen, initial_scale=1024.0, dynamic_growth_steps=3, gradients=[
            1, -2, 0.5, np.inf, 1, np.nan, -np.inf, 2, 1, 1, 0.25, -1, -1, np.nan, 3, 1])
    return group


def add_network(group, policy, name, layers, rng):
    shape = (32, *layers[0]["config"]["shape"])
    x = rng.standard_normal(shape).astype(np.float32)
    y = np.argmax(x.reshape(32, -1)[:, :4] + 0.3 * x.reshape(32, -1)[:, 4:8], axis=1).astype(np.int32)
    keras.config.set_dtype_policy(policy)
    try:
        model = keras.Sequential([make_layer(entry) for entry in layers])
        initial = [value.astype(np.float32) for value in initial_weights(model, rng)]
        model.set_weights(initial)
        output, loss, gradients = differentiate(model, x, y)
        model.set_weights(initial)
        model.compile(keras.optimizers.SGD(0.1, momentum=0.5), "sparse_categorical_crossentropy", metrics=["accuracy"])
        history = model.fit(x, y, batch_size=32, epochs=STEPS, shuffle=False, verbose=0).history
    finally:
        keras.config.set_dtype_policy("float32")
    case = group.case("Sequential", {"policy": policy, "network": name})
    case.set(layers=layers, x=case.put("x", x), y=case.put("y", y), initial_weights=case.put_all("initial", initial),
             output=case.put("output", output), output_dtype=keras.backend.standardize_dtype(model.outputs[0].dtype),
             loss=loss, gradients=case.put_all("gradient", gradients), history=history,
             final_weights=case.put_all("final", [np.float32(w) for w in model.get_weights()]),
             weight_dtypes=[keras.backend.standardize_dtype(w.dtype) for w in model.weights],
             optimizer=type(model.optimizer).__name__)


def differentiate(model, x, y):
    """Without loss scaling, whose rounding is not compared."""
    with tf.GradientTape() as tape:
        output = model(x, training=True)
        loss = keras.losses.SparseCategoricalCrossentropy()(y, output)
    gradients = tape.gradient(loss, [w.value for w in model.trainable_weights])
    return numpy_of(tf.cast(output, tf.float32)), float(loss), [numpy_of(tf.cast(g, tf.float32)) for g in gradients]


def add_scale(group, inner, initial_scale, dynamic_growth_steps, gradients):
    optimizer = keras.optimizers.LossScaleOptimizer(
        getattr(keras.optimizers, inner["class_name"])(**inner["config"]), initial_scale=initial_scale,
        dynamic_growth_steps=dynamic_growth_steps)
    variable = keras.Variable(np.array([1.0, -2.0], np.float32))
    optimizer.build([variable])
    states = []
    for gradient in gradients:
        scaled = np.array([gradient, 0.5], np.float32) * float(optimizer.dynamic_scale)
        optimizer.apply([tf.constant(scaled)], [variable])
        states.append([float(optimizer.dynamic_scale), int(optimizer.step_counter), int(optimizer.iterations),
                       *map(float, numpy_of(variable.value))])
    case = group.case("LossScaleOptimizer", {"inner_optimizer": inner, "initial_scale": initial_scale,
                                             "dynamic_growth_steps": dynamic_growth_steps})
    # JSON has no infinities: 1e39 and -1e39 overflow float32, null stands for NaN.
    case.set(gradients=[None if np.isnan(g) else float(np.clip(g, -1e39, 1e39)) for g in gradients],
             states=case.put("states", np.array(states)))
