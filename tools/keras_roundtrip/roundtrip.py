#!/usr/bin/env python3
"""Converts models from real Keras to Stoker and back, and compares the results of both sides.

usage: roundtrip.py [--list] [--keep FOLDER] [--spoil] [model ...]      (all models when none is named)

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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["keras", "jax", "tensorflow-cpu"]
ON_DEMAND = {"torch": ["torch", "--extra-index-url", "https://download.pytorch.org/whl/cpu"]}  # for KERAS_BACKEND=torch
BACKENDS = ["jax", "tensorflow"]  # models.py says which model is computed by which
BACKEND = "KERAS_BACKEND"
INSIDE = "STOKER_ROUNDTRIP_INSIDE"


def install(home, packages, done):
    """Once: `done` is a file that says so."""
    if done.exists():
        return
    print(f"installing {', '.join(packages)} into {home}", flush=True)
    subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", *packages], check=True)
    done.touch()


def interpreter(backend="jax"):
    """The Python that has Keras and this backend, made on first use."""
    if given := os.environ.get("STOKER_KERAS_PYTHON"):
        return given
    home = ROOT / "build" / "keras-env"
    if not home.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    install(home, PACKAGES, home / "ready")
    if backend in ON_DEMAND:
        install(home, ON_DEMAND[backend], home / f"ready-{backend}")
    return home / "bin" / "python"


def run_inside(backend, arguments):
    """The rows of a backend's models as they come; how many there are, and how many passed."""
    settings = {INSIDE: "1", BACKEND: backend, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu",
                "CUDA_VISIBLE_DEVICES": ""}
    command = [interpreter(), __file__, *arguments]
    models = passed = 0
    with subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE,
                          text=True) as process:
        for line in process.stdout:
            if line.startswith(INSIDE):
                models, passed = map(int, line.split()[1:])
            else:
                print(line, end="", flush=True)
    if process.returncode:
        sys.exit(process.returncode)
    return models, passed


def compare_all(names, options):
    """Inside: a row for each, then what run_inside counts."""
    from columns import row
    from compare import compare
    from models import MODELS

    passed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep / name if options.keep else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            result = compare(name, MODELS[name], folder, options.spoil)
        passed += result.noticed if options.spoil else result.ok
        print(row(result), flush=True)
    print(INSIDE, len(names), passed)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only name the models")
    parser.add_argument("--keep", type=Path, help="leave the files in this folder")
    parser.add_argument("--spoil", action="store_true",
                        help="let Stoker train 5 %% too fast: whatever is trained has to differ then")
    parser.add_argument("models", nargs="*")
    return parser.parse_args()


def main_inside(options):
    from models import MODELS, names_for

    unknown = [name for name in options.models if name not in MODELS]
    if unknown:
        sys.exit(f"unknown model {unknown[0]}; --list names them")
    names = [name for name in names_for(os.environ[BACKEND])
             if not options.models or name in options.models]
    if options.list:
        print("\n".join(names))
    else:
        compare_all(names, options)


def main():
    options = arguments()
    if INSIDE in os.environ:
        main_inside(options)
        return
    if not options.list:
        from columns import header
        print(header(), flush=True)
    interpreter()
    with ThreadPoolExecutor() as both:
        counts = both.map(run_inside, BACKENDS, [sys.argv[1:]] * len(BACKENDS))
        models, passed = map(sum, zip(*counts))
    if not options.list:
        print(f"{models} models, {passed} {'noticed' if options.spoil else 'passed'}")
        sys.exit(0 if models and passed == models else 1)


if __name__ == "__main__":
    main()
