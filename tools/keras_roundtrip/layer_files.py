#!/usr/bin/env python3
"""Saves a model of each layer class and argument set from real Keras, and tests the file in Stoker, and Stoker's file in Keras.

usage: layer_files.py [--backend NAME] [--keep FOLDER] [--per-class N] [family ...]    (all families of tools/differential when none is named)

For each case of tools/differential: Keras saves a model of that layer alone. Stoker loads it and predicts, trains if
there is something to train, and saves. The names in both files are compared, and Keras loads Stoker's file and predicts. It
prints a row for each case that fails and a table of how many passed; exit status 1 if one did not.
"""
import argparse
import collections
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from layer_cases import MARK, run_from

STEPS = ["loads", "predicts", "trains", "saves", "loads back"]
FIRST = "STOKER_LAYER_FILES_FIRST"  # inside: the number of the first case


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default="jax", choices=["jax", "tensorflow", "torch"], help="of Keras; torch is installed when first asked for")
    parser.add_argument("--keep", type=Path, help="leave the files of cases that fail in this folder")
    parser.add_argument("--per-class", type=int, default=10 ** 9, help="only so many argument sets of each class, from first to last")
    parser.add_argument("families", nargs="*")
    return parser.parse_args()


def lines_of(backend, first):
    """The output of a process that runs the cases from this one on, then its exit status."""
    from roundtrip import BACKEND, interpreter

    settings = {BACKEND: backend, FIRST: str(first), "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    command = [interpreter(backend), "-W", "ignore", __file__, *sys.argv[1:]]
    with subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith(MARK):
                yield json.loads(line.removeprefix(MARK))
    if process.returncode > 0:
        sys.exit(process.returncode)
    if process.returncode < 0:
        yield {"ended": True, "skipped": f"Keras on {backend} ends by {signal.Signals(-process.returncode).name}"}


def results(backend):
    """Each case with its outcome. Some cases crash the process inside TensorFlow: another process continues after them."""
    first, ended = 0, True
    while ended:
        ended = False
        for line in lines_of(backend, first):
            if "number" in line:
                case, first = line, line["number"] + 1
            else:
                ended = "ended" in line
                yield case, line


def main():
    options = arguments()
    if FIRST in os.environ:
        run_from(int(os.environ[FIRST]), options)
        return
    passed = collections.defaultdict(collections.Counter)
    failures = mismatches = skipped = otherwise = 0
    for case, outcome in results(options.backend):
        if outcome["skipped"]:
            skipped += 1
            print(f"skipped {case['text']}: {outcome['skipped']}", flush=True)
            continue
        counts = passed[case["class_name"]]
        counts["cases"] += 1
        counts.update(outcome["steps"])
        mismatches += outcome["names_differ"]
        if outcome["like_another_backend"]:
            otherwise += 1
            print(f"as on another backend of Keras, not as on {options.backend}: {case['text']}", flush=True)
        if outcome["problem"]:
            failures += 1
            print(f"FAILED {case['text']}\n    {outcome['problem']}", flush=True)
    print_table(passed)
    print(f"{sum(c['cases'] for c in passed.values())} cases, {failures} failed, {mismatches} with other names in the file, "
          f"{otherwise} as another backend of Keras predicts, {skipped} skipped")
    sys.exit(1 if failures else 0)


def print_table(passed):
    """How many cases of each class passed each step; a case without trainable weights does not train."""
    print(f"{'class':32}{'cases':>6}" + "".join(f"{step:>11}" for step in STEPS))
    for name in sorted(passed):
        counts = passed[name]
        print(f"{name:32}{counts['cases']:6}" + "".join(f"{counts[step]:11}" for step in STEPS))


if __name__ == "__main__":
    main()
