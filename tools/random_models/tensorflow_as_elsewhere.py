"""Makes Keras on TensorFlow, run eagerly, compute the same as on JAX or when it is compiled; in this process only."""
import tensorflow as tf
from keras import layers, metrics
from keras.optimizers import ScheduleFreeAdamW
from keras.src import backend
from keras.src.trainers.compile_utils import CompileLoss


def dense(gradient):
    """Keras on TensorFlow squares the gradients of a word that occurs twice one by one; on JAX and here their sum."""
    def call(tape, *args, **options):
        return tf.nest.map_structure(lambda g: tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g,
                                     gradient(tape, *args, **options))
    return call


def unweighted(build):
    """The loss of one output among several is a mean over batches in Keras on TensorFlow, as here, unless it runs eagerly."""
    def call(losses, *args):
        build(losses, *args)
        for metric in losses.metrics:
            metric.update_state = lambda value, sample_weight=None, update=metric.update_state: update(value)
    return call


def with_old_momentum(update):
    """Keras keeps `momentum.value` for later, which on TensorFlow is the variable, so that it reads what the step has changed."""
    def call(optimizer, gradient, variable, learning_rate):
        momentum = optimizer._momentums[optimizer._get_variable_index(variable)]
        before, place = tf.identity(momentum.value), tf.identity(variable.value)
        update(optimizer, gradient, variable, learning_rate)
        beta, share = optimizer.beta_1, 1 / tf.cast(optimizer.iterations + 1, place.dtype)
        average = (1 - share) * (place - (1 - beta) * before) / beta + share * momentum.value
        variable.assign((1 - beta) * momentum.value + beta * average)
    return call


def of_one_exactly(softmax):
    """TensorFlow's softmax of a single number may be 1 - 6e-8, which leaves a gradient; on JAX it is 1 and leaves none."""
    def call(logits, axis=-1, **options):
        return logits * 0 + 1 if logits.shape[axis] == 1 else softmax(logits, axis, **options)
    return call


def within_range(cast):
    """A float that an integer's dtype cannot hold becomes the nearest that it can, as on JAX and here; TensorFlow drops bits."""
    def call(x, dtype, name=None):
        to = tf.as_dtype(dtype)
        floating = tf.is_tensor(x) and tf.as_dtype(x.dtype).is_floating
        if floating and to == tf.uint32 and tf.executing_eagerly() and tf.reduce_any(x <= -1):
            raise NotImplementedError("a negative number as uint32, which is int32 in Stoker")
        return tf.saturate_cast(x, to, name) if floating and to.is_integer else cast(x, dtype, name)
    return call


def in_steps_order(rnn):
    """Unrolled and backwards, zero_output_for_mask reads the mask in the wrong direction."""
    def call(step, inputs, states, go_backwards=False, mask=None, time_major=False, **options):
        if options.get("unroll") and go_backwards and mask is not None:
            axis = [0 if time_major else 1]
            inputs, mask = tf.nest.map_structure(lambda x: tf.reverse(x, axis), (inputs, mask))
            go_backwards = False
        return rnn(step, inputs, states, go_backwards=go_backwards, mask=mask, time_major=time_major, **options)
    return call


def kept(result):
    """An eager metric of several thresholds returns its variable, so that the history of an epoch is what validation leaves in it."""
    return lambda metric: tf.identity(result(metric))


def nothing_of_nothing(pool):
    """The gradient of windows that do not fit in once, which AdaptiveMaxPooling computes without using it, is uninitialised memory."""
    def call(*args, **options):
        made = pool(*args, **options)
        return tf.stop_gradient(made) if 0 in made.shape else made
    return call


def as_declared(call):
    """Keras declares a lookup's encoded output as float32 but computes integers, which a later normalisation casts back to."""
    def encode(layer, *args, **options):
        made = call(layer, *args, **options)
        return tf.cast(made, "float32") if layer.output_mode in ("one_hot", "multi_hot", "count") and tf.is_tensor(made) else made
    return encode


def broadcast_add(x1, x2):
    """Keras adds a bias (2, 1) along the second axis of x1 where that has 2, too, as BiasAdd does; on JAX it broadcasts as always."""
    dtype = backend.result_type(*(getattr(x, "dtype", type(x)) for x in (x1, x2)))
    return tf.add(backend.convert_to_tensor(x1, dtype), backend.convert_to_tensor(x2, dtype))


tf.GradientTape.gradient = dense(tf.GradientTape.gradient)
backend.numpy.add = broadcast_add
CompileLoss.build = unweighted(CompileLoss.build)
for lookup in (layers.StringLookup, layers.IntegerLookup, layers.TextVectorization):
    lookup.call = as_declared(lookup.call)
for count in (metrics.FalseNegatives, metrics.FalsePositives, metrics.TrueNegatives, metrics.TruePositives):
    count.result = kept(count.result)
backend.rnn = in_steps_order(backend.rnn)
tf.cast = within_range(tf.cast)
tf.nn.pool = nothing_of_nothing(tf.nn.pool)
tf.nn.softmax = of_one_exactly(tf.nn.softmax)
ScheduleFreeAdamW.update_step = with_old_momentum(ScheduleFreeAdamW.update_step)
