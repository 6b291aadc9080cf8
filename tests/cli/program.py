"""Runs build/stoker on small files made here; nothing but the standard library is needed."""
import ast
import gzip
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("STOKER_PROGRAM", ROOT / "build" / "stoker"))
CODES = {"<f4": "f", "<f2": "e", "<i8": "q", "|u1": "B", "<i2": "h", "<u2": "H", "<u4": "I", "<u8": "Q"}


def npy_strings(texts, shape):
    """An array of strings: numpy's dtype <U."""
    width = max(map(len, texts))
    header = f"{{'descr': '<U{width}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + b"".join(text.ljust(width, "\0").encode("utf-32-le") for text in texts))


def npy_bytes(values, shape, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{CODES[descr]}", *values))


def read_npy(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    values = data[10 + length:]
    code = CODES[header["descr"]]
    return header["shape"], struct.unpack(f"<{len(values) // struct.calcsize(code)}{code}", values)


def idx_bytes(values, shape):
    return struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + bytes(values)


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    tensors = json.loads(data[8:8 + length])
    tensors.pop("__metadata__", None)
    ends = [tensor["data_offsets"][1] for tensor in tensors.values()]
    assert max(ends) == len(data) - 8 - length
    return tensors


def changed_program(path, old, new):
    """A copy of the program in which a string constant is another one of the same length."""
    data, constant = PROGRAM.read_bytes(), old.encode() + b"\0"
    assert constant in data and len(old) == len(new), old
    path.write_bytes(data.replace(constant, new.encode() + b"\0"))
    path.chmod(0o755)


RECIPE = """\
seed = 3

[data.train]
x = "x.npy"
y = "y.npy"

[data.test]
x = "x.npy"
y = "y.npy"

[model]
layers = [
  {class_name = "Input", shape = [4]},
  {class_name = "Dense", units = 8, activation = "relu"},
  {class_name = "Dense", units = 3, activation = "softmax"},
]

[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]

[fit]
epochs = 2
batch_size = 16

[output]
folder = "out"
"""


class ProgramTest(unittest.TestCase):
    """Each test has its own folder with 64 samples in three classes and a recipe."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        draw = random.Random(1)
        labels = [draw.randrange(3) for _ in range(64)]
        x = [draw.gauss(2.0 * (i == label), 0.3) for label in labels for i in range(4)]
        self.x, self.labels = x, labels
        self.write("x.npy", npy_bytes(x, (64, 4)))
        self.write("y.npy", npy_bytes(labels, (64,), "<i8"))
        self.write("recipe.toml", RECIPE)

    def write(self, name, content):
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    def change(self, old, new):
        text = (self.folder / "recipe.toml").read_text()
        self.assertIn(old, text)
        self.write("recipe.toml", text.replace(old, new))

    def run_program(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=600,
                              env={"STOKER_DEVICE": "/cpu:0", **os.environ, **environment})

    def succeed(self, *arguments, **environment):
        done = self.run_program(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def succeed_json(self, *arguments):
        return json.loads(self.succeed(*arguments, "--json"))

    def refuse(self, *arguments, says, status=1):
        """The program fails, prints one message with the reason to stderr, and leaves no file."""
        before = self.files()
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertTrue(done.stderr.startswith("stoker: "), done.stderr)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr)
        self.assertNotIn("std::", done.stderr)
        self.assertEqual(self.files(), before)
        return done

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def gzipped(self, data):
        return gzip.compress(data, mtime=0)
