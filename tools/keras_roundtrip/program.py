"""The program on the files of one case."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STOKER_PROGRAM", str(ROOT / "build" / "stoker"))


class Stoker:
    def __init__(self, folder, case, extra=()):
        self.folder = folder
        self.batch = case.batch
        self.extra = extra
        self.x = [self.store(f"x{i}", values) for i, values in enumerate(case.x)]
        self.y = [self.store(f"y{i}", values) for i, values in enumerate(case.y)]
        self.outputs = len(case.y)

    def store(self, name, values):
        np.save(self.folder / f"{name}.npy", values)
        return f"{name}.npy"

    def run(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=3600)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
        return done.stderr

    def predict(self, model):
        out = [f"out{i}.npy" for i in range(self.outputs)]
        self.run("predict", model, *repeat("--x", self.x), *repeat("--out", out),
                 "--batch-size", self.batch)
        return [np.load(self.folder / name) for name in out]

    def train(self, model, epochs, save, may_start_afresh=False):
        said = self.run("train", model, *repeat("--x", self.x), *repeat("--y", self.y),
                        "--batch-size", self.batch, "--epochs", epochs, "--shuffle", "false",
                        "--save", save, "--history", "history.json", "--quiet", *self.extra)
        if "fresh state" in said and not may_start_afresh:
            raise RuntimeError(said.strip())
        return json.loads((self.folder / "history.json").read_text())


def repeat(option, values):
    return [part for value in values for part in (option, value)]
