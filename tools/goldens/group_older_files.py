"""Files of older Keras, 2 and 3: predictions, and how training continues from them.

Run in an environment of that version (STOKER_GOLDENS_ENV), whose group this becomes: files_2_15, files_3_0 …
"""
import keras
import numpy as np
from keras import layers

from group_files import as_list, compiled, file_of, train, wired
from store import Group

VERSION = tuple(map(int, keras.__version__.split(".")[:2]))
NAME = "files_{}_{}".format(*VERSION)
SAMPLES = 24


def make():
    group = Group()
    for number, (name, build) in enumerate(MODELS.items()):
        for extension in extensions(name):
            add_case(group, build(), (name, extension), np.random.default_rng(70 + number))
    return group


def extensions(name):
    """Both formats of one model; of the others the usual one."""
    if VERSION < (2, 13):
        return [".h5"]
    return [".keras", ".h5"] if name == "functional" else [".h5" if VERSION < (3, 0) else ".keras"]


def add_case(group, model, named, rng):
    x = [sample(tensor, rng) for tensor in model.inputs]
    y = [rng.standard_normal((SAMPLES, *tensor.shape[1:])).astype("float32") for tensor in model.outputs]
    train(model, x, y, 1)
    name, extension = named
    case = group.case(name, {})
    case.set(id=name + extension.replace(".", "_"), extension=extension, file=case.put("file", file_of(model, extension)),
             x=case.put_all("x", x), y=case.put_all("y", y),
             weights=case.put_all("weights", model.get_weights()),
             predictions=case.put_all("predictions", as_list(model.predict(x, verbose=0))))
    losses = train(model, x, y, 2)["loss"]  # the other names in a history change from version to version
    case.set(history={"loss": losses}, final_weights=case.put_all("final", model.get_weights()))


def sample(tensor, rng):
    shape = (SAMPLES, *tensor.shape[1:])
    if "int" in str(tensor.dtype):
        return rng.integers(0, 9, shape).astype("int32")
    return rng.standard_normal(shape).astype("float32")


def normalization():
    """Keras 2's fused kernel lets the moving variance follow n / (n - 1) of the batch's; Keras 3 does not."""
    return layers.BatchNormalization(**({"fused": False} if VERSION < (3, 0) else {}))


def images():
    return keras.Sequential([
        layers.Input((8, 8, 3)), layers.Rescaling(0.5), layers.Conv2D(4, 3, padding="same", use_bias=False),
        normalization(), layers.LeakyReLU(), layers.MaxPooling2D(), layers.SeparableConv2D(4, 3),
        layers.Conv2DTranspose(3, 2, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(2)])


def words():
    return keras.Sequential([
        layers.Input((6,), dtype="int32"), layers.Embedding(9, 4, mask_zero=True),
        layers.Bidirectional(layers.LSTM(3, return_sequences=True)), layers.GRU(3), layers.Dense(1)])


def translation():
    """A layer that starts from another one's states."""
    source, target = layers.Input((4, 3)), layers.Input((5, 2))
    _, *states = layers.LSTM(3, return_state=True)(source)
    h = layers.LSTM(3, return_sequences=True)(target, initial_state=states)
    return keras.Model([source, target], layers.TimeDistributed(layers.Dense(1))(h))


def attention():
    x = layers.Input((5, 6))
    h = layers.LayerNormalization()(layers.Add()([x, layers.MultiHeadAttention(2, 3, use_bias=False)(x, x)]))
    return keras.Model(x, layers.Dense(1)(layers.Flatten()(h)))


MODELS = {
    "functional": lambda: compiled(wired(), "rmsprop", ["mse", "mae"]),
    "images": lambda: compiled(images(), "sgd"),
    "words": lambda: compiled(words(), "sgd"),
    "translation": lambda: compiled(translation()),
    "attention": lambda: compiled(attention()),
}
