"""The models that are compared: what people build, each optimizer, each kind of layer."""
import networks
import small
import sequences
import texts
import wirings

MODELS = {**small.MODELS, **wirings.MODELS, **sequences.MODELS, **texts.MODELS, **networks.MODELS}

# Keras on JAX sums the gradients of a word that occurs twice before it squares them, on TensorFlow it does not; on
# TensorFlow it keeps float64 where JAX uses float32, and moving averages, which JAX treats as deleted.
# Only TensorFlow has tensors of strings.
ON_TENSORFLOW = ["optimizer_moving_average", *texts.MODELS,
                 *(name for name in networks.MODELS if name != "bert_encoder")]


def names_for(backend):
    return [name for name in MODELS if (name in ON_TENSORFLOW) == (backend == "tensorflow")]
