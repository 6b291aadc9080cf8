"""Kinds of inputs, with expressions for their data, and the layers that take integers and strings."""
from source import obj

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog"]


def normal(shape, seed, dtype="float32"):
    return f"np.random.default_rng({seed}).normal(size={tuple(shape)}).astype({dtype!r})"


def integers(shape, seed, low, high, dtype="int32"):
    return f"np.random.default_rng({seed}).integers({low}, {high}, size={tuple(shape)}).astype({dtype!r})"


def padded_ids(shape, seed, high, dtype="int32"):
    """Rows that end in zeros."""
    return (f"np.random.default_rng({seed}).integers(1, {high}, size={tuple(shape)}).astype({dtype!r}) * "
            f"(np.arange({shape[-1]}) < np.random.default_rng({seed}).integers(1, {shape[-1] + 1}, size=({shape[0]}, 1)))")


def input_of(d, kind, samples, seed):
    """(arguments of Input, data expression) of a kind."""
    if kind in ("vector", "sequence", "image", "volume"):
        shape = {"vector": [d.int(2, 6)], "sequence": [d.int(2, 5), d.int(1, 4)], "image": [d.int(3, 6), d.int(3, 6), d.int(1, 3)],
                 "volume": [d.int(2, 4), d.int(2, 3), d.int(2, 4), d.int(1, 2)]}[kind]
        dtype = d.weighted({"float32": 20, "float64": 1, "float16": 1})
        asked = {} if dtype == "float32" else {"dtype": dtype}
        return {"shape": shape} | asked, normal([samples, *shape], seed, dtype)
    if kind == "zeros":  # steps that Masking masks
        shape = [d.int(3, 5), d.int(1, 3)]
        return {"shape": shape}, (f"{normal([samples, *shape], seed)} * (np.arange({shape[0]}) < np.random.default_rng({seed})"
                                  f".integers(1, {shape[0] + 1}, size=({samples}, 1)))[..., None].astype('float32')")
    if kind == "ids":
        length = d.int(2, 5)
        dtype = d.pick(["int32", "int32", "int64", "uint8", "int16"])
        return {"shape": [length], "dtype": dtype}, padded_ids([samples, length], seed, 8, dtype)
    if kind == "integers":
        shape = d.pick([[d.int(1, 4)], [d.int(2, 4), d.int(1, 3)]])
        dtype = d.pick(["int32", "int64", "uint8", "int8", "int16", "uint16", "uint32"])
        return {"shape": shape, "dtype": dtype}, integers([samples, *shape], seed, 0, 6, dtype)
    if kind == "bytes":
        shape = [d.int(3, 6), d.int(3, 6), d.int(1, 3)]
        return {"shape": shape, "dtype": "uint8"}, integers([samples, *shape], seed, 0, 256, "uint8")
    if kind == "bool":
        length = d.int(2, 5)
        return {"shape": [length], "dtype": "bool"}, f"np.random.default_rng({seed}).random({(samples, length)}) < 0.6"
    assert kind == "strings"
    length = d.pick([1, 1, 2, 3])
    words = f"np.random.default_rng({seed}).choice({WORDS + ['unknown']!r}, size={(samples, length)})"
    return {"shape": [length], "dtype": "string"}, f"ops.convert_to_tensor({words}.tolist())"


def embedding(d, shape):
    args = {"input_dim": 10, "output_dim": d.int(1, 4)} | d.some({"mask_zero": [True]}, 0.5)
    return args | d.some({"embeddings_initializer": ["uniform", "glorot_normal"], "embeddings_regularizer": ["l2", "l1"],
                          "embeddings_constraint": ["unit_norm", "max_norm"]}, 0.12)


def with_vocabulary(vocabulary, args):
    """tf_idf also requires a weight for each entry."""
    weights = {"idf_weights": [0.25 + 0.5 * i for i in range(len(vocabulary))]} if args["output_mode"] == "tf_idf" else {}
    return {"vocabulary": vocabulary} | weights | args


def lookup(vocabulary):
    def draw(d, shape):
        modes = ["int", "multi_hot", "count", "tf_idf"] + (["one_hot"] if shape == [1] else [])
        return with_vocabulary(vocabulary, {"output_mode": d.pick(modes)} | d.some({"num_oov_indices": [1, 2]}, 0.3))
    return draw


def category_encoding(d, shape):
    return {"num_tokens": 10, "output_mode": d.pick(["multi_hot", "count"] + (["one_hot"] if shape == [1] else []))}


def text_vectorization(d, shape):
    modes = d.pick([{"output_mode": "int", "output_sequence_length": d.int(2, 4)}, {"output_mode": "multi_hot"}, {"output_mode": "count"},
                    {"output_mode": "tf_idf"}])
    return with_vocabulary(WORDS, modes)


TAKES_INTEGERS = {
    "Embedding": ((1, 2), embedding, 4), "CategoryEncoding": ((1,), category_encoding, 1),
    "IntegerLookup": ((1,), lookup([1, 2, 3, 5]), 1), "Dense": ((1, 2), lambda d, s: {"units": d.int(1, 4)}, 1),
    "Rescaling": ((1, 2, 3), lambda d, s: {"scale": 0.1}, 1.5), "Flatten": ((1, 2, 3), lambda d, s: {}, 0.3),
    "Hashing": ((1,), lambda d, s: {"num_bins": 6}, 0.4), "BatchNormalization": ((1, 2, 3), lambda d, s: {}, 0.4),
    "Conv2D": ((3,), lambda d, s: {"filters": 2, "kernel_size": 2}, 1), "Normalization": ((1, 2, 3), lambda d, s: {"mean": 2.0, "variance": 3.0}, 0.5),
    "ReversibleEmbedding": ((1,), lambda d, s: {"input_dim": 10, "output_dim": d.int(1, 4)}, 0.3),
    "LayerNormalization": ((1, 2), lambda d, s: {}, 0.3), "GlobalAveragePooling2D": ((3,), lambda d, s: {}, 0.5),
    "MaxPooling2D": ((3,), lambda d, s: {}, 0.4), "AveragePooling2D": ((3,), lambda d, s: {}, 0.3), "LSTM": ((2,), lambda d, s: {"units": 2}, 0.3)}
TAKES_STRINGS = {"StringLookup": ((1,), lookup(WORDS), 3), "Hashing": ((1,), lambda d, s: {"num_bins": 6}, 1),
                 "TextVectorization": ((1,), text_vectorization, 2)}
ENCODED = {"Discretization": lambda d: {"bin_boundaries": [-0.5, 0.0, 0.7], "output_mode": d.pick(["int", "one_hot", "multi_hot"])}}
AUGMENTS = {"RandomFlip": {}, "RandomRotation": {"factor": 0.2}, "RandomZoom": {"height_factor": 0.2}, "RandomTranslation":
            {"height_factor": 0.1, "width_factor": 0.1}, "RandomContrast": {"factor": 0.3}, "RandomBrightness": {"factor": 0.2},
            "RandomErasing": {}, "RandomGrayscale": {}, "RandomShear": {"x_factor": 0.1}, "RandomSharpness": {"factor": 0.2}}
DROPS = {"Dropout": {"rate": 0.4}, "GaussianDropout": {"rate": 0.3}, "GaussianNoise": {"stddev": 0.5}, "AlphaDropout": {"rate": 0.3}}
