"""Functional models: several inputs and outputs, shared layers, models in models."""
import keras
from compare import Case
from data import labels, normal, one_hot
from keras import layers, optimizers


def compiled(model, x, y, **settings):
    settings.setdefault("optimizer", "adam")
    settings.setdefault("loss", "mse")
    model.compile(**settings)
    return Case(model, x, y)


def two_inputs():
    a, b = layers.Input((4,), name="a"), layers.Input((6,), name="b")
    x = layers.Concatenate()([layers.Dense(5, activation="relu")(a), layers.Dense(3)(b)])
    model = keras.Model([a, b], layers.Dense(2)(x))
    return compiled(model, [normal(4), normal(6, seed=3)], [normal(2, seed=4)])


def two_outputs(**settings):
    def make():
        x = layers.Input((5,))
        h = layers.Dense(8, activation="tanh")(x)
        model = keras.Model(x, [layers.Dense(1, name="value")(h),
                                layers.Dense(3, activation="softmax", name="kind")(h)])
        return compiled(model, [normal(5)], [normal(1, seed=4), one_hot(3)], **settings)
    return make


def shared():
    a, b = layers.Input((4,)), layers.Input((4,))
    tower = layers.Dense(6, activation="relu")
    distance = layers.Subtract()([tower(a), tower(b)])
    model = keras.Model([a, b], layers.Dense(1)(distance))
    return compiled(model, [normal(4), normal(4, seed=3)], [normal(1, seed=4)])


def nested():
    encoder = keras.Sequential([layers.Input((6,)), layers.Dense(5, activation="relu"),
                                layers.BatchNormalization()], name="encoder")
    x = layers.Input((4,))
    block_in = layers.Input((5,))
    block = keras.Model(block_in, layers.Add()([block_in, layers.Dense(5)(block_in)]), name="block")
    y = layers.Input((6,))
    h = layers.Concatenate()([block(encoder(y)), layers.Dense(3)(x)])
    model = keras.Model([x, y], layers.Dense(2)(h))
    return compiled(model, [normal(4), normal(6, seed=3)], [normal(2, seed=4)])


def residual():
    x = layers.Input((8, 8, 3))
    h = layers.Conv2D(4, 3, padding="same")(x)
    for filters in (4, 8):
        skip = layers.Conv2D(filters, 1, strides=2)(h)
        h = layers.Conv2D(filters, 3, strides=2, padding="same", use_bias=False)(h)
        h = layers.BatchNormalization()(h)
        h = layers.ReLU()(layers.Add()([h, skip]))
    model = keras.Model(x, layers.Dense(3, activation="softmax")(layers.GlobalAveragePooling2D()(h)))
    return compiled(model, [normal(8, 8, 3)], [labels(3)], loss="sparse_categorical_crossentropy",
                    optimizer=optimizers.SGD(0.05, momentum=0.9), metrics=["accuracy"])


def u_net():
    x = layers.Input((8, 8, 2))
    down = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    low = layers.Conv2D(6, 3, padding="same", activation="relu")(layers.MaxPooling2D()(down))
    up = layers.Conv2DTranspose(4, 2, strides=2)(low)
    h = layers.Concatenate()([down, up])
    model = keras.Model(x, layers.Conv2D(1, 1, activation="sigmoid")(h))
    return compiled(model, [normal(8, 8, 2)], [labels(2, 8, 8, 1).astype("float32")],
                    loss="binary_crossentropy")


def merges():
    a, b = layers.Input((5,)), layers.Input((5,))
    parts = [layers.Multiply()([a, b]), layers.Average()([a, b]), layers.Maximum()([a, b]),
             layers.Minimum()([a, b]), layers.Dot(axes=1)([a, b])]
    model = keras.Model([a, b], layers.Dense(2)(layers.Concatenate()(parts)))
    return compiled(model, [normal(5), normal(5, seed=3)], [normal(2, seed=4)])


def frozen():
    x = layers.Input((6,))
    base = keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="relu"),
                             layers.BatchNormalization()], name="base")
    base.trainable = False
    model = keras.Model(x, layers.Dense(2)(base(x)))
    return compiled(model, [normal(6)], [normal(2, seed=4)])


def operations():
    x = layers.Input((6,))
    h = layers.Dense(6)(x)
    model = keras.Model(x, layers.Dense(2)(keras.ops.relu(h * 2.0 + x) - 1.0))
    return compiled(model, [normal(6)], [normal(2, seed=4)])


def autoencoder():
    encoder_in = layers.Input((10,))
    encoder = keras.Model(encoder_in, layers.Dense(3, activation="tanh")(encoder_in), name="encoder")
    decoder_in = layers.Input((3,))
    decoder = keras.Model(decoder_in, layers.Dense(10)(decoder_in), name="decoder")
    x = layers.Input((10,))
    return compiled(keras.Model(x, decoder(encoder(x))), [normal(10)], [normal(10)],
                    optimizer=optimizers.RMSprop(0.01))


MODELS = {
    "two_inputs": two_inputs,
    "two_outputs_list": two_outputs(loss=["mse", "categorical_crossentropy"],
                                    loss_weights=[1.0, 0.5], metrics=[["mae"], ["accuracy"]]),
    "two_outputs_dict": two_outputs(loss={"kind": "categorical_crossentropy", "value": "mae"},
                                    metrics={"kind": "accuracy"}),
    "shared_layer": shared,
    "nested_models": nested,
    "residual": residual,
    "u_net": u_net,
    "merges": merges,
    "frozen": frozen,
    "operations": operations,
    "autoencoder": autoencoder,
}
