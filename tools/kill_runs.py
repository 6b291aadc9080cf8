#!/usr/bin/env python3
"""Kills trainings at random times and compares their results with those of undisturbed runs.

kill_runs.py [--kills N] [--seed S] [--program build/stoker] [--gan build/examples/gan] [CASE ...]

Each case is trained once undisturbed. Then it is started again and again, each time killed (SIGKILL) after a random part of
the time that the undisturbed run took, until a run finishes; its output files must be identical
byte by byte. Cases: recipe (saves after every epoch), batches (a recipe that saves every few batches), images (a recipe over a
folder of PNG files with random stages, which saves every few batches), model (a model file), gan (examples/gan.cpp, whose
train_step has its own optimizers; left out if it is not built).
"""
import argparse
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from program import npy_bytes  # noqa: E402

RECIPE = """\
seed = 3

[data.train]
x = "x.npy"
y = "y.npy"

[model]
layers = [
  {class_name = "Input", shape = [4]},
  {class_name = "Dense", units = 24, activation = "relu"},
  {class_name = "Dropout", rate = 0.2},
  {class_name = "Dense", units = 3, activation = "softmax"},
]

[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]

[fit]
epochs = EPOCHS
batch_size = 13
validation_split = 0.2
callbacks = [
  {class_name = "ReduceLROnPlateau", monitor = "loss", patience = 3, min_delta = 0.01},
  {class_name = "CSVLogger", filename = "own.csv"},
]

[output]
folder = "out"
"""
IMAGE_RECIPE = """\
seed = 3

[data]
train = "images"

[data.pipeline]
shuffle = 200
random_resized_crop = 12
random_flip_left_right = true
random_brightness = 0.2
normalize = {mean = [120, 120, 120], stddev = [60, 60, 60]}
batch = 8

[model]
layers = [
  {class_name = "Input", shape = [12, 12, 3]},
  {class_name = "Conv2D", filters = 4, kernel_size = 3, activation = "relu"},
  {class_name = "Flatten"},
  {class_name = "Dropout", rate = 0.2},
  {class_name = "Dense", units = 3, activation = "softmax"},
]

[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]

[fit]
epochs = EPOCHS

[output]
folder = "out"
"""
SAMPLES = 2000
IMAGES = 150


def make_data(folder):
    draw = random.Random(1)
    labels = [draw.randrange(3) for _ in range(SAMPLES)]
    values = [draw.gauss(2.0 * (i == label), 0.8) for label in labels for i in range(4)]
    (folder / "x.npy").write_bytes(npy_bytes(values, (SAMPLES, 4)))
    (folder / "y.npy").write_bytes(npy_bytes(labels, (SAMPLES,), "<i8"))


def png_bytes(rows):
    """A PNG file from rows of (red, green, blue)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    pixels = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def make_images(folder):
    """Images of three classes, each with its own colour."""
    draw = random.Random(2)
    for number in range(IMAGES):
        label = number % 3
        path = folder / "images" / f"class{label}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = draw.randrange(14, 24)
        path.write_bytes(png_bytes([[[draw.randrange(120) + 90 * (c == label) for c in range(3)] for _ in range(size)]
                                    for _ in range(size)]))


class Case:
    """A command, and its output files."""

    def __init__(self, name, command, files, prepare=lambda folder: None):
        self.name, self.command, self.files, self.prepare = name, command, files, prepare

    def folder(self):
        temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(temporary.name)
        self.prepare(folder)
        return temporary, folder

    def start(self, folder):
        return subprocess.Popen(self.command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def finish(self, folder):
        with self.start(folder) as process:
            errors = process.stderr.read()
        if process.returncode != 0:
            sys.exit(f"{self.name} failed with status {process.returncode}:\n{errors}")

    def left(self, folder):
        return {name: (folder / name).read_bytes() for name in self.files}


def cases(program, gan, epochs):
    outputs = [f"out/{name}" for name in ("best.safetensors", "last.safetensors", "history.json", "log.csv")] + ["own.csv"]

    def recipe(folder):
        make_data(folder)
        (folder / "recipe.toml").write_text(RECIPE.replace("EPOCHS", str(epochs)))

    def images(folder):
        make_images(folder)
        (folder / "recipe.toml").write_text(IMAGE_RECIPE.replace("EPOCHS", str(max(1, epochs // 2))))

    def model(folder):
        recipe(folder)
        subprocess.run([program, "convert", "recipe.toml", "model.keras"], cwd=folder, check=True, capture_output=True)

    checkpoint = ["--quiet", "--checkpoint", "points", "--resume"]
    made = [Case("recipe", [program, "train", "recipe.toml", *checkpoint], outputs, recipe),
            Case("batches", [program, "train", "recipe.toml", *checkpoint, "--checkpoint-freq", "7"], outputs, recipe),
            Case("images", [program, "train", "recipe.toml", *checkpoint, "--checkpoint-freq", "5"],
                 [name for name in outputs if name != "own.csv"], images),
            Case("model", [program, "train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--epochs", str(epochs), "--batch-size",
                           "13", "--seed", "3", "--save", "trained.safetensors", "--history", "history.json", "--out", "out",
                           *checkpoint, "--checkpoint-freq", "11"],
                 [name for name in outputs if name != "own.csv"] + ["trained.safetensors", "history.json"], model)]
    if gan.exists():
        made.append(Case("gan", [gan, "points", "gan.safetensors"],
                         ["gan.safetensors"]))
    return made


def kill_once(case, folder, delay):
    """Whether the program was still running then."""
    with case.start(folder) as process:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.stderr.read()
            return True
        errors = process.stderr.read()
    if process.returncode != 0:
        sys.exit(f"{case.name} failed with status {process.returncode}:\n{errors}")
    return False


def kill_and_compare(case, kills, draw, most_a_run=5):
    """Returns the number of kills, the files that differ, and the seconds of an undisturbed run."""
    temporary, folder = case.folder()
    with temporary:
        begin = time.monotonic()
        case.finish(folder)
        seconds = time.monotonic() - begin
        want = case.left(folder)
    done, wrong = 0, []
    while done < kills:
        temporary, folder = case.folder()
        with temporary:
            for _ in range(most_a_run):
                if done == kills or not kill_once(case, folder, draw.uniform(0.05, 1) * seconds):
                    break
                done += 1
            case.finish(folder)
            wrong += [name for name, content in case.left(folder).items() if content != want[name]]
    return done, wrong, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--kills", type=int, default=20, help="of each case")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=40, help="of recipes and model files")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "stoker")
    parser.add_argument("--gan", type=pathlib.Path, default=ROOT / "build" / "examples" / "gan")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    draw = random.Random(seed)
    differences = 0
    for case in cases(options.program.resolve(), options.gan.resolve(), options.epochs):
        if options.names and case.name not in options.names:
            continue
        kills, wrong, seconds = kill_and_compare(case, options.kills, draw)
        differences += len(wrong)
        print(f"{case.name}: {kills} kills, {len(wrong)} differences {' '.join(wrong)}(seed {seed}, {seconds:.2f} s a run)", flush=True)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
