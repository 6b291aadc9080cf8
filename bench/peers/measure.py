"""What every peer does alike: arguments, data, repetitions, one JSON line at the end."""
import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import cases  # noqa: E402

GRAIN = 8  # steps come in multiples of the largest steps_per_execution
REPETITION_S = 1.0


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", default="mlp128")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--startup", action="store_true", help="one step, then say so")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--steps-per-execution", type=int, default=1)
    return parser.parse_args()


def draw(case, rows):
    import numpy as np

    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, *case.shape), dtype=np.float32)
    return x, rng.integers(0, case.classes, rows)


def timed(train, steps):
    start = time.perf_counter()
    loss = train(steps)
    seconds = (time.perf_counter() - start) / steps
    assert math.isfinite(loss), f"loss is {loss}: a wrong step is not worth timing"
    return seconds, loss


def settle(train, limit):
    """Compiles and warms up; returns how many steps fill a repetition."""
    train(GRAIN)
    steps = GRAIN
    while timed(train, steps)[0] * steps < REPETITION_S and steps < limit:
        steps = min(2 * steps, limit)
    return steps


def main(make_trainer):
    """`make_trainer(args, case, x, y)` returns train(steps) -> mean loss."""
    args = arguments()
    case = cases.find(args.case, args.batch)
    if args.startup:
        make_trainer(args, case, *draw(case, case.batch))(1)
        print(json.dumps({"first_step": "done"}), flush=True)
        return
    train = make_trainer(args, case, *draw(case, case.batch * case.max_steps))
    steps = settle(train, case.max_steps)
    runs = [timed(train, steps) for _ in range(args.repeat)]
    times = [seconds * 1e6 for seconds, _ in runs]
    print(json.dumps({"us": round(statistics.median(times), 1), "min_us": round(min(times), 1),
                      "max_us": round(max(times), 1), "steps": steps, "loss": runs[-1][1]}), flush=True)
