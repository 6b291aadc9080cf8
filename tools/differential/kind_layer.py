"""A layer's outputs, its inputs' gradients, and its weights after three steps of SGD."""
import keras
import numpy as np
import tensorflow as tf
from keras.src.backend import get_keras_mask, set_keras_mask

from declare import draw, short
from keyed import table
from store import numpy_of, serialized

STEPS, RATE = 3, 0.05


def run(case, rng, record, put):
    inputs = [draw(rng, spec) for spec in case.settings["inputs"]]
    compare(getattr(keras.layers, case.class_name)(**case.arguments), inputs, case.settings, rng, record, put)


def compare(layer, inputs, settings, rng, record, put):
    masks = [draw_mask(rng, m) for m in settings.get("masks") or [None] * len(inputs)]
    forgotten = settings.get("forgotten", {})
    written = serialized(layer, forgotten)
    if adapts := settings.get("adapt") is not None:
        layer.adapt(settings["adapt"])
    named = {name: [draw(rng, s) for s in listed(spec)] for name, spec in settings.get("tensors", {}).items()}
    call = Call(layer, settings, masks, named)
    call(inputs, training=False)  # builds
    if not adapts:
        randomize(layer, rng, settings.get("weights"))
        written = serialized(layer, forgotten)
    record.update(object=written, adapt=put(settings.get("adapt")), training=call.training, inputs=[put(x) for x in inputs],
                  masks=[put(m) for m in masks], options=settings.get("call", {}),
                  tensors={name: [put(x) for x in values] for name, values in named.items()},
                  weights=[{"path": w.path, "array": put(numpy_of(w))} for w in layer.weights])
    record.update(train(call, inputs, rng, put))


def listed(spec):
    return spec if isinstance(spec, list) else [spec]


def draw_mask(rng, spec):
    if isinstance(spec, tuple):
        return rng.uniform(size=spec) < 0.7
    return None if spec is None else np.asarray(spec, bool)


def randomize(layer, rng, given):
    """Nonzero biases, positive variances: an initial state in which every weight matters."""
    for i, weight in enumerate(layer.weights):
        if weight.dtype not in ("float32", "float64", "float16", "bfloat16"):
            continue
        value = short(rng.standard_normal(weight.shape) * 0.5)
        if "variance" in weight.name or "stddev" in weight.name:
            value = np.abs(value) + 0.5
        weight.assign(value if given is None or given[i] is None else given[i])
    if hasattr(layer, "finalize_state"):  # keeps copies
        layer.finalize_state()


class Call:
    """The layer as the case calls it."""

    def __init__(self, layer, settings, masks, named):
        self.layer, self.masks, self.settings = layer, masks, settings
        self.training = settings.get("training", False)
        single = {name: not isinstance(spec, list) for name, spec in settings.get("tensors", {}).items()}
        self.named = {name: tf.constant(v[0]) if single[name] else [tf.constant(x) for x in v]
                      for name, v in named.items()}
        # TensorFlow's own kernels for the CPU support channels_last only.
        compiled = settings.get("compiled", "channels_first" in str(layer.get_config()))
        self.apply = tf.function(layer, jit_compile=True) if compiled else layer

    def __call__(self, inputs, training):
        tensors = [tf.convert_to_tensor(x) for x in inputs]
        for tensor, mask in zip(tensors, self.masks):
            if mask is not None:
                set_keras_mask(tensor, tf.constant(mask))
        keywords = {**self.settings.get("call", {}), **self.named}
        if self.layer._call_has_training_arg:
            keywords["training"] = training
        if keys := self.settings.get("keys"):
            outputs = self.apply(table(keys, tensors), **keywords)
        elif self.settings.get("positional"):
            outputs = self.apply(*tensors, **keywords)
        else:
            outputs = self.apply(tensors if len(tensors) > 1 else tensors[0], **keywords)
        return keras.tree.flatten(outputs)


def train(call, inputs, rng, put):
    optimizer, settings = keras.optimizers.SGD(RATE), call.settings
    tensors = [tf.constant(x) for x in inputs]
    sources = [t for t in tensors if t.dtype.is_floating]
    result = {"rate": RATE}
    for step in range(STEPS):
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = call(tensors, call.training)
            if step == 0:
                outputs = [tf.cast(y, settings["output_dtype"]) for y in outputs] if "output_dtype" in settings else outputs
                floating = [tf.convert_to_tensor(y).dtype.is_floating for y in outputs]
                cotangents = [short(rng.standard_normal(y.shape)).astype(np.float32) if f else None
                              for y, f in zip(outputs, floating)]
            total = sum([tf.reduce_sum(tf.cast(y, tf.float32) * c) for y, c in zip(outputs, cotangents)
                         if c is not None], tf.constant(0.0))
            penalties = [tf.cast(penalty, tf.float32) for penalty in call.layer.losses]
            total = total + sum(penalties, tf.constant(0.0))
        weights = call.layer.trainable_weights
        if step == 0:
            result.update(outputs=[put(numpy_of(y)) for y in outputs],
                          output_masks=[put(numpy_of(get_keras_mask(y))) for y in outputs],
                          cotangents=[put(c) for c in cotangents],
                          penalty=float(sum(penalties, tf.constant(0.0))))
            if not settings.get("gradients", True):
                return result
        gradients = tape.gradient(total, sources + [w.value for w in weights])
        if step == 0:
            by_input = dict(zip([id(t) for t in sources], gradients))
            result["input_gradients"] = [put(numpy_of(dense(by_input.get(id(t))))) for t in tensors]
        pairs = [(g, w) for g, w in zip(gradients[len(sources):], weights) if g is not None]
        if pairs:
            optimizer.apply_gradients(pairs)
    result["weights_after"] = [put(numpy_of(w)) for w in call.layer.weights]
    return result


def dense(gradient):
    return None if gradient is None else tf.convert_to_tensor(gradient)
