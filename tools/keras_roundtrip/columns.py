"""What is known of a model that went there and back, and how that looks in the table."""
import dataclasses

COLUMNS = ["predict", "weights", "change", "moved", "history", "back", "resumed"]


@dataclasses.dataclass
class Result:
    name: str
    predict: float = 0.0     # Keras's predictions and Stoker's from Keras's file
    weights: float = 0.0     # after going on training on either side
    change: float = 0.0      # the same, as a share of what that training changed
    moved: float = 0.0       # how far training took a weight
    history: float = 0.0
    back: float = 0.0        # Stoker's predictions and Keras's from Stoker's file
    resumed: float = 0.0     # change after Keras went on from Stoker's file, and from its own
    losses: str = ""
    config: str = "same"
    problem: str = ""
    noticed: bool = False    # of a spoiled training: that it went elsewhere

    @property
    def ok(self):
        return not self.problem


def header():
    return f"{'model':26} " + " ".join(f"{name:>8}" for name in COLUMNS) + "  loss"


def row(result):
    text = f"{result.name:26} " + " ".join(f"{getattr(result, name):8.1e}" for name in COLUMNS)
    text += f"  {result.losses or 'not trained'}"
    return text if result.ok else f"{text}\n    FAILED: {result.problem}"
