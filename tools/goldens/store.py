"""One golden group: JSON cases in member `meta`, arrays they name in the other members."""
import json
import re
from importlib import metadata

import keras
import numpy as np


class Group:
    def __init__(self):
        self.cases = []
        self.extra = {}
        self.arrays = {}

    def case(self, class_name, config):
        """Starts a case; its arrays are named `<index>/<name>`."""
        index = len(self.cases)
        words = re.findall(r"[A-Za-z0-9.]+", f"{class_name} {json.dumps(config)}")
        self.cases.append({"id": f"{index}_" + "_".join(words)[:80], "class_name": class_name, "config": config})
        return Case(self, str(index), self.cases[-1])

    def put(self, name, value):
        value = np.asarray(value)
        assert value.dtype.kind in "iubUS" or np.isfinite(value).all(), f"{name} is not finite"
        assert name not in self.arrays, f"{name} is stored twice"
        self.arrays[name] = value
        return name

    def save(self, path):
        meta = {"keras_version": keras.__version__, "backend": backend(), **self.extra, "cases": self.cases}
        text = json.dumps(meta, separators=(",", ":")).encode()
        np.savez_compressed(path, meta=np.frombuffer(text, np.uint8), **self.arrays)
        print(f"{path.name}: {len(self.cases)} cases, {path.stat().st_size / 1024:.0f} KiB", flush=True)


class Case:
    def __init__(self, group, prefix, fields):
        self.group, self.prefix, self.fields = group, prefix, fields

    def set(self, **fields):
        self.fields.update(fields)

    def put(self, name, value):
        """Stores an array and returns its name; None stays None (JSON null)."""
        return None if value is None else self.group.put(f"{self.prefix}/{name}", value)

    def put_all(self, name, values):
        return [self.put(f"{name}{i}", value) for i, value in enumerate(values)]


def backend():
    name = keras.backend.backend()
    package = "tensorflow-cpu" if name == "tensorflow" else name
    return f"{name} {metadata.version(package)}"


def numpy_of(tensor):
    return None if tensor is None else keras.ops.convert_to_numpy(tensor)
