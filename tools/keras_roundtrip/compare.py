"""One model there and back: what differs, and by how much."""
import dataclasses

import keras
from columns import Result
from differences import change_difference, config_of, difference, first_difference, moved, variety
from program import Stoker

PREDICTION_LIMIT, WEIGHT_LIMIT = 1e-5, 1e-4
CHANGE_LIMIT = 1e-2             # of what training changed, in each variable
LEAST_MOVE = WEIGHT_LIMIT       # a training that changes less could not show that it is wrong
LEAST_VARIETY = 100 * PREDICTION_LIMIT  # of predictions, likewise
TOO_FAST = 1.05                 # by which --spoil trains


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
    learns: bool = False   # the loss has to fall from epoch to epoch


class States:
    """What training changes: by its steps, and as it goes by (means, counts)."""

    def __init__(self, model):
        self.trained = [numbers(variable) for variable in model.trainable_weights]
        self.others = [numbers(variable) for variable in model.non_trainable_weights]

    def change_between(self, expected, actual):
        return max(change_difference(self.trained, expected.trained, actual.trained),
                   change_difference(self.others, expected.others, actual.others))


def numbers(variable):
    return keras.ops.convert_to_numpy(variable)


def as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def fit(model, case, epochs):
    x, y = (values[0] if len(values) == 1 else values for values in (case.x, case.y))
    return model.fit(x, y, batch_size=case.batch, epochs=epochs, shuffle=False, verbose=0).history


def predict(model, case):
    x = case.x[0] if len(case.x) == 1 else case.x
    return as_list(model.predict(x, batch_size=case.batch, verbose=0))


def compare_history(expected, history, case, result):
    if sorted(history) != sorted(expected):
        raise RuntimeError(f"history has {sorted(history)}, not {sorted(expected)}")
    result.history = difference([expected[key] for key in sorted(expected)],
                                [history[key] for key in sorted(expected)])
    losses = expected["loss"]
    result.losses = f"{losses[0]:.3f} -> {losses[-1]:.3f}"
    if case.learns and any(after >= before for before, after in zip(losses, losses[1:])):
        raise RuntimeError(f"the loss does not fall: {losses}")


def compare_training(case, stoker, result):
    """Both sides train from one file; then Keras goes on from Stoker's file and from its own."""
    start = States(case.model)
    history = stoker.train("there.keras", case.epochs, "back.keras")
    compare_history(fit(case.model, case, case.epochs), history, case, result)
    end = States(case.model)
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.moved = moved(start.trained, end.trained)
    result.weights = difference(case.model.get_weights(), back.get_weights())
    result.change = start.change_between(end, States(back))
    result.back = difference(stoker.predict("back.keras"), predict(back, case))
    result.config = first_difference(config_of(stoker.folder / "there.keras"),
                                     config_of(stoker.folder / "back.keras")) or "same"
    fit(back, case, 1)
    fit(case.model, case, 1)
    result.resumed = end.change_between(States(case.model), States(back))


def judge_training(case, result):
    if result.moved < LEAST_MOVE:
        return f"training moves no weight by {LEAST_MOVE:.0e}, so that nothing is compared"
    for name, limit in [("weights", WEIGHT_LIMIT), ("change", CHANGE_LIMIT),
                        ("history", WEIGHT_LIMIT), ("back", case.prediction_limit),
                        ("resumed", CHANGE_LIMIT)]:
        if not getattr(result, name) <= limit:
            return f"{name} differs by {getattr(result, name):.1e}, more than {limit:.0e}"
    return "" if result.config == "same" else f"{result.config} came back otherwise"


def compare_copy(case, stoker, result):
    """Without training: what Stoker read it writes again."""
    stoker.run("convert", "there.keras", "back.keras")
    back = keras.saving.load_model(stoker.folder / "back.keras")
    result.weights = difference(case.model.get_weights(), back.get_weights())
    result.back = difference(predict(case.model, case), predict(back, case))
    if max(result.weights, result.back) > 0:
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
        if result.predict > case.prediction_limit:
            result.problem = f"predictions differ by {result.predict:.1e}"
        elif variety(predictions) < LEAST_VARIETY:
            result.problem = f"samples differ by no more than {variety(predictions):.1e}"
        elif case.trains:
            compare_training(case, stoker, result)
            result.problem = judge_training(case, result)
        else:
            compare_copy(case, stoker, result)
        result.noticed = not case.trains or result.change > CHANGE_LIMIT
    except Exception as error:  # whatever it is, the other models are compared, too
        result.problem = f"{type(error).__name__}: {error}"
    return result
