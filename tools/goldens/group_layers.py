"""Forward value, gradients and changed state of single layers."""
import keras
import numpy as np
import tensorflow as tf

from layer_cases import CASES
from store import Group, numpy_of


def make():
    group = Group()
    for index, (class_name, config, inputs, training) in enumerate(CASES):
        add_case(group.case(class_name, config), np.random.default_rng(1000 + index), inputs, training)
    return group


def draw(rng, spec):
    """An input from its description: a shape, or ("uint8", shape)."""
    if spec[0] == "uint8":
        return rng.integers(0, 256, spec[1], dtype=np.uint8)
    return (rng.standard_normal(spec) * 1.5).astype(np.float32)


def randomize(layer, rng):
    """Nonzero biases, positive variances: an initial state in which every weight matters."""
    for weight in layer.weights:
        value = rng.standard_normal(weight.shape) * 0.5
        weight.assign(np.abs(value) + 0.5 if weight.name == "moving_variance" else value)


def add_case(case, rng, specs, training):
    config = case.fields["config"]
    layer = getattr(keras.layers, case.fields["class_name"])(**config)
    inputs = [draw(rng, spec) for spec in specs]
    tensors = [tf.constant(value) for value in inputs]
    argument = tensors if len(tensors) > 1 else tensors[0]
    cotangent = rng.standard_normal(layer(argument).shape).astype(np.float32)  # the call also builds
    randomize(layer, rng)
    before = [numpy_of(w) for w in layer.weights]

    differentiable = [t for t in tensors if t.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(differentiable)
        output = layer(argument, training=training)
        total = tf.reduce_sum(output * cotangent)
    wanted = differentiable + [w.value for w in layer.trainable_weights]
    gradients = dict(zip([id(t) for t in differentiable] + [id(w) for w in layer.trainable_weights],
                         tape.gradient(total, wanted)))

    case.set(
        training=training,
        inputs=case.put_all("in", inputs),
        weights=[{"name": w.name, "array": case.put(w.name, value)} for w, value in zip(layer.weights, before)],
        output=case.put("out", numpy_of(output)),
        cotangent=case.put("cotangent", cotangent),
        input_grads=case.put_all("din", [numpy_of(gradients.get(id(t))) for t in tensors]),
        weight_grads=case.put_all("dw", [numpy_of(gradients.get(id(w))) for w in layer.weights]),
    )
    after = [numpy_of(w) for w in layer.weights]
    if any((a != b).any() for a, b in zip(after, before)):
        case.set(weights_after=case.put_all("after", after))
