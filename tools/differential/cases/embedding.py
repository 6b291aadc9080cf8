"""Embedding, ReversibleEmbedding, Masking, EinsumDense."""
from declare import integers, layer, normal

import numpy as np


def steps_of_zeros():
    x = np.round(np.random.default_rng(5).standard_normal((3, 6, 4)) * 4096) / 4096
    x[0, 2:4] = 0
    x[1, 5] = 0
    x[2, 0, :3] = 0  # one number still counts
    return x.astype(np.float32)


def cases():
    for shape in [(4,), (2, 6), (2, 3, 4)]:
        yield layer("Embedding", integers(shape, 0, 10), input_dim=10, output_dim=4)
    yield layer("Embedding", integers((2, 6), 0, 3), input_dim=5, output_dim=3, mask_zero=True)
    yield layer("Embedding", integers((2, 6), 0, 5, "int64"), input_dim=5, output_dim=3, embeddings_regularizer="l2")
    yield layer("Embedding", integers((2, 6), 0, 5, "float32"), input_dim=5, output_dim=3, embeddings_constraint="max_norm")
    yield layer("Embedding", integers((2, 6), 0, 5), input_dim=5, output_dim=3, embeddings_initializer="ones",
                activity_regularizer="l2", _training=True)
    yield layer("Embedding", integers((2, 6), 0, 5), input_dim=5, output_dim=3, dtype="mixed_bfloat16")
    yield layer("Embedding", integers((2, 6), 0, 5), input_dim=5, output_dim=3, trainable=False)

    yield layer("Masking", steps_of_zeros())
    yield layer("Masking", steps_of_zeros(), mask_value=1.5)
    yield layer("Masking", integers((2, 5, 3), 0, 2, "float32"), mask_value=1.0)

    for equation, shape, output, bias in [
            ("ab,bc->ac", (3, 4), 5, "c"), ("ab,bc->ac", (3, 4), 5, None), ("abc,cd->abd", (2, 3, 4), (None, 5), "d"),
            ("abc,cd->abd", (2, 3, 4), (3, 5), "bd"), ("...x,xy->...y", (2, 3, 4), 5, "y"),
            ("...x,xy->...y", (2, 2, 3, 4), 5, "y"), ("abc,cde->abde", (2, 3, 4), (None, 2, 3), "de"),
            ("abcd,cde->abe", (2, 3, 2, 4), (None, 5), "e"), ("ab...,bc->ac...", (2, 3, 4), 5, "c"),
            ("abc,bd->adc", (2, 3, 4), (5, 4), "d")]:
        yield layer("EinsumDense", shape, equation=equation, output_shape=output, bias_axes=bias)
    yield layer("EinsumDense", (2, 3, 4), equation="abc,bcd->abd", output_shape=(3, 5), bias_axes="d", activation="relu")
    yield layer("EinsumDense", (2, 3, 4), equation="abc,cd->abd", output_shape=(None, 5), bias_axes="d",
                kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l2", _training=True)
    yield layer("EinsumDense", (2, 3, 4), equation="abc,cd->abd", output_shape=(None, 5), bias_axes="d",
                kernel_constraint="max_norm", bias_constraint="non_neg", kernel_initializer="he_normal")
    yield layer("EinsumDense", normal((2, 3, 4)), equation="abc,cd->abd", output_shape=(None, 5), dtype="mixed_bfloat16",
                _gradients=False)
    yield layer("EinsumDense", normal((2, 3, 4), dtype="float64"), equation="abc,cd->abd", output_shape=(None, 5),
                dtype="float64")

    rows = {"input_dim": 7, "output_dim": 3}
    yield layer("ReversibleEmbedding", integers((2, 6), 0, 7), **rows)
    yield layer("ReversibleEmbedding", integers((2, 6), 0, 3), **rows, mask_zero=True, embeddings_regularizer="l2")
    yield layer("ReversibleEmbedding", integers((2, 6), 0, 7), **rows, tie_weights=False, embeddings_constraint="max_norm")
    back = {"reverse": True}
    yield layer("ReversibleEmbedding", (2, 4, 3), **rows, _call=back)
    yield layer("ReversibleEmbedding", (2, 4, 3), **rows, mask_zero=True, activity_regularizer="l2", _call=back, _training=True)
    yield layer("ReversibleEmbedding", (2, 4, 3), **rows, tie_weights=False, _call=back)
    yield layer("ReversibleEmbedding", (4, 3), **rows, logit_soft_cap=1.5, _call=back)
    yield layer("ReversibleEmbedding", (4, 3), **rows, reverse_dtype="float64", _call=back)
    yield layer("ReversibleEmbedding", (4, 3), **rows, dtype="mixed_bfloat16", _call=back)
    yield layer("ReversibleEmbedding", (4, 3), **rows, dtype="mixed_bfloat16", reverse_dtype="bfloat16", _call=back,
                _gradients=False)
