"""The predictions of another backend of Keras from a file. Backends differ: in the weights of a bicubic resize, for example."""
import os
import subprocess
import sys

import keras
import numpy as np

OTHER = "jax" if keras.backend.backend() == "tensorflow" else "tensorflow"


def predict(folder, model, inputs, outputs):
    """Predictions for the arrays inputs[0].npy … in this folder, by a separate process."""
    command = [sys.executable, "-W", "ignore", __file__, model, str(outputs), *inputs]
    subprocess.run(command, cwd=folder, env={**os.environ, "KERAS_BACKEND": OTHER}, check=True, capture_output=True, timeout=600)
    return [np.load(folder / f"other{i}.npy") for i in range(outputs)]


def main(model, outputs, *inputs):
    x = [np.load(name) for name in inputs]
    made = keras.saving.load_model(model, compile=False)(x if len(x) > 1 else x[0], training=False)
    for i, y in enumerate(keras.tree.flatten(made)[:int(outputs)]):
        np.save(f"other{i}.npy", keras.ops.convert_to_numpy(y))


if __name__ == "__main__":
    main(*sys.argv[1:])
