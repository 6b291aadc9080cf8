"""The peers' own Python environment, and which of them could be installed."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = Path(os.environ.get("STOKER_BENCH_ENV", ROOT / "build" / "bench-env"))
PYTHON = HOME / "bin" / "python"

# framework -> pip's arguments; the extra index has PyTorch without gigabytes of CUDA; PyPI is used if it is unreachable
FRAMEWORKS = {
    "tensorflow": ["tensorflow-cpu", "keras"],
    "jax": ["jax", "keras"],
    "torch": ["torch", "numpy", "--extra-index-url", "https://download.pytorch.org/whl/cpu", "--retries", "1"],
    "torchvision": ["torchvision", "--extra-index-url", "https://download.pytorch.org/whl/cpu", "--retries", "1"],
    "pillow": ["pillow"],
    "grain": ["grain"],
    "spdl": ["spdl"],
    "dali": ["nvidia-dali-cuda120"],
}
VERSION = ("import importlib.metadata as m, json, sys;"
           "print(json.dumps({d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}))")


def prepare(frameworks):
    """Installs what is missing; framework -> version text, or None if it cannot be installed."""
    if not PYTHON.exists():
        print(f"making {HOME}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
    return {name: install(name) for name in frameworks}


def install(framework):
    wanted = FRAMEWORKS[framework]
    packages = wanted[:wanted.index("--extra-index-url")] if "--extra-index-url" in wanted else wanted
    if not version_text(packages):
        print(f"installing {' '.join(packages)} into {HOME}", flush=True)
        done = subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *wanted], capture_output=True, text=True)
        if done.returncode:
            print(f"  could not install {framework}: {last_line(done.stderr)}", flush=True)
    return version_text(packages)


def version_text(packages):
    listing = subprocess.run([PYTHON, "-c", VERSION], capture_output=True, text=True, check=True)
    installed = json.loads(listing.stdout)
    if not all(package in installed for package in packages):
        return None
    return ", ".join(f"{package} {installed[package]}" for package in packages)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
