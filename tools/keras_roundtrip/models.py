"""The models that are compared: what people build, each optimizer, each kind of layer."""
import networks
import small
import sequences
import wirings

MODELS = {**small.MODELS, **wirings.MODELS, **sequences.MODELS, **networks.MODELS}
