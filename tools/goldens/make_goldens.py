#!/usr/bin/env python3
"""Writes tests/golden/*.npz from real Keras, in a temporary environment under build/goldens-env.

usage: make_goldens.py [group ...]      (all groups when none is named)
"""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
PACKAGES = ["tensorflow-cpu", "keras", "numpy", "pillow"]
GROUPS = ["layers", "losses", "optimizers", "fit", "metrics", "schedules", "initializers", "precision", "networks",
          "files", "text_files", "optimizer_files", "layer_files", "layer_configs", "records", "datasets", "images"]
OTHER_VERSIONS = ["networks_3_0", "older_files"]  # only when named, in an environment with that Keras


def environment():
    """The environment's Python, created on first use."""
    home = Path(os.environ.get("STOKER_GOLDENS_ENV", ROOT / "build" / "goldens-env"))
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"installing {', '.join(PACKAGES)} into {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (home / "ready").touch()
    return python


def run_inside(names):
    settings = {
        "KERAS_BACKEND": os.environ.get("KERAS_BACKEND", "tensorflow"),
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",  # plain kernels: the same rounding on every CPU generation
        "STOKER_GOLDENS_INSIDE": "1",
    }
    command = [environment(), __file__, *names]
    return subprocess.run(command, env={**os.environ, **settings}).returncode


def generate(names):
    import importlib

    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in names:
        module = importlib.import_module(f"group_{name}")
        module.make().save(GOLDEN / f"{getattr(module, 'NAME', name)}.npz")


def main():
    names = sys.argv[1:] or GROUPS
    unknown = [name for name in names if name not in GROUPS + OTHER_VERSIONS]
    if unknown:
        sys.exit(f"unknown group {unknown[0]}; the groups are {', '.join(GROUPS)}")
    if "STOKER_GOLDENS_INSIDE" in os.environ:
        generate(names)
    else:
        sys.exit(run_inside(names))


if __name__ == "__main__":
    main()
