#!/usr/bin/env python3
"""Takes models from real Keras to Stoker and back, and compares what both sides make of them.

usage: roundtrip.py [--list] [--keep FOLDER] [model ...]      (all models when none is named)

For each model: Keras trains it for a while and saves it. Stoker predicts from that file, goes on
training on the same data in the same order, and saves. Keras loads the result, predicts, and goes
on training. Meanwhile Keras alone has done the same. Exit status 1 if anything differs.

Keras runs in an environment of its own, build/keras-env, made on first use; STOKER_KERAS_PYTHON
names another interpreter that has it. STOKER_PROGRAM names another program than build/stoker.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["keras", "jax", "numpy", "h5py"]
INSIDE = "STOKER_ROUNDTRIP_INSIDE"


def interpreter():
    """The Python that has Keras, made on first use."""
    if given := os.environ.get("STOKER_KERAS_PYTHON"):
        return given
    home = ROOT / "build" / "keras-env"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"installing {', '.join(PACKAGES)} into {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (home / "ready").touch()
    return python


def run_inside():
    settings = {INSIDE: "1", "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu",
                "KERAS_BACKEND": os.environ.get("KERAS_BACKEND", "jax")}
    command = [interpreter(), __file__, *sys.argv[1:]]
    return subprocess.run(command, env={**os.environ, **settings}).returncode


def compare_all(names, folder):
    from compare import compare, header, row
    from models import MODELS

    print(header(), flush=True)
    failed = 0
    for name in names:
        result = compare(name, MODELS[name], folder)
        failed += not result.ok
        print(row(result), flush=True)
    print(f"{len(names) - failed} of {len(names)} models came back the same")
    return failed


def main():
    if INSIDE not in os.environ:
        sys.exit(run_inside())
    from models import MODELS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only name the models")
    parser.add_argument("--keep", type=Path, help="leave the files in this folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    unknown = [name for name in options.models if name not in MODELS]
    if unknown:
        sys.exit(f"unknown model {unknown[0]}; --list names them")
    names = options.models or list(MODELS)
    if options.list:
        print("\n".join(names))
        return
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        sys.exit(1 if compare_all(names, options.keep) else 0)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if compare_all(names, Path(folder)) else 0)


if __name__ == "__main__":
    main()
