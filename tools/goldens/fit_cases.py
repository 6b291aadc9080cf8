"""The fit runs: models as lists of layers, data and arguments."""
import numpy as np


def layer(class_name, name, inbound=None, **config):
    entry = {"name": name, "class_name": class_name, "config": config}
    return entry if inbound is None else {**entry, "inbound": inbound}


def optimizer(class_name, **config):
    return {"class_name": class_name, "config": config}


def mlp_layers(**hidden):
    return [layer("InputLayer", "input", shape=[20]),
            layer("Dense", "first", units=16, activation="relu", **hidden),
            layer("Dense", "second", units=10, activation="relu"),
            layer("Dense", "last", units=4, activation="softmax")]


def mlp(label, rng, hidden={}, compile={}, fit={}, samples=50):
    x = rng.standard_normal((samples, 20)).astype(np.float32)
    y = np.argmax(x[:, :4] + 0.5 * x[:, 4:8], axis=1).astype(np.int32)
    return {
        "label": label, "class_name": "Sequential", "layers": mlp_layers(**hidden),
        "x": [x], "y": [y],
        "compile": {"optimizer": optimizer("Adam", learning_rate=0.01), "loss": ["sparse_categorical_crossentropy"],
                    "metrics": [["accuracy"]], **compile},
        "fit": {"batch_size": 16, "epochs": 3, **fit},
    }


def cnn(label, rng, chosen, fit={}):
    x = rng.standard_normal((42, 12, 12, 1)).astype(np.float32)
    y = np.argmax(x[:, 3:9, 3:6, 0].sum(2)[:, :3], axis=1).astype(np.int32)
    return {
        "label": label, "class_name": "Sequential",
        "layers": [layer("InputLayer", "input", shape=[12, 12, 1]),
                   layer("Conv2D", "wide", filters=4, kernel_size=3, activation="relu"),
                   layer("MaxPooling2D", "pool", pool_size=2),
                   layer("Conv2D", "narrow", filters=6, kernel_size=3, padding="same", use_bias=False),
                   layer("BatchNormalization", "norm"),
                   layer("Activation", "act", activation="relu"),
                   layer("Flatten", "flat"),
                   layer("Dense", "last", units=3, activation="softmax")],
        "x": [x], "y": [y],
        "compile": {"optimizer": chosen, "loss": ["sparse_categorical_crossentropy"], "metrics": [["accuracy"]]},
        "fit": {"batch_size": 16, "epochs": 3, **fit},
    }


def functional(label, rng):
    """Two inputs through one shared layer, two outputs with a loss each."""
    left, right = (rng.standard_normal((45, 6)).astype(np.float32) for _ in range(2))
    kind = np.argmax(left[:, :3] + right[:, 3:], axis=1).astype(np.int32)
    amount = (left[:, :1] - 0.5 * right[:, 1:2]).astype(np.float32)
    return {
        "label": label, "class_name": "Functional",
        "layers": [layer("InputLayer", "left", [], shape=[6]),
                   layer("InputLayer", "right", [], shape=[6]),
                   layer("Dense", "shared", [["left"], ["right"]], units=8, activation="tanh"),
                   layer("Concatenate", "both", [["shared", "shared:1"]]),
                   layer("Dense", "kind", [["both"]], units=3, activation="softmax"),
                   layer("Dense", "amount", [["both"]], units=1)],
        "inputs": ["left", "right"], "outputs": ["kind", "amount"],
        "x": [left, right], "y": [kind, amount],
        "compile": {"optimizer": optimizer("Adam", learning_rate=0.01), "loss": ["sparse_categorical_crossentropy", "mse"],
                    "loss_weights": [1.0, 0.3], "metrics": [["accuracy"], ["mae"]]},
        "fit": {"batch_size": 16, "epochs": 3},
    }


def cases():
    rng = np.random.default_rng(7)
    penalty = {"class_name": "L1L2", "config": {"l1": 0.001, "l2": 0.01}}
    weight = rng.uniform(0.2, 2.0, 50).astype(np.float32)
    yield mlp("mlp", rng)
    yield mlp("mlp_class_weight", rng, fit={"class_weight": {"0": 0.5, "1": 2.0, "2": 1.0, "3": 1.5}})
    yield mlp("mlp_validation_split", rng, fit={"validation_split": 0.25})
    yield mlp("mlp_sample_weight", rng, fit={"sample_weight": [weight]},
              compile={"weighted_metrics": [["accuracy"]]})
    yield mlp("mlp_regularized", rng, hidden={"kernel_regularizer": penalty},
              compile={"optimizer": optimizer("RMSprop")})
    yield cnn("cnn_sgd", rng, optimizer("SGD", learning_rate=0.02, momentum=0.9), {"validation_split": 0.2})
    yield cnn("cnn_adam", rng, optimizer("Adam"))
    yield functional("functional", rng)
