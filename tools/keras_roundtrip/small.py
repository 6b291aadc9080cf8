"""Stacks of layers: each optimizer, each family of layers."""
import keras
from compare import Case
from data import labels, normal, one_hot
from keras import layers, optimizers
from keras.optimizers import schedules

SPARSE = "sparse_categorical_crossentropy"


def dense(optimizer, loss=SPARSE, metrics=("accuracy",), **compile_args):
    def make():
        model = keras.Sequential([layers.Input((6,)), layers.Dense(10, activation="relu"),
                                  layers.Dense(4, activation="softmax")])
        model.compile(optimizer(), loss=loss, metrics=list(metrics), **compile_args)
        y = one_hot(4) if loss != SPARSE else labels(4)
        return Case(model, [normal(6)], [y])
    return make


def stack(shape, *parts, classes=3, optimizer="adam", **options):
    def make():
        model = keras.Sequential([layers.Input(shape), *(part() for part in parts),
                                  layers.Dense(classes, activation="softmax")])
        model.compile(optimizer, SPARSE, metrics=["accuracy"])
        return Case(model, [normal(*shape)], [labels(classes)], **options)
    return make


def inner(base, *args, **kwargs):
    return lambda: base(*args, **kwargs)


def exponential():
    return optimizers.SGD(schedules.ExponentialDecay(0.1, 3, 0.9), momentum=0.9)


def cosine():
    return optimizers.Adam(schedules.CosineDecay(0.001, 20, warmup_target=0.01, warmup_steps=4))


OPTIMIZERS = {
    "adam": inner(optimizers.Adam),
    "adam_amsgrad": inner(optimizers.Adam, 0.01, amsgrad=True, clipnorm=0.5),
    "adamw": inner(optimizers.AdamW, weight_decay=0.02),
    "sgd": inner(optimizers.SGD, 0.1),
    "sgd_nesterov": inner(optimizers.SGD, 0.05, momentum=0.9, nesterov=True, clipvalue=0.1),
    "rmsprop": inner(optimizers.RMSprop),
    "rmsprop_centered": inner(optimizers.RMSprop, momentum=0.5, centered=True,
                              global_clipnorm=1.0),
    "adagrad": inner(optimizers.Adagrad, 0.05),
    "adadelta": inner(optimizers.Adadelta, 0.5),
    "adamax": inner(optimizers.Adamax),
    "nadam": inner(optimizers.Nadam),
    "ftrl": inner(optimizers.Ftrl, 0.05),
    "lion": inner(optimizers.Lion, 0.001),
    "lamb": inner(optimizers.Lamb),
    "adafactor": inner(optimizers.Adafactor),
    "muon": inner(optimizers.Muon, 0.01),
    "accumulation": inner(optimizers.SGD, 0.1, gradient_accumulation_steps=3),
    "weight_decay": inner(optimizers.SGD, 0.1, weight_decay=0.01),
    "exponential_decay": exponential,
    "cosine_decay": cosine,
    "moving_average": inner(optimizers.Adam, use_ema=True, ema_momentum=0.9),
    "loss_scale": lambda: optimizers.LossScaleOptimizer(optimizers.Adam(), initial_scale=64.0),
    "loss_scale_sgd": lambda: optimizers.LossScaleOptimizer(optimizers.SGD(0.1), initial_scale=64.0),
    "loss_scale_adafactor": lambda: optimizers.LossScaleOptimizer(optimizers.Adafactor(0.01)),
}


def convolutions():
    return [inner(layers.Conv2D, 6, 3, activation="relu", padding="same"),
            inner(layers.MaxPooling2D), inner(layers.Conv2D, 8, (2, 3), strides=2),
            inner(layers.AveragePooling2D, 2, padding="same"), inner(layers.Flatten)]


LAYERS = {
    "convolution": stack((12, 12, 3), *convolutions()),
    "batch_normalization": stack((8, 8, 3), inner(layers.Conv2D, 4, 3, use_bias=False),
                                 inner(layers.BatchNormalization), inner(layers.ReLU, 6.0),
                                 inner(layers.GlobalAveragePooling2D)),
    "separable": stack((10, 10, 4), inner(layers.SeparableConv2D, 6, 3, depth_multiplier=2),
                       inner(layers.DepthwiseConv2D, 3, strides=2, activation="silu"),
                       inner(layers.GlobalMaxPooling2D)),
    "dilated_groups": stack((12, 12, 4), inner(layers.Conv2D, 8, 3, dilation_rate=2),
                            inner(layers.Conv2D, 8, 3, groups=4, padding="same"),
                            inner(layers.GlobalAveragePooling2D)),
    "transposed": stack((6, 6, 3), inner(layers.Conv2DTranspose, 5, 3, strides=2, padding="same"),
                        inner(layers.Conv2D, 4, 3, strides=2), inner(layers.Flatten)),
    "conv1d": stack((20, 3), inner(layers.Conv1D, 6, 5, padding="causal", activation="tanh"),
                    inner(layers.MaxPooling1D, 2), inner(layers.Conv1D, 4, 3),
                    inner(layers.GlobalAveragePooling1D)),
    "conv3d": stack((6, 6, 6, 2), inner(layers.Conv3D, 4, 3, activation="relu"),
                    inner(layers.MaxPooling3D, 2), inner(layers.Flatten)),
    "resampling": stack((6, 6, 3), inner(layers.ZeroPadding2D, ((1, 0), (2, 1))),
                        inner(layers.UpSampling2D, 2), inner(layers.Cropping2D, 1),
                        inner(layers.Conv2D, 3, 3, strides=2), inner(layers.Flatten)),
    "layer_normalization": stack((5, 8), inner(layers.LayerNormalization),
                                 inner(layers.Dense, 6, activation="gelu"),
                                 inner(layers.RMSNormalization), inner(layers.Flatten)),
    "group_normalization": stack((6, 6, 8), inner(layers.GroupNormalization, 4),
                                 inner(layers.UnitNormalization),
                                 inner(layers.GlobalAveragePooling2D)),
    "activations": stack((8,), inner(layers.Dense, 8, activation="elu"), inner(layers.LeakyReLU, 0.1),
                         inner(layers.Dense, 8, activation="selu"), inner(layers.PReLU),
                         inner(layers.Dense, 8, activation="hard_sigmoid"), inner(layers.ELU, 0.5),
                         inner(layers.Activation, "softplus"), inner(layers.Softmax)),
    "regularizers": stack((6,), inner(layers.Dense, 8, kernel_regularizer="l2",
                                      bias_regularizer=keras.regularizers.L1(0.01)),
                          inner(layers.Dense, 6, activity_regularizer=keras.regularizers.L1L2(0.01, 0.02))),
    "constraints": stack((6,), inner(layers.Dense, 8, kernel_constraint="max_norm",
                                     bias_constraint="non_neg"),
                         inner(layers.Dense, 8, kernel_constraint="unit_norm")),
    "reshaping": stack((4, 6), inner(layers.Permute, (2, 1)), inner(layers.Reshape, (3, 8)),
                       inner(layers.Dense, 5), inner(layers.Flatten),
                       inner(layers.RepeatVector, 3), inner(layers.Conv1D, 4, 2),
                       inner(layers.Flatten)),
    "einsum_dense": stack((5, 6), inner(layers.EinsumDense, "abc,cd->abd", output_shape=(5, 7),
                                        bias_axes="d", activation="relu"), inner(layers.Flatten)),
    "rescaling": stack((6, 6, 3), inner(layers.Rescaling, 0.5, 0.1), inner(layers.Flatten)),
    "dropout": stack((8,), inner(layers.Dense, 8), inner(layers.Dropout, 0.3),
                     inner(layers.GaussianNoise, 0.1), trains=False),
    "time_distributed": stack((4, 8, 8, 2), inner(layers.TimeDistributed, layers.Conv2D(3, 3)),
                              inner(layers.GlobalAveragePooling3D)),
    "pipeline": stack((6,), lambda: layers.Pipeline([layers.Rescaling(0.5), layers.Dense(8, activation="tanh"),
                                                     layers.BatchNormalization(), layers.Dense(5)])),
    "stft_spectrogram": stack((48, 2), inner(layers.STFTSpectrogram, frame_length=16, expand_dims=True),
                              inner(layers.GlobalAveragePooling2D)),
    "mel_spectrogram": stack((64,), inner(layers.MelSpectrogram, fft_length=32, sequence_stride=16, num_mel_bins=6),
                             inner(layers.LayerNormalization), inner(layers.Flatten)),
    "augmentation": stack((6, 6, 3), inner(layers.RandAugment), inner(layers.AugMix, num_chains=2),
                          inner(layers.ContrastLimitedAdaptiveHistogramEqualization, tile_grid_size=(2, 2)),
                          inner(layers.Flatten), trains=False),
}


def regression(loss, metrics):
    def make():
        model = keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="tanh"),
                                  layers.Dense(2)])
        model.compile("adam", loss, metrics=metrics)
        return Case(model, [normal(6)], [normal(2, seed=5)])
    return make


def binary():
    model = keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="tanh"),
                              layers.Dense(1)])
    model.compile(optimizers.SGD(0.1), keras.losses.BinaryCrossentropy(from_logits=True,
                                                                       label_smoothing=0.1),
                  metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)])
    return Case(model, [normal(6)], [labels(2, 1).astype("float32")])


def half_precision(policy):
    def make():
        before = keras.config.dtype_policy()
        keras.config.set_dtype_policy(policy)
        try:
            # Sums in another order differ in the last of bfloat16's eight bits.
            case = stack((6,), inner(layers.Dense, 8, activation="relu"), trains=False,
                         prediction_limit=2.0 ** -7)()
        finally:
            keras.config.set_dtype_policy(before)
        return case
    return make


MODELS = {
    **{f"optimizer_{name}": dense(make) for name, make in OPTIMIZERS.items()},
    "loss_smoothed": dense(optimizers.Adam,
                           keras.losses.CategoricalCrossentropy(label_smoothing=0.1),
                           metrics=["accuracy", "mse"], steps_per_execution=2),
    "loss_huber": regression("huber", ["mae", keras.metrics.RootMeanSquaredError()]),
    "loss_binary": binary,
    "weighted_metrics": dense(optimizers.Adam, metrics=[], weighted_metrics=["accuracy"]),
    "mixed_bfloat16": half_precision("mixed_bfloat16"),
    **{f"layer_{name}": make for name, make in LAYERS.items()},
}
