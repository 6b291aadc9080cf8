#!/usr/bin/env python3
"""Writes fuzz/corpus/keras/ with real Keras: small models of every form that is loaded."""
import os
import zipfile
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "keras"


def trained(model, optimizer="adam"):
    """After one step, so that the file has the optimizer's slots."""
    metrics = ["mae"] if len(model.outputs) == 1 else [["mae"], []]
    model.compile(optimizer, "mse", metrics=metrics)
    inputs = [np.ones((2, *tensor.shape[1:]), "float32") for tensor in model.inputs]
    outputs = [np.ones((2, *tensor.shape[1:]), "float32") for tensor in model.outputs]
    model.train_on_batch(inputs if len(inputs) > 1 else inputs[0], outputs if len(outputs) > 1 else outputs[0])
    return model


def sequential():
    dense = keras.layers.Dense(2, activation="relu", kernel_regularizer="l2")
    return keras.Sequential([keras.Input((3,)), dense, keras.layers.Dropout(0.5), keras.layers.Dense(1)])


def image():
    layers = [keras.layers.Conv2D(2, 3, padding="same"), keras.layers.BatchNormalization()]
    layers += [keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(1)]
    return keras.Sequential([keras.Input((4, 4, 1)), *layers])


def functional():
    """Two inputs, two outputs, a shared layer, a model inside."""
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    inner_input = keras.Input((3,))
    inner = keras.Model(inner_input, keras.layers.Dense(2)(inner_input), name="inner")
    shared = keras.layers.Dense(3)
    x = keras.layers.Concatenate()([inner(shared(a)), inner(shared(b))])
    return keras.Model([a, b], [keras.layers.Dense(1, name="p")(x), keras.layers.Add(name="q")([a, b])])


def audio():
    """Two kinds of spectrograms, one of them trained."""
    a, b = keras.Input((40, 1), name="a"), keras.Input((40,), name="b")
    x = keras.layers.STFTSpectrogram(frame_length=8, window="hamming")(a)
    y = keras.layers.MelSpectrogram(fft_length=16, sequence_stride=8, sampling_rate=100, num_mel_bins=3)(b)
    flat = [keras.layers.Flatten()(t) for t in [keras.layers.Pipeline([keras.layers.Dense(2)])(x), y]]
    return keras.Model([a, b], keras.layers.Dense(1)(keras.layers.Concatenate()(flat)))


def augmented():
    layers = [keras.layers.RandAugment(), keras.layers.AugMix(num_chains=2)]
    layers += [keras.layers.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 3))]
    return keras.Sequential([keras.Input((4, 4, 3)), *layers, keras.layers.Flatten(), keras.layers.Dense(1)])


def boxes():
    """A dict in a dict of tensors."""
    images, boxes, labels = [keras.Input(s, name=n) for s, n in [((4, 4, 1), "images"), ((5, 4), "boxes"), ((5,), "labels")]]
    table = {"images": images, "bounding_boxes": {"boxes": boxes, "labels": labels}}
    out = keras.layers.MaxNumBoundingBoxes(3, bounding_box_format="xyxy")(table)
    return keras.Model([images, boxes, labels], [out["bounding_boxes"]["boxes"], out["bounding_boxes"]["labels"]])


def deflated(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    models = {
        "sequential": trained(sequential()),
        "image": trained(image(), "rmsprop"),
        "functional": trained(functional(), keras.optimizers.SGD(schedule, momentum=0.9)),
        "plain": sequential(),
        "audio": audio(),
        "augmented": augmented(),
        "boxes": boxes(),
    }
    for name, model in models.items():
        model.save(CORPUS / f"{name}.keras")
    models["sequential"].save(CORPUS / "legacy.h5")
    deflated(CORPUS / "sequential.keras", CORPUS / "deflated.keras")


if __name__ == "__main__":
    main()
