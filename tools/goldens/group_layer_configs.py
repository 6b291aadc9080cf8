"""The config of every layer, with arguments that are not the defaults."""
import json

import keras
from keras import layers as L
from keras.src.applications.convnext import LayerScale
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer

from store import Group


def every_layer():
    image = {"data_format": "channels_last", "seed": 3}
    cell = {"activation": "relu", "use_bias": False, "kernel_constraint": "max_norm", "recurrent_regularizer": "l2",
            "dropout": 0.1, "recurrent_dropout": 0.2, "seed": 4}
    rnn = {**cell, "return_sequences": True, "go_backwards": True, "stateful": True, "unroll": True,
           "zero_output_for_mask": True}
    conv = {"padding": "same", "activation": "relu", "use_bias": False, "kernel_initializer": "he_normal",
            "kernel_constraint": "unit_norm", "activity_regularizer": "l2", "bias_regularizer": "l2"}
    yield L.InputLayer(shape=(3, None), dtype="int32", name="start")
    yield L.Dense(3, activation="gelu", use_bias=False, kernel_regularizer="l2", activity_regularizer="l2",
                  bias_constraint="non_neg", trainable=False, dtype="mixed_float16", name="own")
    yield L.EinsumDense("abc,cd->abd", (None, 4), activation="relu", bias_axes="d", kernel_regularizer="l2")
    yield L.Embedding(5, 3, embeddings_initializer="ones", embeddings_constraint="max_norm", mask_zero=True)
    yield L.Masking(mask_value=2.0)
    yield L.Identity()
    yield L.Activation("tanh")
    yield L.ReLU(max_value=6.0, negative_slope=0.1, threshold=0.5)
    yield L.LeakyReLU(negative_slope=0.1)
    yield L.PReLU(alpha_initializer="ones", alpha_constraint="non_neg", shared_axes=[1, 2])
    yield L.ELU(alpha=0.5)
    yield L.Softmax(axis=1)
    for rank, name in ((1, "1D"), (2, "2D"), (3, "3D")):
        sizes = [3, 2, 2][:rank]
        yield getattr(L, f"Conv{name}")(4, sizes, strides=1, dilation_rate=2, groups=2, **conv)
        yield getattr(L, f"Conv{name}Transpose")(4, sizes, strides=2, output_padding=1, **conv)
        for kind in ("Max", "Average"):
            yield getattr(L, f"{kind}Pooling{name}")(sizes, strides=1, padding="same")
            yield getattr(L, f"Global{kind}Pooling{name}")(keepdims=True)
            if hasattr(L, f"Adaptive{kind}Pooling{name}"):
                yield getattr(L, f"Adaptive{kind}Pooling{name}")(sizes if rank > 1 else 3)
        yield getattr(L, f"Cropping{name}")(1)
        yield getattr(L, f"ZeroPadding{name}")(2)
        yield getattr(L, f"UpSampling{name}")(3)
        yield getattr(L, f"SpatialDropout{name}")(0.25, seed=3)
        if rank < 3:
            yield getattr(L, f"DepthwiseConv{name}")(3, depth_multiplier=2, depthwise_regularizer="l2", padding="same")
            yield getattr(L, f"SeparableConv{name}")(4, 3, depth_multiplier=2, pointwise_constraint="non_neg")
    yield L.ZeroPadding2D(((1, 0), (2, 3)), data_format="channels_first")
    yield L.UpSampling2D((2, 3), interpolation="bilinear")
    yield L.BatchNormalization(axis=1, momentum=0.9, epsilon=0.01, center=False, gamma_constraint="non_neg")
    yield L.LayerNormalization(axis=[1, 2], epsilon=0.01, scale=False, beta_regularizer="l2")
    yield L.GroupNormalization(groups=4, axis=1, center=False)
    yield L.RMSNormalization(axis=-2, epsilon=0.01)
    yield L.UnitNormalization(axis=[1, 2])
    yield L.Flatten(data_format="channels_first")
    yield L.Reshape((-1, 3))
    yield L.Permute((2, 1))
    yield L.RepeatVector(3)
    for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
        yield getattr(L, name)()
    yield L.Concatenate(axis=1)
    yield L.Dot(axes=(1, 2), normalize=True)
    yield L.Dropout(0.25, noise_shape=(None, 1, 4), seed=3)
    yield L.AlphaDropout(0.25, noise_shape=(None, 1), seed=3)
    yield L.GaussianDropout(0.25, seed=3)
    yield L.GaussianNoise(0.5, seed=3)
    yield L.ActivityRegularization(l1=0.5, l2=0.25)
    yield L.SimpleRNNCell(3, **cell)
    yield L.LSTMCell(3, unit_forget_bias=False, recurrent_activation="hard_sigmoid", **cell)
    yield L.GRUCell(3, reset_after=False, recurrent_activation="hard_sigmoid", **cell)
    yield L.StackedRNNCells([L.LSTMCell(3), L.GRUCell(2)])
    yield L.RNN(L.LSTMCell(3), return_state=True, go_backwards=True)
    yield L.SimpleRNN(3, **rnn)
    yield L.LSTM(3, unit_forget_bias=False, recurrent_activation="hard_sigmoid", **rnn)
    yield L.GRU(3, reset_after=False, recurrent_activation="hard_sigmoid", **rnn)
    yield L.Bidirectional(L.GRU(3, return_sequences=True), merge_mode="sum")
    yield L.TimeDistributed(L.Dense(3))
    yield L.MultiHeadAttention(2, 3, value_dim=4, dropout=0.1, use_bias=False, output_shape=5, attention_axes=(1, 2),
                               kernel_regularizer="l2", seed=3)
    yield L.GroupQueryAttention(4, 4, 2, dropout=0.1, use_bias=False, bias_constraint="max_norm", seed=3)
    yield L.Attention(use_scale=True, score_mode="concat", dropout=0.1, seed=3)
    yield L.AdditiveAttention(use_scale=False, dropout=0.1)
    yield L.Rescaling(0.5, offset=-1.0)
    yield L.Normalization(axis=1, mean=[1.0, 2.0], variance=[3.0, 4.0], invert=True)
    yield L.Discretization(bin_boundaries=[0.0, 1.0], output_mode="one_hot")
    yield L.CategoryEncoding(num_tokens=4, output_mode="count")
    yield L.IntegerLookup(vocabulary=[3, 4, 5], num_oov_indices=2, output_mode="multi_hot")
    yield L.StringLookup(vocabulary=["a", "b"], mask_token="m", output_mode="int")
    yield L.Resizing(4, 5, interpolation="nearest", crop_to_aspect_ratio=True)
    yield L.CenterCrop(4, 5)
    yield L.RandomFlip("vertical", **image)
    yield L.RandomRotation((-0.1, 0.2), fill_mode="constant", interpolation="nearest", fill_value=0.5, **image)
    yield L.RandomZoom((-0.1, 0.2), width_factor=0.3, **image)
    yield L.RandomTranslation((-0.1, 0.2), 0.3, fill_mode="wrap", **image)
    yield L.RandomShear(0.1, 0.2, seed=3)
    yield L.RandomCrop(4, 5, seed=3)
    yield L.RandomContrast((0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.Hashing(5, mask_value="m", salt=[1, 2], output_mode="one_hot")
    yield L.TextVectorization(max_tokens=9, standardize="lower", split="character", ngrams=2, output_mode="count",
                              pad_to_max_tokens=True, vocabulary=["a", "b"])
    yield L.RandomColorJitter(value_range=(0, 1), brightness_factor=0.2, contrast_factor=0.3, saturation_factor=0.4,
                              hue_factor=0.1, seed=3)
    yield L.RandomBrightness((-0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomSaturation((0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomHue((0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomSharpness((0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomColorDegeneration((0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomGrayscale(0.3, seed=3)
    yield L.RandomInvert(0.3, value_range=(0, 1), seed=3)
    yield L.RandomPosterization(3, value_range=(0, 1), seed=3)
    yield L.RandomErasing(0.3, scale=(0.1, 0.2), value_range=(0, 1), seed=3)
    yield L.RandomGaussianBlur(0.3, kernel_size=5, sigma=0.7, value_range=(0, 1), seed=3)
    yield LayerScale(0.1, 3)
    yield CustomScaleLayer(0.17)
    yield L.AutoContrast(value_range=(0, 1))
    yield L.Solarization(0.1, 0.2, value_range=(0, 1), seed=3)
    for make_layer in [L.ConvLSTM1D, L.ConvLSTM2D, L.ConvLSTM3D]:
        yield make_layer(3, 2, strides=2, padding="same", activation="relu", dropout=0.2, return_sequences=True, seed=3)
    yield L.ReversibleEmbedding(5, 3, tie_weights=False, mask_zero=True, reverse_dtype="float32", logit_soft_cap=2.0)
    yield L.SpectralNormalization(L.Dense(3), power_iterations=2)
    yield L.MixUp(alpha=0.3, seed=3)
    yield L.CutMix(factor=(0.1, 0.4), seed=3)
    yield L.Equalization(value_range=(0, 1), bins=16)
    yield L.RandomPerspective(factor=0.4, scale=0.3, fill_value=1.0, seed=3)
    yield L.RandomElasticTransform(factor=0.4, scale=0.3, fill_mode="wrap", value_range=(0, 1), seed=3)
    yield L.ContrastLimitedAdaptiveHistogramEqualization(value_range=(0, 1), clip_limit=2.0, tile_grid_size=(4, 3))
    yield L.RandAugment(value_range=(0, 1), num_ops=3, factor=0.4, interpolation="nearest", seed=3)
    yield L.AugMix(value_range=(0, 1), num_chains=2, chain_depth=4, factor=(0.1, 0.4), alpha=0.5, all_ops=False, seed=3)
    yield L.MaxNumBoundingBoxes(5, bounding_box_format="xyxy")
    yield L.Pipeline([L.Dense(3), L.RandomFlip(seed=3)], name="steps")
    yield L.HashedCrossing(5, output_mode="one_hot", dtype="float16")
    yield L.STFTSpectrogram(mode="psd", frame_length=8, frame_step=3, fft_length=12, window="hamming", periodic=True,
                            scaling=None, padding="same", expand_dims=True, data_format="channels_first")
    yield L.MelSpectrogram(fft_length=64, sequence_stride=16, sequence_length=32, window="hamming", sampling_rate=8000,
                           num_mel_bins=10, min_freq=5.0, max_freq=3000.0, power_to_db=False, top_db=60.0, mag_exp=1.0,
                           min_power=1e-8, ref_power=2.0)


def make():
    group = Group()
    for layer in every_layer():
        written = json.loads(json.dumps(keras.saving.serialize_keras_object(layer)))
        group.case(type(layer).__name__, {}).set(object=written)
    return group
