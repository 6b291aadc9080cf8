#!/usr/bin/env python3
"""Writes tests/differential/results/<family>.npz: the results of real Keras for the cases of cases/<family>.py.

usage: make_cases.py [family ...]      (all families when none is named)
The environment is that of tools/goldens, or the Python named by STOKER_KERAS_PYTHON.
"""
import importlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.append(str(ROOT / "tools" / "goldens"))
from make_goldens import environment  # noqa: E402

FAMILIES = sorted(path.stem for path in (HERE / "cases").glob("*.py"))
SETTINGS = {
    "KERAS_BACKEND": "tensorflow",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "STOKER_DIFFERENTIAL_INSIDE": "1",
}


def generate(families):
    import tensorflow as tf

    from store import Family

    tf.get_logger().setLevel("ERROR")

    for name in families:
        family = Family(name)
        for case in importlib.import_module(f"cases.{name}").cases():
            family.add(case, importlib.import_module(f"kind_{case.kind}").run)
        family.save(ROOT / "tests" / "differential" / "results" / f"{name}.npz")


def main():
    families = sys.argv[1:] or FAMILIES
    for name in families:
        if name not in FAMILIES:
            sys.exit(f"unknown family {name}; there are {', '.join(FAMILIES)}")
    if "STOKER_DIFFERENTIAL_INSIDE" in os.environ:
        generate(families)
    else:
        python = os.environ.get("STOKER_KERAS_PYTHON") or environment()
        command = [python, "-W", "ignore", __file__, *families]
        sys.exit(subprocess.run(command, env={**os.environ, **SETTINGS}).returncode)


if __name__ == "__main__":
    main()
