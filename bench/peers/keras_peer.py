"""Keras fit() on arrays, on the backend that KERAS_BACKEND names."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402

import measure  # noqa: E402
from cases import HIDDEN  # noqa: E402

layers = keras.layers


def dense(case):
    return [layers.Dense(units, activation="relu") for units in HIDDEN[case.name]]


def lstm(case):
    return [layers.LSTM(256)]


def cnn(case):
    pooling = [layers.MaxPooling2D(2)] if case.name == "cnn28" else []
    return [layers.Conv2D(32, 3, activation="relu"), *pooling, layers.Flatten()]


# The layers before the last.
NETWORKS = {"mlp128": dense, "mlp1024x3": dense, "cnn28": cnn, "cnn128": cnn, "lstm": lstm}


def limit_threads(threads):
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)


def make_trainer(args, case, x, y):
    limit_threads(args.threads)
    keras.utils.set_random_seed(1)
    keras.config.set_dtype_policy("mixed_bfloat16" if case.precision == "bf16" else "float32")
    last = layers.Dense(case.classes, activation="softmax")
    model = keras.Sequential([keras.Input(case.shape), *measure.network_of(NETWORKS, case)(case), last])
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=args.steps_per_execution)

    def train(steps):
        rows = steps * case.batch
        return model.fit(x[:rows], y[:rows], batch_size=case.batch, verbose=0).history["loss"][0]

    return train


if __name__ == "__main__":
    measure.main(make_trainer)
