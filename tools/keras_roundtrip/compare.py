"""One model converted in both directions: what differs, and by how much."""
import dataclasses
import itertools

import keras
import numpy as np
from columns import Result
from differences import change_difference, config_of, difference, first_difference, moved, variety
from program import Stoker

PREDICTION_LIMIT, WEIGHT_LIMIT = 1e-5, 1e-4
CHANGE_LIMIT = 1e-2             # of what training changed, in each variable
LEAST_MOVE = WEIGHT_LIMIT       # if training changes less, errors could not be seen
LEAST_VARIETY = 10 * PREDICTION_LIMIT  # of predictions, likewise
TOO_FAST = 1.05                 # by which --spoil trains
SHAKE, SHAKEN_LIMIT = 2e-7, 3   # of all numbers; the limit of ill-conditioned cases is a multiple of the effect on Keras alone


@dataclasses.dataclass
class Case:
    """A compiled model with data. A case whose layers draw random numbers is not trained."""
    model: keras.Model
    x: list
    y: list
    trains: bool = True
    prediction_limit: float = PREDICTION_LIMIT
    epochs: int = 2
    batch: int = 16
    learns: bool = False   # the loss must decrease from epoch to epoch
    unsteady: bool = False  # it amplifies rounding errors

    def steps(self, epochs):
        return epochs * -(-len(self.x[0]) // self.batch)


class States:
    """The changes by training: by its steps, and of running means and counts."""

    def __init__(self, model):
        self.trained = [numbers(variable) for variable in model.trainable_weights]
        self.others = [numbers(variable) for variable in model.non_trainable_weights]

    def change_between(self, expected, actual, steps):
        return max(change_difference(self.trained, expected.trained, actual.trained, steps),
                   change_difference(self.others, expected.others, actual.others, steps))


def numbers(variable):
    return keras.ops.convert_to_numpy(variable)


def as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def fed(values):
    """Strings must be a tensor already."""
    return keras.ops.convert_to_tensor(values) if values.dtype.kind == "U" else values


def one_or_all(values):
    return fed(values[0]) if len(values) == 1 else [fed(value) for value in values]


def fit(model, case, epochs=None):
    x, y = one_or_all(case.x), one_or_all(case.y)
    return model.fit(x, y, batch_size=case.batch, epochs=epochs or case.epochs, shuffle=False, verbose=0).history


def predict(model, case):
    return as_list(model.predict(one_or_all(case.x), batch_size=case.batch, verbose=0))


@dataclasses.dataclass
class Side:
    """A side that trained from the same file as Keras: Stoker, or Keras with perturbed numbers."""
    case: Case      # with the model as it is after that
    history: dict
    result: Result


def stoker_side(case, stoker, result):
    history = stoker.train("there.keras", case.epochs, "back.keras")
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.back = difference(stoker.predict("back.keras"), predict(back, case))
    result.config = first_difference(config_of(stoker.folder / "there.keras"),
                                     config_of(stoker.folder / "back.keras")) or "same"
    return Side(dataclasses.replace(case, model=back), history, result)


def shaken_side(case, folder):
    """The same model from its file, with weights and inputs perturbed in their last bits."""
    rng = np.random.default_rng(3)

    def shake(values):
        return (values * (1 + SHAKE * rng.normal(size=values.shape))).astype(values.dtype)

    reloaded = keras.saving.load_model(folder / "there.keras")
    reloaded.set_weights([shake(values) for values in reloaded.get_weights()])
    shaken = dataclasses.replace(case, model=reloaded, x=[shake(values) for values in case.x])
    change = difference(predict(case.model, case), predict(reloaded, shaken))
    return Side(shaken, fit(reloaded, shaken), Result("shaken", predict=change, back=change))


def compare_history(expected, history):
    if sorted(history) != sorted(expected):
        raise RuntimeError(f"history has {sorted(history)}, not {sorted(expected)}")
    return difference([expected[key] for key in sorted(expected)],
                      [history[key] for key in sorted(expected)])


def compare_sides(case, sides, result):
    """Keras trains, and once more with perturbed numbers; the results of the sides."""
    start = States(case.model)
    expected = fit(case.model, case)
    end = States(case.model)
    for side in sides:
        side.result.history = compare_history(expected, side.history)
        side.result.weights = difference(case.model.get_weights(), side.case.model.get_weights())
        side.result.change = start.change_between(end, States(side.case.model),
                                                  case.steps(case.epochs))
    fit(case.model, case, 1)
    after = States(case.model)
    for side in sides:
        fit(side.case.model, side.case, 1)
        side.result.resumed = end.change_between(after, States(side.case.model),
                                                 case.steps(case.epochs + 1))
    result.moved = moved(start.trained, end.trained)
    result.losses = f"{expected['loss'][0]:.3f} -> {expected['loss'][-1]:.3f}"
    return all(later < before for before, later in itertools.pairwise(expected["loss"]))


def compare_training(case, stoker, result):
    """Both sides train from one file; then Keras continues from Stoker's file and from its own."""
    sides = [stoker_side(case, stoker, result)]
    if case.unsteady:
        sides.append(shaken_side(case, stoker.folder))
    falls = compare_sides(case, sides, result)
    result.problem = judge_training(case, result, sides[-1].result if case.unsteady else Result(""))
    if case.learns and not falls:
        result.problem = "the loss does not fall"


def judge_training(case, result, shaken):
    """Ill-conditioned cases may differ as much as perturbed Keras does from Keras."""
    if result.moved < LEAST_MOVE:
        return f"training moves no weight by {LEAST_MOVE:.0e}, so that nothing is compared"
    for name, limit in [("predict", case.prediction_limit), ("weights", WEIGHT_LIMIT),
                        ("change", CHANGE_LIMIT), ("history", WEIGHT_LIMIT),
                        ("back", case.prediction_limit), ("resumed", CHANGE_LIMIT)]:
        limit = max(limit, SHAKEN_LIMIT * getattr(shaken, name))
        if not getattr(result, name) <= limit:
            return f"{name} differs by {getattr(result, name):.1e}, more than {limit:.1e}"
    return "" if result.config == "same" else f"{result.config} came back otherwise"


def compare_copy(case, stoker, result):
    """Without training: Stoker writes what it has read."""
    stoker.run("convert", "there.keras", "back.keras")
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.weights = difference(case.model.get_weights(), back.get_weights())
    result.back = difference(predict(case.model, case), predict(back, case))
    if result.predict > case.prediction_limit:
        result.problem = f"predictions differ by {result.predict:.1e}"
    elif max(result.weights, result.back) > 0:
        result.problem = "a copy differs"


def too_fast(model):
    return ["--learning-rate", float(numbers(model.optimizer.learning_rate)) * TOO_FAST]


def compare(name, make, folder, spoil=False):
    result = Result(name)
    try:
        keras.backend.clear_session()
        keras.utils.set_random_seed(1)
        case = make()
        if case.model.compiled and case.trains:
            fit(case.model, case, 1)
        case.model.save(folder / "there.keras")
        stoker = Stoker(folder, case, too_fast(case.model) if spoil and case.trains else [])
        predictions = predict(case.model, case)
        result.predict = difference(predictions, stoker.predict("there.keras"))
        if variety(predictions) < LEAST_VARIETY:
            result.problem = f"samples differ by no more than {variety(predictions):.1e}"
        elif case.trains:
            compare_training(case, stoker, result)
        else:
            compare_copy(case, stoker, result)
        result.noticed = not case.trains or "differs by" in result.problem
    except Exception as error:  # of any kind: the other models are compared all the same
        result.problem = f"{type(error).__name__}: {error}"
    return result
