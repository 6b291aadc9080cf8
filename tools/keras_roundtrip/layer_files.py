#!/usr/bin/env python3
"""Saves a model of each layer class and argument set from real Keras, and takes the file to Stoker and back.

usage: layer_files.py [--backend NAME] [--keep FOLDER] [--per-class N] [family ...]    (all families of tools/differential when none is named)

For each case of tools/differential: Keras saves a model of that layer alone. Stoker loads it and predicts, trains on it where
there is something to train, and saves. The names in both files are compared, and Keras loads Stoker's file and predicts. It
prints a row for each case that fails and a table of how many passed; exit status 1 if one did not.
"""
import argparse
import collections
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIFFERENTIAL = HERE.parent / "differential"
STEPS = ["loads", "predicts", "trains", "saves", "loads back"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default="jax", choices=["jax", "tensorflow", "torch"], help="of Keras; torch is installed when first asked for")
    parser.add_argument("--keep", type=Path, help="leave the files of cases that fail in this folder")
    parser.add_argument("--per-class", type=int, default=10 ** 9, help="only so many argument sets of each class, from first to last")
    parser.add_argument("families", nargs="*")
    return parser.parse_args()


def run_inside(options):
    """Again with the Python that has Keras."""
    from roundtrip import BACKEND, interpreter

    settings = {BACKEND: options.backend, "STOKER_LAYER_FILES_INSIDE": "1", "TF_CPP_MIN_LOG_LEVEL": "3",
                "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    python = str(interpreter(options.backend))
    os.execve(python, [python, "-W", "ignore", __file__, *sys.argv[1:]], {**os.environ, **settings})


def cases(families):
    """Each class and argument set once, with its family."""
    known = sorted(path.stem.removeprefix("cases_") for path in DIFFERENTIAL.glob("cases_*.py"))
    seen = set()
    for family in families or known:
        for case in importlib.import_module(f"cases_{family}").cases():
            key = (case.class_name, repr(case.arguments), tuple(case.settings), repr(case.settings.get("call")))
            if case.kind == "layer" and key not in seen:
                seen.add(key)
                yield family, case


def some_of_each_class(all_cases, count):
    """At most so many of a class, spread over its list, which goes from plain to odd."""
    by_class = collections.defaultdict(list)
    for family, case in all_cases:
        by_class[case.class_name].append((family, case))
    for members in by_class.values():
        kept = min(count, len(members))
        yield from (members[i * (len(members) - 1) // max(1, kept - 1)] for i in range(kept))


def described(case):
    import keras

    texts = []
    for name, value in case.arguments.items():
        try:
            text = json.dumps(keras.saving.serialize_keras_object(value))
        except Exception:
            text = repr(value)
        texts.append(f"{name}={text[:40]}")
    return f"{case.class_name}({', '.join(texts)})"


def main():
    options = arguments()
    if "STOKER_LAYER_FILES_INSIDE" not in os.environ:
        run_inside(options)
    sys.path.append(str(DIFFERENTIAL))
    from layer_case import LayerCase

    passed = collections.defaultdict(collections.Counter)
    failures = mismatches = skipped = 0
    for family, case in some_of_each_class(cases(options.families), options.per_class):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if options.keep:
                folder = options.keep / f"{case.class_name}_{sum(c['cases'] for c in passed.values())}"
                folder.mkdir(parents=True, exist_ok=True)
            result = LayerCase(case, folder).run()
        if result.skipped:
            skipped += 1
            print(f"skipped {family}: {described(case)}: Keras on {options.backend} cannot do it", flush=True)
            continue
        counts = passed[case.class_name]
        counts["cases"] += 1
        counts.update(result.steps)
        mismatches += result.names_differ
        if result.problem:
            failures += 1
            print(f"FAILED {family}: {described(case)}\n    {result.problem}", flush=True)
    print_table(passed)
    print(f"{sum(c['cases'] for c in passed.values())} cases, {failures} failed, {mismatches} with other names in the file, "
          f"{skipped} skipped")
    sys.exit(1 if failures else 0)


def print_table(passed):
    """How many cases of each class passed each step; a case without trainable weights does not train."""
    print(f"{'class':32}{'cases':>6}" + "".join(f"{step:>11}" for step in STEPS))
    for name in sorted(passed):
        counts = passed[name]
        print(f"{name:32}{counts['cases']:6}" + "".join(f"{counts[step]:11}" for step in STEPS))


if __name__ == "__main__":
    main()
