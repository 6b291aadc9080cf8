#!/usr/bin/env python3
"""Trains small networks or recipes on one process and on several, and compares histories and weights.

compare_ranks.py [--ranks 2 3] [--device /gpu:0] [--mpi] [--share] [--program build/stoker] [--steps 100] [RECIPE ...]

On GPUs without MPI unless --mpi: the ranks find each other through a file. --share: all ranks on that GPU (NCCL 2.30 or newer).
--steps: of recipes, in one epoch. --dtype float64 shows whether a difference is due to rounding: training amplifies it where an activation
changes its sign or Adam divides by a small gradient. Prints a table; exit status 1 if a number differs by more than 1e-5 of the largest weight.
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
import zlib

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


# 22 pictures in batches of 8: 6 are left.
PICTURES = """\
seed = 3
[data]
train = "pictures"
[data.pipeline]
shuffle = 100
random_resized_crop = 12
random_flip_left_right = true
random_brightness = 0.3
[model]
layers = [{class_name = "Input", shape = [12, 12, 3]}, {class_name = "Rescaling", scale = 0.00392}, {class_name = "RandomRotation", factor = 0.1},
  {class_name = "Conv2D", filters = 8, kernel_size = 3, use_bias = false}, {class_name = "BatchNormalization", synchronized = true},
  {class_name = "Flatten"}, {class_name = "Dropout", rate = 0.2}, {class_name = "Dense", units = 2, activation = "softmax"}]
[compile]
optimizer = {class_name = "AdamW", learning_rate = 0.001}
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]
[fit]
epochs = 3
batch_size = 8
"""
NETWORKS = {"a small network, 1010 samples in batches of 50": RECIPE, "pictures, shuffled and augmented, 22 in batches of 8": PICTURES}


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


def png(width, color):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(min(255, c + 9 * x + 5 * y) for x in range(width) for c in color) for y in range(width))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_pictures(folder, of_each=11):
    for name, color in (("blue", (0, 40, 120)), ("red", (120, 0, 40))):
        (folder / "pictures" / name).mkdir(parents=True)
        for i in range(of_each):
            (folder / "pictures" / name / f"{i}.png").write_bytes(png(16, [c + 4 * i for c in color]))


def start(options, folder, out, launcher=(), **environment):
    few = ["--epochs", 1, "--steps-per-epoch", options.steps] if options.recipe else []
    command = [*launcher, options.program, "train", options.recipe or "recipe.toml", "--quiet", "--out", out, *few,
               *(["--set", f"dtype_policy={options.dtype}"] if options.dtype else [])]
    variables = {"STOKER_NUM_THREADS": "1", **os.environ, "NVIDIA_TF32_OVERRIDE": "0", **environment}
    if os.geteuid() == 0:
        variables.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if options.share or len(environment) == 0:
        variables["STOKER_DEVICE"] = options.device
    if options.share:
        variables["NCCL_MULTI_RANK_GPU_ENABLE"] = "1"
    return subprocess.Popen(list(map(str, command)), cwd=folder, env=variables, stdout=subprocess.DEVNULL)


def start_ranks(options, folder, ranks):
    if options.mpi:
        return [start(options, folder, "several", ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none"])]
    return [start(options, folder, "several", RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks),
                  STOKER_NCCL_ID_FILE=str(folder / "id")) for rank in range(ranks)]


def floats(path):
    """Of the tensors in float32 and float64; others (seeds, steps) are not compared."""
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    values = []
    for name, tensor in sorted(header.items()):
        code, width = {"F32": ("f", 4), "F64": ("d", 8)}.get(tensor.get("dtype"), (None, 1))
        if code:
            first, end = tensor["data_offsets"]
            values += struct.unpack(f"<{(end - first) // width}{code}", data[start + first:start + end])
    return values


def results(folder):
    history = json.loads((folder / "history.json").read_text())
    return [value for column in history.values() for value in column], floats(folder / "last.safetensors")


def finish(processes):
    if any([process.wait() for process in processes]):
        sys.exit("compare_ranks.py: the training failed")


def compare(options, name, text, ranks):
    """Prints a row of the table. Returns whether the numbers are the same."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        write_files(folder)
        write_pictures(folder)
        (folder / "recipe.toml").write_text(text)
        finish([start(options, folder, "one")])
        finish(start_ranks(options, folder, ranks))
        one, several = results(folder / "one"), results(folder / "several")
    differences = [max(abs(a - b) for a, b in zip(mine, others)) for mine, others in zip(one, several)]
    print(f"| {name} | {ranks} | {differences[0]:.1e} | {differences[1]:.1e} of {len(one[1])} weights |", flush=True)
    same_lengths = [len(part) for part in one] == [len(part) for part in several]
    return same_lengths and max(differences) <= 1e-5 * max(1, *map(abs, one[1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recipes", nargs="*", type=pathlib.Path, metavar="RECIPE")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--device", default="/gpu:0")
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--dtype", help="dtype policy of all layers; the recipe's")
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/stoker"))
    options = parser.parse_args()
    options.program = options.program.resolve()
    print("| program | ranks | history differs by | weights differ by |\n|---|---|---|---|", flush=True)
    same = []
    for recipe in options.recipes or [None]:
        options.recipe = recipe and recipe.resolve()
        for name, text in ({recipe.name: ""} if recipe else NETWORKS).items():
            same += [compare(options, name, text, ranks) for ranks in options.ranks]
    if not all(same):
        sys.exit("compare_ranks.py: that is more than 1e-5")


if __name__ == "__main__":
    main()
