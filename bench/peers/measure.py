"""The common part of the peers: arguments, data, repetitions, one JSON line at the end."""
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
REPETITION_S = {"cpu": 1.0, "cuda": 0.25}
MOST_STEPS = 25600


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", default="mlp128:32", help="like mlp128:32,cnn128:256:bf16")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--mode", default="", help="how the framework runs the step")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--startup", action="store_true", help="one step, then say so")
    parser.add_argument("--steps-per-execution", type=int, default=1)
    return parser.parse_args()


class NotImplementedHere(Exception):
    """The peer has no network for the case."""


def network_of(networks, case):
    """The entry of the case's own network; another one must never be timed in its place."""
    if case.name not in networks:
        raise NotImplementedHere(f"this peer has no {case.name}, only {', '.join(networks)}")
    return networks[case.name]


def draw(case, rows):
    import numpy as np

    rng = np.random.default_rng(0)
    if case.name == "gpt2":  # tokens, and those that follow
        return tuple(rng.integers(0, case.classes, (rows, *case.shape)) for _ in range(2))
    x = rng.standard_normal((rows, *case.shape), dtype=np.float32)
    return x, rng.integers(0, case.classes, rows)


def timed(train, steps):
    start = time.perf_counter()
    loss = train(steps)
    seconds = (time.perf_counter() - start) / steps
    assert math.isfinite(loss), f"loss is {loss}: a wrong step is not worth timing"
    return seconds, loss


def settle(train, limit, seconds, grain):
    """Compiles and warms up; returns how many steps, a multiple of `grain`, fill a repetition."""
    steps = min(grain, limit)
    train(steps)
    while timed(train, steps)[0] * steps < seconds and steps < limit:
        steps = min(2 * steps, limit)
    return steps


def measure(make_trainer, args, case, batches, grain):
    train = make_trainer(args, case, *draw(case, case.batch * (batches or case.max_steps)))
    steps = settle(train, MOST_STEPS if batches else case.max_steps, REPETITION_S[args.device], grain)
    runs = [timed(train, steps) for _ in range(args.repeat)]
    times = [seconds * 1e6 for seconds, _ in runs]
    return {"us": round(statistics.median(times), 1), "min_us": round(min(times), 1),
            "max_us": round(max(times), 1), "steps": steps, "loss": runs[-1][1]}


def attempt(*everything):
    """With several cases in one process, one that fails must not end the others."""
    try:
        return measure(*everything)
    except Exception as problem:  # any exception of a framework
        kind = "" if isinstance(problem, NotImplementedHere) else f"{type(problem).__name__}: "
        return {"error": f"{kind}{problem}".splitlines()[0][:300]}


def main(make_trainer, batches=None, grain=GRAIN):
    """`make_trainer(args, case, x, y)` returns train(steps) -> mean loss. One JSON line a case.

    With `batches`, the data is that many batches, over and over; else an epoch. Steps come in multiples of `grain`."""
    args = arguments()
    chosen = [cases.find(key) for key in args.cases.split(",")]
    if args.startup:
        make_trainer(args, chosen[0], *draw(chosen[0], chosen[0].batch))(1)
        print(json.dumps({"first_step": "done"}), flush=True)
        return
    run = measure if len(chosen) == 1 else attempt
    for case in chosen:
        print(json.dumps({"case": case.key, **run(make_trainer, args, case, batches, grain)}), flush=True)
