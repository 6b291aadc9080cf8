#!/usr/bin/env python3
"""Trains a small network or recipes on one process and on several, and compares histories and weights.

compare_ranks.py [--ranks 2] [--device /gpu:0] [--mpi] [--share] [--program build/stoker] [--steps 100] [RECIPE ...]

On GPUs without MPI unless --mpi: the ranks find each other by a file. --share: all ranks on that GPU (NCCL 2.30 or newer).
--steps: of recipes, in one epoch. Prints a table; exit status 1 if a number differs by more than 1e-5 of the largest weight.
"""
import argparse
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

RECIPE = """\
seed = 3
[data.train]
x = "x.npy"
y = "y.npy"
[model]
layers = [{class_name = "Input", shape = [20]}, {class_name = "Dense", units = 64, activation = "relu"}, {class_name = "Dropout", rate = 0.2},
  {class_name = "Dense", units = 300, activation = "relu"}, {class_name = "Dense", units = 300, activation = "relu"},
  {class_name = "Dense", units = 5, activation = "softmax"}]
[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]
[fit]
epochs = 3
batch_size = 50
"""


def write_npy(path, values, shape, descr, code):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def write_files(folder, samples=1010):
    """Batches of 50, and one of 10."""
    numbers = random.Random(7)
    labels = [numbers.randrange(5) for _ in range(samples)]
    x = [numbers.gauss(label if i % 5 == label else 0, 1) for label in labels for i in range(20)]
    write_npy(folder / "x.npy", x, (samples, 20), "<f4", "f")
    write_npy(folder / "y.npy", labels, (samples,), "<i8", "q")
    (folder / "recipe.toml").write_text(RECIPE)


def start(options, folder, out, launcher=(), **environment):
    few = ["--epochs", 1, "--steps-per-epoch", options.steps] if options.recipe else []
    command = [*launcher, options.program, "train", options.recipe or "recipe.toml", "--quiet", "--out", out, *few]
    variables = {**os.environ, "NVIDIA_TF32_OVERRIDE": "0", **environment}
    if options.share or len(environment) == 0:
        variables["STOKER_DEVICE"] = options.device
    if options.share:
        variables["NCCL_MULTI_RANK_GPU_ENABLE"] = "1"
    return subprocess.Popen(list(map(str, command)), cwd=folder, env=variables, stdout=subprocess.DEVNULL)


def start_ranks(options, folder):
    if options.mpi:
        return [start(options, folder, "several", ["mpirun", "-n", options.ranks, "--oversubscribe", "--bind-to", "none"])]
    return [start(options, folder, "several", RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(options.ranks),
                  STOKER_NCCL_ID_FILE=str(folder / "id")) for rank in range(options.ranks)]


def floats(path):
    """Of the tensors in float32; what is not float32 (seeds, steps) is compared nowhere."""
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    values = []
    for name, tensor in sorted(header.items()):
        if name != "__metadata__" and tensor["dtype"] == "F32":
            first, end = tensor["data_offsets"]
            values += struct.unpack(f"<{(end - first) // 4}f", data[start + first:start + end])
    return values


def results(folder):
    history = json.loads((folder / "history.json").read_text())
    return [value for column in history.values() for value in column], floats(folder / "last.safetensors")


def finish(processes):
    if any([process.wait() for process in processes]):
        sys.exit("compare_ranks.py: the training failed")


def compare(options):
    """Prints a row of the table. Returns whether the numbers are the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder)
        finish([start(options, folder, "one")])
        finish(start_ranks(options, folder))
        one, several = results(folder / "one"), results(folder / "several")
    differences = [max(abs(a - b) for a, b in zip(mine, others)) for mine, others in zip(one, several)]
    what = options.recipe.name if options.recipe else "a small network"
    print(f"| {what} | {options.ranks} | {differences[0]:.1e} | {differences[1]:.1e} of {len(one[1])} weights |", flush=True)
    same_lengths = [len(part) for part in one] == [len(part) for part in several]
    return same_lengths and max(differences) <= 1e-5 * max(1, *map(abs, one[1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recipes", nargs="*", type=pathlib.Path, metavar="RECIPE")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--device", default="/gpu:0")
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/stoker"))
    options = parser.parse_args()
    options.program = options.program.resolve()
    print("| program | ranks | history differs by | weights differ by |\n|---|---|---|---|", flush=True)
    same = []
    for recipe in options.recipes or [None]:
        options.recipe = recipe and recipe.resolve()
        same.append(compare(options))
    if not all(same):
        sys.exit("compare_ranks.py: that is more than 1e-5")


if __name__ == "__main__":
    main()
