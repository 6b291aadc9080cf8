"""Spectrograms."""
from itertools import product

import numpy as np

from declare import layer, uniform

MODES = ["log", "magnitude", "psd", "real", "imag", "angle", "stft"]


def cases():
    for mode in MODES:
        yield layer("STFTSpectrogram", (2, 30, 2), mode=mode, frame_length=8)
    for expand_dims, data_format in product([False, True], ["channels_last", "channels_first"]):
        shape = (2, 3, 20) if data_format == "channels_first" else (2, 20, 3)
        yield layer("STFTSpectrogram", shape, mode="magnitude", frame_length=6, frame_step=4, fft_length=10,
                    expand_dims=expand_dims, data_format=data_format)
    yield layer("STFTSpectrogram", (2, 21, 1), frame_length=8, frame_step=3, padding="same", window="hamming",
                periodic=True, scaling="spectrum")
    yield layer("STFTSpectrogram", (1, 12, 1), mode="psd", frame_length=4, window=np.array([0.5, 1.0, 1.0, 0.25]), scaling=None)
    yield layer("STFTSpectrogram", (1, 12, 1), mode="stft", frame_length=4, window=None, trainable=False)
    yield layer("STFTSpectrogram", uniform((2, 16, 1)), mode="real", frame_length=8, dtype="float16")
    yield from mel_cases()


def mel_cases():
    few = {"fft_length": 16, "sequence_stride": 5, "sampling_rate": 100, "num_mel_bins": 4, "min_freq": 2.0}
    x = uniform((2, 40), -1, 1)
    yield layer("MelSpectrogram", x, **few)
    yield layer("MelSpectrogram", uniform((40,), -1, 1), **few)
    yield layer("MelSpectrogram", uniform((2, 3, 25), -1, 1), **few)
    yield layer("MelSpectrogram", x, **few, power_to_db=False)
    yield layer("MelSpectrogram", x, **few, power_to_db=False, mag_exp=1.0, max_freq=30.0)
    yield layer("MelSpectrogram", x, **few, top_db=5.0, ref_power=3.0)
    yield layer("MelSpectrogram", x, **few, min_power=20.0)
    for window, length in [("hann", 12), ("hamming", 14), (None, 11), (list(np.linspace(0.5, 1.0, 11)), 11)]:
        yield layer("MelSpectrogram", x, **few, window=window, sequence_length=length)
    yield layer("MelSpectrogram", x, **few, dtype="float16", _gradients=False)
    yield layer("MelSpectrogram", uniform((1, 600), -1, 1), fft_length=256, sequence_stride=128, num_mel_bins=20)
