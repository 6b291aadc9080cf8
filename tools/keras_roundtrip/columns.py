"""The results for a model that was converted in both directions, and their columns in the table."""
import dataclasses

COLUMNS = ["predict", "weights", "change", "moved", "history", "back", "resumed"]


@dataclasses.dataclass
class Result:
    name: str
    predict: float = 0.0     # Keras's predictions and Stoker's from Keras's file
    weights: float = 0.0     # after further training on either side
    change: float = 0.0      # the same, as a fraction of the change by that training
    moved: float = 0.0       # the change of a weight by training
    history: float = 0.0
    back: float = 0.0        # Stoker's predictions and Keras's from Stoker's file
    resumed: float = 0.0     # change after Keras continued from Stoker's file, and from its own
    losses: str = ""
    config: str = "same"
    problem: str = ""
    noticed: bool = False    # of a spoiled training: whether the difference is noticed

    @property
    def ok(self):
        return not self.problem


def header():
    return f"{'model':26} " + " ".join(f"{name:>8}" for name in COLUMNS) + "  loss"


def row(result):
    text = f"{result.name:26} " + " ".join(f"{getattr(result, name):8.1e}" for name in COLUMNS)
    text += f"  {result.losses or 'not trained'}"
    return text if result.ok else f"{text}\n    FAILED: {result.problem}"
