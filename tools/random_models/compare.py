"""One program on both sides: Keras builds, trains and saves; Stoker predicts, trains on and saves; Keras loads that again."""
import sys
from pathlib import Path

import keras
import numpy as np
from exact import floats_of_64_bits, in_float64, widened
from sides import Answer, Reference, Side, Unsuitable, finite, loaded, train

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "keras_roundtrip"))
from differences import LEAST_SHARE, change_difference, difference  # noqa: E402

# By policy: unit roundoff of the computation, and limits for predictions, weights, history; for the changes by training; for
# the optimizer's state. They are the effect of rounding on ordinary models; for others shaken() measures it.
LIMITS = {"float32": (2e-7, 1e-5, 1e-4, 1e-4, 1e-2, 1e-3), "float64": (2e-7, 1e-5, 1e-4, 1e-4, 1e-2, 1e-3),
          "mixed_float16": (5e-4, 5e-3, 5e-3, 1e-2, 1e-1, 1e-1), "mixed_bfloat16": (4e-3, 4e-2, 2e-2, 5e-2, 3e-1, 3e-1)}
COLUMNS = ["predict", "weights", "history", "change", "state"]
SHAKES, SHAKEN_LIMIT = 3, 10
ERROR_LIMIT = 2  # of Stoker, in errors of Keras


def largest_of_slots(arrays, slots):
    """By slot, the largest number of all variables."""
    largest = {}
    for array, slot in zip(arrays, slots):
        largest[slot] = max(largest.get(slot, 0.0), float(np.abs(array).max(initial=0.0)))
    return largest


def relative(expected, actual, slots, least_share):
    """The largest difference in a list of arrays, each relative to its largest number. A gradient that should be 0
    consists of rounding errors, so each array is compared relative to at least a fraction of its slot's maximum."""
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
    """Minimum scales for the largest change and the largest state, at which one rounding error just reaches the limit."""
    roundoff, *_, change, state = LIMITS[policy]
    return max(LEAST_SHARE, roundoff / change), roundoff / state


def apart(reference, expected, actual):
    """Columns for two trainings from the reference's file."""
    keys = sorted(expected.history)
    least_change, least_state = least_shares(reference.program["policy"])
    changes = zip(reference.start, expected.states, actual.states)
    return {"weights": max(difference(a, b) for a, b in zip(expected.states, actual.states)),
            "history": difference([expected.history[k] for k in keys], [actual.history[k] for k in keys])
            if sorted(actual.history) == keys else float("inf"),
            "change": max(change_difference(*three, reference.steps, least_change) for three in changes),
            "state": relative(expected.optimizer, actual.optimizer, expected.slots, least_state),
            "back": difference(expected.predictions, actual.predictions)}


def columns_of(reference, expected, actual):
    """The differences between two sides' predictions and trainings."""
    if actual.predictions is None:
        return {}
    columns = {"predict": difference(expected.predictions, actual.predictions)}
    return columns | (apart(reference, expected.trained, actual.trained) if actual.trained else {})


def moved(states, before, start):
    """Where a training would have ended from another start, were it a step of the same size."""
    return [[end if end.dtype.kind != "f" else end - a + b for end, a, b in zip(*group)] for group in zip(states, before, start)]


def shaken(reference):
    """The same columns for Keras compared with Keras whose weights and inputs are perturbed in their last bits."""
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
            columns |= apart(reference, reference.trained, other)
        worst = {key: max(value, worst.get(key, 0.0)) for key, value in columns.items()}
    return worst


def failure(stage, error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Warning")] or lines
    return {"outcome": "refused" if stage in ("predict", "train") else "differs", "stage": stage, "message": " | ".join(lines[:3])[:500]}


class Exact:
    """Both sides in float64."""

    def __init__(self, reference):
        self.reference = reference
        path, before = in_float64(reference.folder / "model.keras"), reference.side
        with floats_of_64_bits():
            side = loaded(path, Side(None, widened(before.space), {**reference.program, "policy": "float64"}))
            self.predictions = side.predict()
            self.trained = train(side) if reference.trained else None
            self.stoker = Answer(side, self.trained)
            self.stoker.run(path)

    def errors(self, of):
        return columns_of(self.reference, self, of)

    def both_agree(self):
        limits = limits_of("float64")
        return all(value <= limits[key] for key, value in self.errors(self.stoker).items())


def rounded(reference, answer):
    """The columns in which Stoker is as close as Keras to the results of both in float64, and the errors of both."""
    exact, limits = Exact(reference), limits_of(reference.program["policy"])
    here, there = exact.errors(answer), exact.errors(reference)
    share = ERROR_LIMIT if exact.both_agree() else 0
    return {key for key in here if here[key] <= max(limits[key], share * there[key]) < float("inf")}, {"here": here, "there": there}


def skips_less(here, there):
    """Whether a step that was skipped there, which halves the loss scale, was a step to finite numbers here."""
    return all(a > b for a, b in zip(here.scaled, there.scaled)) and finite(*here.states)


def compare(program, folder, keep=lambda reference: None):
    """The result: outcome `agrees`, `differs` or `refused`, with the columns, or a message and the stage."""
    reference = Reference(program, folder)
    keep(reference)
    answer = Answer(reference.side, reference.trained)
    try:
        answer.run(folder / "model.keras")
    except Exception as error:
        return failure(answer.stage, error) | {"columns": columns_of(reference, reference, answer)}
    if reference.trained and skips_less(answer.trained, reference.trained):
        raise Unsuitable("inside of a layer Keras's float16 overflows where Stoker has float32")
    return judge(program, columns_of(reference, reference, answer), lambda: shaken(reference), lambda: rounded(reference, answer))


def attempt(measure, otherwise, result):
    try:
        return measure()
    except Exception as error:
        result["note"] = str(error)[:200]
        return otherwise


def limits_of(policy):
    _, predict, weights, history, change, state = LIMITS[policy]
    return {"predict": predict, "weights": weights, "history": history, "change": change, "state": state, "back": 10 * weights}


def judge(program, columns, shake, round_off):
    limits = limits_of(program["policy"])
    over = {key for key, value in columns.items() if not value <= limits[key]}
    result = {"outcome": "agrees", "columns": columns}
    if over:
        result["shaken"] = attempt(shake, {}, result)
        over = {key for key in over if not columns[key] <= SHAKEN_LIMIT * result["shaken"].get(key, 0.0) < float("inf")}
    if over:
        near, result["errors"] = attempt(round_off, (set(), {}), result)
        over -= near
    if over:
        stage = next(key for key in ("predict", "history", "change", "weights", "state", "back") if key in over)
        result |= {"outcome": "differs", "stage": stage, "message": ", ".join(f"{key} by {columns[key]:.1e}" for key in sorted(over))}
    return result
