"""Keras and Stoker with one program: what each predicts and how it trains."""
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow_as_elsewhere  # noqa: F401
from source import build_lines, fit_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "keras_roundtrip"))
from program import Stoker, repeat  # noqa: E402


class Unsuitable(Exception):
    """Keras itself does not build or train it, or its numbers become non-finite."""


def flat(values):
    arrays = [np.asarray(value) for value in keras.tree.flatten(values)]
    return [array.astype("S").astype("U") if array.dtype == object else array for array in arrays]  # strings of TensorFlow


def numbers(variables):
    return [keras.ops.convert_to_numpy(keras.ops.cast(v, "float64") if "float" in v.dtype else v) for v in variables]


class Side:
    """A model with what it predicts and how it trains."""

    def __init__(self, model, space, program):
        self.model, self.space, self.program = model, space, program

    def predict(self):
        # As an array of float32 or integers, whatever numpy knows.
        made = self.model.predict_on_batch(self.space["x"])
        return [np.asarray(value, "float64") if value.dtype.kind not in "iub" else value for value in flat(made)]

    def fit(self, epochs):
        return eval(fit_text(self.program, epochs), {**self.space, "model": self.model}).history

    def states(self):
        return [numbers(self.model.trainable_weights), numbers(self.model.non_trainable_weights)]

    def optimizer(self):
        return numbers(self.model.optimizer.variables)

    def slots(self):
        """The role of each: momentum, velocity."""
        return [variable.path.rpartition("_")[2] for variable in self.model.optimizer.variables]


    def scaled(self):
        """The scale of the loss and how many steps were not skipped, where there is a scale."""
        optimizer = self.model.optimizer
        return (float(optimizer.dynamic_scale), int(optimizer.inner_optimizer.iterations)) if hasattr(optimizer, "dynamic_scale") else (0, 0)


def build(program):
    keras.backend.clear_session(free_memory=False)
    space = {"keras": keras, "layers": keras.layers, "ops": keras.ops, "np": np}
    try:
        exec("\n".join(build_lines(program)), space)
        side = Side(space["model"], space, program)
        if program["fit"]["before"]:
            side.fit(program["fit"]["before"])
        if not side.model.trainable_variables and program["fit"]["epochs"]:
            raise Unsuitable("nothing to train")
    except Exception as error:
        raise Unsuitable(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}") from error
    return side


def finite(*groups):
    return all(np.isfinite(np.asarray(value, "float64")).all() for group in groups for value in group)


class Trained:
    """The compared results of a side that trained from the file."""

    def __init__(self, history, side):
        self.history, self.states, self.predictions = history, side.states(), side.predict()
        self.optimizer, self.slots = side.optimizer(), side.slots()
        self.scaled = side.scaled()


def numbers_by_name(history):
    """Keras has arrays where a metric has several values; here each value has its own name."""
    flat_history = {}
    for key, epochs in history.items():
        if np.size(epochs[0]) == 1:
            flat_history[key] = [float(np.squeeze(value)) for value in epochs]
        else:
            flat_history |= {f"{key}/{i}": [float(value[i]) for value in epochs] for i in range(np.size(epochs[0]))}
    return flat_history


def train(side):
    history = numbers_by_name(side.fit(side.program["fit"]["epochs"]))
    return Trained(history, side)


class Files:
    """The program's data as files, and fit's arguments as options."""

    def __init__(self, folder, side):
        self.batch, self.x, self.y = side.program["fit"]["batch_size"], flat(side.space["x"]), flat(side.space["y"])
        weights = [f"w{i}.npy" for i, _ in enumerate(flat(side.space.get("weight", [])))]
        for name, values in zip(weights, flat(side.space.get("weight", []))):
            np.save(folder / name, values)
        fit = side.program["fit"]
        self.options = repeat("--sample-weight", weights)
        if "class_weight" in fit:
            self.options += ["--class-weight", "{" + ", ".join(f'"{k}": {v}' for k, v in fit["class_weight"].items()) + "}"]
        if "validation_split" in fit:
            self.options += ["--validation-split", fit["validation_split"]]


def loaded(path, side):
    """The model of a file, with the data of another."""
    keras.backend.clear_session(free_memory=False)
    keras.config.set_dtype_policy(side.program["policy"])
    model = keras.saving.load_model(path)
    model.run_eagerly = True
    return Side(model, side.space, side.program)


class Reference:
    """Keras's results for a program, with its file in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.side = build(program)
        self.trained = None
        try:
            self.predictions = self.side.predict()
            self.side.model.save(folder / "model.keras")
            self.start = self.side.states()
            if program["fit"]["epochs"]:
                self.trained = train(self.side)
        except Exception as error:
            raise Unsuitable(str(error)) from error
        if not finite(self.predictions) or self.trained and not finite(
                self.trained.history.values(), *self.trained.states, self.trained.predictions):
            raise Unsuitable("some numbers are not finite")
        if [np.shape(made)[1:] for made in self.predictions] != [tuple(output.shape)[1:] for output in self.side.model.outputs]:
            raise Unsuitable("Keras computes other shapes than it says")
        samples = len(flat(self.side.space["y"])[0])
        self.steps = -(-samples // program["fit"]["batch_size"]) * max(1, program["fit"]["epochs"])


class Answer:
    """Stoker's predictions from a file, and how training continues. `stage` is the current operation."""

    def __init__(self, side, expected):
        self.side, self.expected = side, expected
        self.stage, self.predictions, self.trained = "predict", None, None

    def run(self, path):
        files = Files(path.parent, self.side)
        stoker = Stoker(path.parent, files, files.options)
        stoker.batch = len(files.x[0])
        self.predictions = stoker.predict(path.name)
        if self.expected:
            stoker.batch = files.batch
            self.train(stoker, path)

    def train(self, stoker, path):
        self.stage, fit = "train", self.side.program["fit"]
        history = stoker.train(path.name, fit["epochs"], "back.keras", may_start_afresh=not fit["before"])
        self.stage = "history"
        if sorted(history) != sorted(self.expected.history):
            raise RuntimeError(f"history has {sorted(history)}, not {sorted(self.expected.history)}")
        self.stage = "load back"
        self.trained = Trained(history, loaded(path.with_name("back.keras"), self.side))
