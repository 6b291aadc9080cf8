"""The layer cases: (class_name, config, inputs, training)."""
from itertools import product

ACTIVATIONS = ["relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "swish", "mish", "softplus", "softsign",
               "sigmoid", "hard_sigmoid", "hard_silu", "tanh", "exponential", "linear", "softmax", "log_softmax"]

CASES = []


def add(class_name, *inputs, training=False, **config):
    CASES.append((class_name, config, list(inputs), training))


def dense():
    add("Dense", (4, 5), units=3)
    add("Dense", (4, 5), units=3, use_bias=False)
    add("Dense", (1, 7), units=1)
    add("Dense", (2, 3, 5), units=4)
    add("Dense", (2, 3, 5), units=4, use_bias=False, activation="tanh")
    add("Dense", (2, 3, 2, 5), units=4)
    for activation in ["relu", "softmax", "sigmoid", "gelu"]:
        add("Dense", (5, 6), units=4, activation=activation)
    add("Dense", (2, 3, 6), units=4, activation="softmax")
    add("Dense", (33, 17), units=19, activation="relu")


def activations():
    for name in ACTIVATIONS:
        add("Activation", (4, 9), activation=name)
    for name in ["relu", "softmax", "log_softmax"]:
        add("Activation", (2, 3, 5), activation=name)


def shapes():
    for shape in [(3, 4), (2, 3, 4), (2, 3, 2, 4), (3,)]:
        add("Flatten", shape)
    add("Reshape", (2, 12), target_shape=[3, 4])
    add("Reshape", (2, 12), target_shape=[-1, 3])
    add("Reshape", (2, 3, 4), target_shape=[-1])
    add("Reshape", (2, 3, 4), target_shape=[2, -1, 3])
    add("Permute", (2, 3, 4), dims=[2, 1])
    add("Permute", (2, 3, 4, 5), dims=[3, 1, 2])
    add("Permute", (2, 3, 4, 5), dims=[1, 3, 2])
    add("ZeroPadding2D", (2, 3, 4, 2), padding=1)
    add("ZeroPadding2D", (2, 3, 4, 2), padding=[2, 1])
    add("ZeroPadding2D", (2, 3, 4, 2), padding=[[1, 0], [2, 3]])
    add("ZeroPadding2D", (1, 2, 2, 3))


def convolutions():
    for padding, strides, shape in product(["valid", "same"], [1, 2], [(2, 7, 6, 3), (1, 8, 9, 1)]):
        add("Conv2D", shape, filters=4, kernel_size=3, padding=padding, strides=strides)
    for padding in ["valid", "same"]:
        add("Conv2D", (2, 6, 5, 8), filters=5, kernel_size=1, padding=padding)
        add("Conv2D", (1, 9, 8, 3), filters=4, kernel_size=5, padding=padding)
        add("Conv2D", (1, 9, 8, 3), filters=3, kernel_size=3, dilation_rate=2, padding=padding)
        add("Conv2D", (2, 5, 6, 8), filters=4, kernel_size=3, groups=2, padding=padding)
        add("Conv2D", (2, 7, 5, 2), filters=3, kernel_size=[2, 3], strides=[2, 1], padding=padding)
        add("Conv2D", (1, 6, 7, 2), filters=3, kernel_size=[4, 2], padding=padding)
    add("Conv2D", (2, 6, 6, 8), filters=3, kernel_size=1, strides=2)
    add("Conv2D", (2, 7, 7, 3), filters=3, kernel_size=1, strides=2, padding="same")
    add("Conv2D", (1, 9, 9, 3), filters=4, kernel_size=5, strides=2, padding="same")
    add("Conv2D", (1, 11, 10, 1), filters=2, kernel_size=5, strides=3, padding="same")
    add("Conv2D", (1, 8, 9, 2), filters=3, kernel_size=3, dilation_rate=[1, 3], padding="same")
    add("Conv2D", (1, 5, 5, 8), filters=8, kernel_size=3, groups=8, padding="same")
    add("Conv2D", (2, 6, 6, 3), filters=4, kernel_size=3, use_bias=False)
    add("Conv2D", (1, 3, 3, 8), filters=4, kernel_size=3)
    for activation in ["relu", "sigmoid", "softmax"]:
        add("Conv2D", (2, 6, 5, 3), filters=4, kernel_size=3, activation=activation)
    add("Conv2D", (2, 6, 5, 3), filters=16, kernel_size=3, padding="same", activation="relu", use_bias=False)


def pooling():
    for name, padding in product(["MaxPooling2D", "AveragePooling2D"], ["valid", "same"]):
        add(name, (2, 6, 7, 3), pool_size=2, padding=padding)
        add(name, (1, 8, 7, 2), pool_size=3, padding=padding)
        add(name, (1, 7, 8, 2), pool_size=3, strides=2, padding=padding)
        add(name, (1, 6, 5, 2), pool_size=2, strides=1, padding=padding)
        add(name, (1, 7, 6, 3), pool_size=[3, 2], strides=[2, 3], padding=padding)
    for name, keepdims in product(["GlobalAveragePooling2D", "GlobalMaxPooling2D"], [False, True]):
        add(name, (3, 4, 5, 2), keepdims=keepdims)


def normalization():
    for training in [False, True]:
        add("BatchNormalization", (6, 5), training=training)
        add("BatchNormalization", (3, 4, 5, 2), training=training)
        add("BatchNormalization", (4, 3, 5), training=training)
        add("BatchNormalization", (3, 4, 5, 2), training=training, axis=1)
        add("BatchNormalization", (6, 5), training=training, momentum=0.9, epsilon=0.01)
        add("BatchNormalization", (6, 5), training=training, center=False)
        add("BatchNormalization", (6, 5), training=training, scale=False)
        add("BatchNormalization", (2, 4, 3, 2), training=training, center=False, scale=False, momentum=0.5)
    add("Dropout", (3, 4), rate=0.5)
    add("Dropout", (2, 3, 4), rate=0.25)
    add("Rescaling", (3, 4), scale=0.5)
    add("Rescaling", (2, 3, 3, 2), scale=2.0, offset=-1.0)
    add("Rescaling", ("uint8", (2, 4, 4, 1)), scale=1 / 255)
    add("Rescaling", ("uint8", (2, 4, 4, 3)), scale=1 / 127.5, offset=-1.0)


def merging():
    for name in ["Add", "Multiply"]:
        add(name, (3, 4), (3, 4))
        add(name, (2, 3, 4), (2, 3, 4), (2, 3, 4))
        add(name, (2, 3, 4), (2, 1, 4))
    add("Concatenate", (3, 4), (3, 2))
    add("Concatenate", (3, 4), (3, 2), (3, 1))
    add("Concatenate", (2, 3, 4), (2, 2, 4), axis=1)
    add("Concatenate", (2, 3, 4), (2, 3, 1), (2, 3, 5), axis=-1)
    add("Concatenate", (2, 3, 4, 2), (2, 3, 1, 2), axis=2)
    add("Concatenate", (2, 3, 4, 2), (2, 3, 4, 3), axis=3)


for add_family in [dense, activations, shapes, convolutions, pooling, normalization, merging]:
    add_family()
