"""A model of one layer: saved by Keras, used by Stoker, loaded by Keras."""
import dataclasses
import io
import subprocess
import zipfile

import h5py
import keras
import numpy as np
import other_backend
from declare import draw
from keyed import table
from program import PROGRAM

SAMPLES_SEED = 11
LIMIT, HALF_LIMIT = 2e-4, 2e-2  # of the differences, and where a policy computes in 16 bits


@dataclasses.dataclass
class Outcome:
    steps: list = dataclasses.field(default_factory=list)  # that passed
    problem: str = ""
    names_differ: bool = False
    skipped: str = ""  # why the case proves nothing about Stoker
    like_another_backend: bool = False  # Keras predicts something else, but on another backend the same as Stoker


class Failure(Exception):
    pass


class KerasCannot(Exception):
    """Keras cannot do the same with its own file."""


def names_in(path):
    """Of all numbers in the file. The counters of random layers have no meaning outside the process that saved them."""
    names = set()
    with zipfile.ZipFile(path) as archive, h5py.File(io.BytesIO(archive.read("model.weights.h5"))) as file:
        file.visititems(lambda name, item: names.add(name) if isinstance(item, h5py.Dataset) else None)
        assets = {name for name in archive.namelist() if name.startswith("assets/")}
    return {name for name in names if "generator/" not in name and not name.startswith("optimizer/")} | assets


class LayerCase:
    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.settings = case.settings
        self.rng = np.random.default_rng(SAMPLES_SEED)
        self.outcome = Outcome()

    def run(self):
        limit = HALF_LIMIT if "float16" in str(self.case.arguments) else LIMIT
        try:
            self.build()
        except Exception as error:
            self.outcome.skipped = f"Keras on {keras.backend.backend()} cannot do it: {first_line(error)}"
            return self.outcome
        if any(len(made) != len(self.x[0]) for made in self.predictions):
            self.outcome.skipped = "of one sample alone, without a batch"
            return self.outcome
        try:
            self.through_stoker(limit)
        except KerasCannot as error:
            self.outcome.skipped = f"Keras cannot load its own file: {first_line(error)}"
        except Failure as failure:
            self.outcome.problem = str(failure)
        except Exception as error:  # of any kind: the other cases are run all the same
            self.outcome.problem = f"{type(error).__name__}: {str(error)[:400]}"
        return self.outcome

    # Keras's side.

    def build(self):
        keras.utils.set_random_seed(1)
        layer = getattr(keras.layers, self.case.class_name)(**self.case.arguments)
        if self.settings.get("adapt") is not None:
            layer.adapt(self.settings["adapt"])
        self.x = [draw(self.rng, spec) for spec in self.settings["inputs"]]
        inputs = [keras.Input(x.shape[1:], dtype=dtype_of(x)) for x in self.x]
        outputs = keras.tree.flatten(self.call(layer, list(inputs), self.extra_inputs(inputs)))
        self.model = keras.Model(inputs, outputs)
        self.predictions = self.predict(self.model)
        self.trains = bool(layer.trainable_weights) and not self.gives_integers()
        self.y = [self.rng.standard_normal(p.shape).astype("float32") for p in self.predictions]
        self.trains = self.trains and self.has_loss()
        self.model.save(self.folder / "there.keras")
        if loaded := self.loads_own():  # without the arguments that Keras does not write
            self.predictions = self.predict(loaded)

    def gives_integers(self):
        """A normalisation of integers returns integers, which have no gradient; their dtype is a float's."""
        takes_them = any(x.dtype.kind in "iub" for x in self.x)
        return takes_them and all(np.array_equal(made, np.round(made)) for made in self.predictions)

    def has_loss(self):
        """Keras has none if masks of scores do not match their loss."""
        self.model.compile(keras.optimizers.SGD(0.01), "mse")
        try:
            outputs = self.model(self.x if len(self.x) > 1 else self.x[0], training=False)
            self.model.compute_loss(self.x, self.y if len(self.y) > 1 else self.y[0], outputs)
        except Exception:
            return False
        return True

    def extra_inputs(self, inputs):
        """Tensors that are passed by name become inputs of the model, too."""
        named = {}
        for name, spec in self.settings.get("tensors", {}).items():
            values = [draw(self.rng, s) for s in (spec if isinstance(spec, list) else [spec])]
            values = [np.repeat(x, len(self.x[0]) // len(x), axis=0) for x in values]
            tensors = [keras.Input(x.shape[1:], dtype=dtype_of(x)) for x in values]
            self.x += values
            inputs += tensors
            named[name] = tensors if isinstance(spec, list) else tensors[0]
        return named

    def call(self, layer, inputs, named):
        keywords = {**self.settings.get("call", {}), **named}
        if keys := self.settings.get("keys"):
            return layer(table(keys, inputs), **keywords)
        if self.settings.get("positional"):
            return layer(*inputs, **keywords)
        return layer(inputs if len(inputs) > 1 else inputs[0], **keywords)

    def predict(self, model):
        x = [keras.ops.convert_to_tensor(x) if x.dtype.kind not in "US" else x for x in self.x]
        outputs = model(x if len(x) > 1 else x[0], training=False)
        return [keras.ops.convert_to_numpy(y) for y in keras.tree.flatten(outputs)]

    # Stoker's side.

    def through_stoker(self, limit):
        self.files = [self.store(f"x{i}", values) for i, values in enumerate(self.x)]
        x = repeated("--x", self.files)
        self.stoker("summary", "there.keras")
        self.passed("loads")
        self.compare_predictions("there.keras", self.predictions, x, limit)
        self.passed("predicts")
        if self.trains:
            y = repeated("--y", [self.store(f"y{i}", values) for i, values in enumerate(self.y)])
            self.stoker("train", "there.keras", *x, *y, "--epochs", "1", "--quiet", "--save", "back.keras")
            self.passed("trains")
        else:
            self.stoker("convert", "there.keras", "back.keras")
        self.compare_names()
        self.passed("saves")
        self.compare_predictions("back.keras", self.predict(self.loaded_back()), x, limit)
        self.passed("loads back")

    def loaded_back(self):
        try:
            return keras.saving.load_model(self.folder / "back.keras")
        except Exception as error:
            if not self.loads_own():
                raise KerasCannot(error) from error
            raise

    def loads_own(self):
        """Keras's own file as loaded by Keras; None if that fails."""
        try:
            return keras.saving.load_model(self.folder / "there.keras")
        except Exception:
            return None

    def passed(self, step):
        self.outcome.steps.append(step)

    def store(self, name, values):
        np.save(self.folder / f"{name}.npy", values)
        return f"{name}.npy"

    def stoker(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, capture_output=True, timeout=600)
        if done.returncode != 0:
            raise Failure(f"{arguments[0]}: {done.stderr.strip()[-600:]}")
        if "Warning" in done.stderr:
            raise Failure(f"{arguments[0]} warns: {done.stderr.strip()[-600:]}")

    def stoker_predicts(self, model, x):
        out = [f"out{i}.npy" for i in range(len(self.predictions))]
        self.stoker("predict", model, *x, *repeated("--out", out))
        return [np.load(self.folder / name) for name in out]

    def compare_predictions(self, model, keras_predicts, x, limit):
        made = self.stoker_predicts(model, x)
        if differ := difference(keras_predicts, made, limit):
            others = other_backend.predict(self.folder, model, self.files, len(made))
            if difference(others, made, limit):
                raise Failure(f"predictions of {model} differ {differ}")
            self.outcome.like_another_backend = True

    def compare_names(self):
        there, back = names_in(self.folder / "there.keras"), names_in(self.folder / "back.keras")
        if there != back:
            self.outcome.names_differ = True
            raise Failure(f"only in Keras's file: {sorted(there - back)}, only in Stoker's: {sorted(back - there)}")


def difference(expected, actual, limit):
    """As a sentence, or None if there is no relevant one."""
    for want, got in zip(expected, actual, strict=True):
        if want.shape != got.shape:
            return f"in shape: {want.shape} and {got.shape}"
        want, got = want.astype("float64"), got.astype("float64")
        apart = np.max(np.abs(want - got) / np.maximum(1, np.abs(want)), initial=0)
        if not apart <= limit:
            return f"by {apart:.1e}"
    return None


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]


def dtype_of(x):
    return "string" if x.dtype.kind in "US" else str(x.dtype)


def repeated(option, values):
    return [part for value in values for part in (option, value)]
