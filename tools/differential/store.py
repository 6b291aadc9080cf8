"""One family: the cases as JSON in member `meta`, their names in `names`, all numbers in one member per dtype."""
import json
import re
import zlib

import keras
import numpy as np


class Family:
    def __init__(self, name):
        self.name, self.cases, self.names = name, [], []
        self.pools, self.sizes, self.places = {}, {}, {}

    def add(self, case, run):
        record = {"kind": case.kind, "class_name": case.class_name}
        rng = np.random.default_rng(zlib.crc32(f"{self.name} {len(self.cases)}".encode()))
        keras.utils.set_random_seed(1)
        try:
            run(case, rng, record, self.put)
        except Exception as error:
            error.add_note(f"in case {len(self.cases)} of {self.name}: {case.class_name} {case.arguments}")
            raise
        self.names.append(f"{len(self.cases)}_" + words(case))
        self.cases.append(record)

    def put(self, value):
        """Stores an array once; [dtype, offset, shape] says where. None stays None, strings are listed."""
        if value is None:
            return None
        value = np.asarray(value)
        if value.dtype.kind in "UOS":
            return {"shape": list(value.shape), "strings": [to_text(s) for s in value.reshape(-1)]}
        dtype = value.dtype.name
        if dtype == "bfloat16":  # numpy's files do not know it
            value = value.astype(np.float32)
        assert value.dtype.kind in "iub" or np.isfinite(value).all(), "not finite"
        stored = np.ascontiguousarray(value).reshape(-1)
        pool = stored.dtype.name
        key = (pool, dtype, value.shape, stored.tobytes())
        if key not in self.places:
            offset = self.sizes.get(pool, 0)
            self.pools.setdefault(pool, []).append(stored)
            self.sizes[pool] = offset + stored.size
            self.places[key] = [dtype, offset, list(value.shape)]
        return self.places[key]

    def save(self, path):
        meta = {"keras_version": keras.__version__, "cases": self.cases}
        members = {"names": text("\n".join(self.names)), "meta": text(json.dumps(meta, separators=(",", ":")))}
        members.update({name: np.concatenate(parts) for name, parts in self.pools.items()})
        np.savez_compressed(path, **members)
        print(f"{path.name}: {len(self.cases)} cases, {path.stat().st_size / 1024:.0f} KiB", flush=True)


def text(string):
    return np.frombuffer(string.encode(), np.uint8)


def to_text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def words(case):
    """The arguments that distinguish the case, as a test's name."""
    told = [case.class_name]
    for key, value in {**case.arguments, **case.settings}.items():
        plain = isinstance(value, (str, bool, int, float, list, tuple)) and key not in ("inputs", "updates", "x")
        if plain and not (isinstance(value, (list, tuple)) and any(not isinstance(v, (int, float)) for v in value)):
            told.append(f"{key} {value}")
    return "_".join(re.findall(r"[A-Za-z0-9]+", " ".join(told)))[:90]


def numpy_of(tensor):
    return None if tensor is None else keras.ops.convert_to_numpy(tensor)


def serialized(thing, arguments=()):
    """As Keras writes it; arguments that its config omits (a Huber's delta) are added."""
    written = keras.saving.serialize_keras_object(thing)
    for key, value in dict(arguments).items():
        written["config"].setdefault(key, value)
    return written
