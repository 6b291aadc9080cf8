"""One program there and back: Keras builds, trains and saves; Stoker predicts, trains on and saves; Keras loads that again."""
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow_as_elsewhere  # noqa: F401
from source import build_lines, fit_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "keras_roundtrip"))
from differences import LEAST_SHARE, change_difference, difference  # noqa: E402
from program import Stoker, repeat  # noqa: E402

# By policy: unit roundoff of the numbers that are computed with, and limits of predictions, weights, history; of what training
# changed; of the optimizer's state. They are what rounding does to ordinary models; where it does more, shaken() measures it.
LIMITS = {"float32": (2e-7, 1e-5, 1e-4, 1e-4, 1e-2, 1e-3), "float64": (2e-7, 1e-5, 1e-4, 1e-4, 1e-2, 1e-3),
          "mixed_float16": (5e-4, 5e-3, 5e-3, 1e-2, 1e-1, 1e-1), "mixed_bfloat16": (4e-3, 4e-2, 2e-2, 5e-2, 3e-1, 3e-1)}
COLUMNS = ["predict", "weights", "history", "change", "state"]
SHAKES, SHAKEN_LIMIT = 3, 10


class Unsuitable(Exception):
    """Keras itself does not build or train it, or not to finite numbers."""


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
        """What each of them is: momentum, velocity."""
        return [variable.path.rpartition("_")[2] for variable in self.model.optimizer.variables]


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
    """What is compared of one that trained from the file."""

    def __init__(self, history, side):
        self.history, self.states, self.predictions = history, side.states(), side.predict()
        self.optimizer, self.slots = side.optimizer(), side.slots()


def numbers_by_name(history):
    """Keras has arrays where a metric has several values; here each has a line of its own."""
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


def largest_of_slots(arrays, slots):
    """By slot, the largest number of all variables."""
    largest = {}
    for array, slot in zip(arrays, slots):
        largest[slot] = max(largest.get(slot, 0.0), float(np.abs(array).max(initial=0.0)))
    return largest


def relative(expected, actual, slots, least_share):
    """The largest difference in a list of arrays, each relative to its largest number. A gradient that should be 0 is what
    rounding left of the others, so that a number counts as no smaller than a share of its slot's largest."""
    if len(expected) != len(actual) or any(np.shape(a) != np.shape(b) for a, b in zip(expected, actual)):
        return float("inf")
    worst, largest = 0.0, largest_of_slots(expected, slots)
    for a, b, slot in zip(expected, actual, slots):
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        apart = np.abs(a - b).max(initial=0.0)
        least = max(1e-7, least_share * largest[slot])
        worst = max(worst, apart / max(np.abs(a).max(initial=0.0), least)) if apart > 1e-12 else worst
        if apart != apart:
            return float("inf")
    return float(worst)


def least_shares(policy):
    """Of the largest change and the largest state: what makes one rounding of that number just reach its limit."""
    roundoff, *_, change, state = LIMITS[policy]
    return max(LEAST_SHARE, roundoff / change), roundoff / state


def apart(start, expected, actual, steps, policy):
    """Columns of what two trainings made."""
    keys = sorted(expected.history)
    least_change, least_state = least_shares(policy)
    return {"weights": max(difference(a, b) for a, b in zip(expected.states, actual.states)),
            "history": difference([expected.history[k] for k in keys], [actual.history[k] for k in keys])
            if sorted(actual.history) == keys else float("inf"),
            "change": max(change_difference(*three, steps, least_change) for three in zip(start, expected.states, actual.states)),
            "state": relative(expected.optimizer, actual.optimizer, expected.slots, least_state),
            "back": difference(expected.predictions, actual.predictions)}


def moved(states, before, start):
    """Where a training would have ended from another start, were it a step of the same size."""
    return [[end if end.dtype.kind != "f" else end - a + b for end, a, b in zip(*group)] for group in zip(states, before, start)]


def shaken(reference):
    """The same columns of Keras with Keras, where weights and inputs differ by their last bits."""
    program, worst = reference.program, {}
    amount = LIMITS[program["policy"]][0]
    for seed in range(SHAKES):
        rng = np.random.default_rng(seed)

        def shake(values):
            if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
                return values
            bits = max(amount, np.finfo(values.dtype).eps / 2)  # inputs may be float16 by themselves
            return (values * (1 + bits * rng.normal(size=values.shape))).astype(values.dtype)

        side = loaded(reference.folder / "model.keras", reference.side)
        side.model.set_weights([shake(values) for values in side.model.get_weights()])
        side.space = {**side.space, "x": keras.tree.map_structure(shake, side.space["x"])}
        columns = {"predict": difference(reference.predictions, side.predict())}
        if reference.trained:
            before = side.states()
            other = train(side)
            other.states = moved(other.states, before, reference.start)
            columns |= reference.apart(other)
        worst = {key: max(value, worst.get(key, 0.0)) for key, value in columns.items()}
    return worst


class Files:
    """The program's data as files, and the options that stand for fit's arguments."""

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


def failure(stage, error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Warning")] or lines
    return {"outcome": "refused" if stage in ("predict", "train") else "differs", "stage": stage, "message": " | ".join(lines[:3])[:500]}


class Reference:
    """What Keras makes of a program, with its file in a folder."""

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

    def apart(self, other):
        return apart(self.start, self.trained, other, self.steps, self.program["policy"])


def compare(program, folder, keep=lambda reference: None):
    """What came of it: outcome `agrees`, `differs` or `refused`, with the columns, or a message and the stage."""
    reference = Reference(program, folder)
    keep(reference)
    files = Files(folder, reference.side)
    stoker = Stoker(folder, files, files.options)
    stage, columns = "predict", {}
    try:
        stoker.batch = len(files.x[0])
        columns["predict"] = difference(reference.predictions, stoker.predict("model.keras"))
        if reference.trained:
            stage = "train"
            stoker.batch = files.batch
            history = stoker.train("model.keras", program["fit"]["epochs"], "back.keras", may_start_afresh=not program["fit"]["before"])
            stage = "history"
            if sorted(history) != sorted(reference.trained.history):
                raise RuntimeError(f"history has {sorted(history)}, not {sorted(reference.trained.history)}")
            stage = "load back"
            back = loaded(folder / "back.keras", reference.side)
            columns |= reference.apart(Trained(history, back))
    except Exception as error:
        return failure(stage, error) | {"columns": columns}
    return judge(program, columns, lambda: shaken(reference))


def limits_of(policy):
    _, predict, weights, history, change, state = LIMITS[policy]
    return {"predict": predict, "weights": weights, "history": history, "change": change, "state": state, "back": 10 * weights}


def judge(program, columns, shake):
    limits = limits_of(program["policy"])
    over = {key for key, value in columns.items() if not value <= limits[key]}
    result = {"outcome": "agrees", "columns": columns}
    if over:
        try:
            result["shaken"] = shake()
        except Exception as error:
            result["shaken"] = {}
            result["note"] = str(error)[:200]
        over = {key for key in over if not columns[key] <= SHAKEN_LIMIT * result["shaken"].get(key, 0.0) < float("inf")}
    if over:
        stage = next(key for key in ("predict", "history", "change", "weights", "state", "back") if key in over)
        result |= {"outcome": "differs", "stage": stage, "message": ", ".join(f"{key} by {columns[key]:.1e}" for key in sorted(over))}
    return result
