"""Every activation by its name."""
from itertools import product

from declare import activation

NAMES = ["celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
         "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu",
         "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus",
         "swish", "tanh", "tanh_shrink"]


def cases():
    for name, shape in product(NAMES, [(4, 8), (2, 3, 6)]):
        yield activation(name, shape)
