"""One model there and back: what differs, and by how much."""
import dataclasses
import json
import os
import subprocess
import zipfile
from pathlib import Path

import keras
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STOKER_PROGRAM", str(ROOT / "build" / "stoker"))
PREDICTION_LIMIT, WEIGHT_LIMIT = 1e-5, 1e-4
BATCH, EPOCHS = 16, 2


@dataclasses.dataclass
class Case:
    """A compiled model with data. A case whose layers draw random numbers is not trained."""
    model: keras.Model
    x: list
    y: list
    trains: bool = True
    prediction_limit: float = PREDICTION_LIMIT
    weight_limit: float = WEIGHT_LIMIT
    epochs: int = EPOCHS


@dataclasses.dataclass
class Result:
    name: str
    predict: float = 0.0     # Keras's predictions and Stoker's from Keras's file
    weights: float = 0.0     # after going on training on either side
    back: float = 0.0        # Stoker's predictions and Keras's from Stoker's file
    resumed: float = 0.0     # weights after Keras went on from Stoker's file, and from its own
    history: float = 0.0
    config: str = "same"
    problem: str = ""

    @property
    def ok(self):
        return not self.problem


def difference(expected, actual):
    """The largest difference, relative to the largest number where that is beyond 1."""
    worst = 0.0
    if len(expected) != len(actual):
        return float("inf")
    for a, b in zip(expected, actual):
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        if a.shape != b.shape:
            return float("inf")
        if a.size:
            worst = max(worst, float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(a)))))
    return worst if worst == worst else float("inf")


def as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


class Stoker:
    """The program on the files of one case."""

    def __init__(self, folder, case):
        self.folder = folder
        self.x = [self.store(f"x{i}", values) for i, values in enumerate(case.x)]
        self.y = [self.store(f"y{i}", values) for i, values in enumerate(case.y)]
        self.outputs = len(case.y)

    def store(self, name, values):
        np.save(self.folder / f"{name}.npy", values)
        return f"{name}.npy"

    def run(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
        return done.stderr

    def predict(self, model):
        out = [f"out{i}.npy" for i in range(self.outputs)]
        self.run("predict", model, *repeat("--x", self.x), *repeat("--out", out),
                 "--batch-size", BATCH)
        return [np.load(self.folder / name) for name in out]

    def train(self, model, epochs, save):
        said = self.run("train", model, *repeat("--x", self.x), *repeat("--y", self.y),
                        "--batch-size", BATCH, "--epochs", epochs, "--shuffle", "false",
                        "--save", save, "--history", "history.json", "--quiet")
        if "starts afresh" in said:
            raise RuntimeError(said.strip())
        return json.loads((self.folder / "history.json").read_text())


def repeat(option, values):
    return [part for value in values for part in (option, value)]


def fit(model, case, epochs):
    x, y = (values[0] if len(values) == 1 else values for values in (case.x, case.y))
    return model.fit(x, y, batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0).history


def predict(model, case):
    x = case.x[0] if len(case.x) == 1 else case.x
    return as_list(model.predict(x, batch_size=BATCH, verbose=0))


def without_ids(value):
    """A config without what only says which objects were the same one in memory."""
    if isinstance(value, dict):
        return {key: without_ids(item) for key, item in value.items() if key != "shared_object_id"}
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    return value


def config_of(path):
    with zipfile.ZipFile(path) as archive:
        return without_ids(json.loads(archive.read("config.json")))


def first_difference(a, b, path="config"):
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        return path
    if isinstance(a, dict):
        for key in [*a, *b]:
            if key not in a or key not in b:
                return f"{path}.{key}"
            if found := first_difference(a[key], b[key], f"{path}.{key}"):
                return found
    elif isinstance(a, list):
        if len(a) != len(b):
            return path
        for i, (one, other) in enumerate(zip(a, b)):
            if found := first_difference(one, other, f"{path}[{i}]"):
                return found
    elif a != b:
        return path
    return ""


def compare_training(case, stoker, result):
    there = stoker.folder / "there.keras"
    history = stoker.train("there.keras", case.epochs, "back.keras")
    expected = fit(case.model, case, case.epochs)
    if sorted(history) != sorted(expected):
        raise RuntimeError(f"history has {sorted(history)}, not {sorted(expected)}")
    result.history = difference([expected[key] for key in sorted(expected)],
                                [history[key] for key in sorted(expected)])
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.weights = difference(case.model.get_weights(), back.get_weights())
    result.back = difference(stoker.predict("back.keras"), predict(back, case))
    fit(back, case, 1)
    fit(case.model, case, 1)
    result.resumed = difference(case.model.get_weights(), back.get_weights())
    result.config = first_difference(config_of(there),
                                     config_of(stoker.folder / "back.keras")) or "same"
    limit = case.weight_limit
    for name, value, most in [("history", result.history, limit), ("weights", result.weights, limit),
                              ("back", result.back, case.prediction_limit),
                              ("resumed", result.resumed, limit)]:
        if value > most:
            result.problem = f"{name} differs by {value:.1e}"
            return


def compare_copy(case, stoker, result):
    """Without training: what Stoker read it writes again."""
    stoker.run("convert", "there.keras", "back.keras")
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.weights = difference(case.model.get_weights(), back.get_weights())
    result.back = difference(predict(case.model, case), predict(back, case))
    if max(result.weights, result.back) > 0:
        result.problem = "a copy differs"


def compare(name, make, folder):
    result = Result(name)
    try:
        keras.backend.clear_session()
        keras.utils.set_random_seed(1)
        case = make()
        home = folder / name
        home.mkdir(exist_ok=True)
        stoker = Stoker(home, case)
        if case.model.compiled and case.trains:
            fit(case.model, case, 1)
        case.model.save(home / "there.keras")
        result.predict = difference(predict(case.model, case), stoker.predict("there.keras"))
        if result.predict > case.prediction_limit:
            result.problem = f"predictions differ by {result.predict:.1e}"
        elif case.trains:
            compare_training(case, stoker, result)
        else:
            compare_copy(case, stoker, result)
    except Exception as error:  # whatever it is, the other models are compared, too
        result.problem = f"{type(error).__name__}: {error}"
    return result


def header():
    return f"{'model':28} {'predict':>8} {'weights':>8} {'history':>8} {'back':>8} {'resumed':>8}  config"


def row(result):
    numbers = [result.predict, result.weights, result.history, result.back, result.resumed]
    text = f"{result.name:28} " + " ".join(f"{number:8.1e}" for number in numbers)
    text += f"  {result.config}"
    return text if result.ok else f"{text}\n    FAILED: {result.problem}"
