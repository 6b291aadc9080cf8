#!/usr/bin/env python3
"""Random Keras programs: real Keras and Stoker run each of them, and differing ones are minimised and printed.

usage: random_models.py [--seeds 0-99] [--workers 1] [--results FILE] [--minimise]   runs seeds that FILE does not have yet
       random_models.py --again …            runs those of FILE that did not agree, once more
       random_models.py --show SEED …        prints the program of a seed;   --small SEED …  makes it small first
       random_models.py --summary            only the table of FILE
       random_models.py --keep DIR --store FILE   collects tests/golden/random_models.npz

README.md says how a program is drawn and compared. Keras runs where tools/keras_roundtrip runs it (STOKER_KERAS_PYTHON), on
TensorFlow without compilation, which is quickest for small models.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSIDE = "STOKER_RANDOM_MODELS_INSIDE"
ATTEMPTS = 12  # to draw a program that Keras trains


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-99", help="0-99 or 3,7,9")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "random_models.jsonl")
    parser.add_argument("--minimise", action="store_true", help="make each failing program small")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--show", type=int, nargs="+")
    parser.add_argument("--small", type=int, nargs="+")
    parser.add_argument("--keep", type=Path, help="a folder for the programs, with what Keras made of them")
    parser.add_argument("--store", type=Path, help="collect the first --count well conditioned programs of --keep into this file")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--part", default="0/1", help=argparse.SUPPRESS)
    return parser.parse_args()


def seeds_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def drawn(seed, folder, keep=lambda reference: None):
    """The seed's first program that Keras builds and trains, with the result of comparing it."""
    from compare import compare
    from programs import draw_program
    from sides import Unsuitable
    why = ""
    for attempt in range(ATTEMPTS):
        try:
            program = draw_program(seed, attempt)
            return program, compare(program, folder, keep)
        except Unsuitable as error:
            why = str(error)
        except Exception as error:  # no move is possible any more
            why = f"drawing: {type(error).__name__}: {error}"
    return None, {"outcome": "unsuitable", "stage": "draw", "message": why[:300]}


def classes_of(program):
    """Its parts, to help find a cause."""
    names = [node.get("class") or node.get("code") or ("model" if "inner" in node else "again" if "again" in node else "")
             for node in program["graph"]["nodes"]]
    return [name for name in names if name]


def run_seed(seed, options):
    import fixtures
    from minimise import minimise, signature
    from source import snippet
    keep = (lambda reference: fixtures.keep(options.keep, seed, reference)) if options.keep else (lambda reference: None)
    with tempfile.TemporaryDirectory() as temporary:
        program, result = drawn(seed, Path(temporary), keep)
        result = {"seed": seed, **result}
        if program is None or result["outcome"] == "agrees":
            return result
        result["cause"] = signature(result)
        if options.minimise or options.small:
            program, small = minimise(program, result, Path(temporary))
            result |= {"small": snippet(program), "small_message": small.get("message"), "small_columns": small.get("columns")}
            if result["outcome"] == "differs":
                result["cause"] += " ".join(sorted(set(classes_of(program))))[:120]
        return result


def main_inside(options):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)  # small models: leave the cores to other processes
    tf.config.threading.set_inter_op_parallelism_threads(1)
    if options.show:
        from source import snippet
        for seed in options.show:
            with tempfile.TemporaryDirectory() as folder:
                program, result = drawn(seed, Path(folder))
            print(snippet(program) if program else "", result, sep="\n# ")
        return
    if options.small:
        for seed in options.small:
            result = run_seed(seed, options)
            print(f"# seed {seed}: {result['outcome']} {result.get('message')}\n{result.get('small')}\n# {result.get('small_message')}", flush=True)
        return
    if options.store:
        from fixtures import collect
        from summary import load
        return collect(options.keep, load(options.results), options.store, options.count)
    part, parts = map(int, options.part.split("/"))
    for number, seed in enumerate(map(int, os.environ[INSIDE].split(","))):
        if number % parts == part:
            line = json.dumps(run_seed(seed, options))
            with options.results.open("a") as file:
                file.write(line + "\n")


def inside(arguments, seeds):
    sys.path.insert(0, str(ROOT / "tools" / "keras_roundtrip"))
    from roundtrip import interpreter
    settings = {INSIDE: ",".join(map(str, seeds)) or "none", "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3",
                "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": ""}
    return subprocess.Popen([interpreter(), __file__, *arguments], env={**os.environ, **settings})


def main():
    options = arguments()
    if INSIDE in os.environ:
        return main_inside(options)
    from summary import load, summary
    if options.show or options.small or options.store:
        sys.exit(inside(sys.argv[1:], []).wait())
    if not options.summary:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        have = load(options.results)
        wanted = [seed for seed, r in have.items() if r["outcome"] != "agrees"] if options.again else [
            seed for seed in seeds_of(options.seeds) if seed not in have]
        processes = [inside([*sys.argv[1:], "--part", f"{k}/{options.workers}"], wanted) for k in range(options.workers)] if wanted else []
        for process in processes:
            process.wait()
    results = load(options.results)
    print(summary({seed: r for seed, r in results.items() if options.again or seed in set(seeds_of(options.seeds))}))
    sys.exit(0 if all(r["outcome"] in ("agrees", "unsuitable") for r in results.values()) else 1)


if __name__ == "__main__":
    main()
