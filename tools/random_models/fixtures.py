"""Programs with Keras's results, for the tests: kept while seeds run, and collected into tests/golden/random_models.npz."""
import json
import sys
from pathlib import Path

import numpy as np
from compare import limits_of
from sides import flat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "goldens"))
from store import Group  # noqa: E402

LARGEST_FILE = 120_000  # bytes
MARGIN = 3  # other CPUs round differently


def compact(arrays):
    """Floats as float32, which is enough for the limits."""
    return [a.astype("float32") if a.dtype.kind not in "iubUS" else a for a in map(np.asarray, arrays)]


def keep(folder, seed, reference):
    """The program as a golden of one case."""
    program, side = reference.program, reference.side
    file = (reference.folder / "model.keras").read_bytes()
    if len(file) > LARGEST_FILE:
        return
    group = Group()
    case = group.case("Model", {})
    fit = {key: program["fit"][key] for key in ("batch_size", "epochs", "validation_split", "class_weight") if key in program["fit"]}
    case.set(id=f"seed_{seed}", policy=program["policy"], fit=fit, file=case.put("file", np.frombuffer(file, np.uint8)),
             x=case.put_all("x", flat(side.space["x"])), y=case.put_all("y", flat(side.space["y"])),
             sample_weight=case.put_all("sample_weight", flat(side.space.get("weight", []))),
             predictions=case.put_all("predictions", compact(reference.predictions)))
    if reference.trained:
        case.set(history=reference.trained.history, weights=case.put_all("weights", compact(side.model.get_weights())),
                 optimizer=case.put_all("optimizer", compact(reference.trained.optimizer)))
    folder.mkdir(parents=True, exist_ok=True)
    group.save(folder / f"seed_{seed}.npz")


def steady(result, policy):
    """Whether it is well within the limits, so that rounding on another CPU does not matter. Clear differences are taken, too: they are gaps."""
    limits = limits_of(policy)
    return result["outcome"] != "agrees" or all(value <= limits[key] / MARGIN for key, value in result["columns"].items())


def collect(folder, results, path, count):
    """The first cases, in the order of the seeds, that are insensitive to rounding, in one file."""
    group = Group()
    for seed in sorted(results):
        stored = folder / f"seed_{seed}.npz"
        if not stored.exists() or len(group.cases) == count:
            continue
        with np.load(stored) as members:
            meta = json.loads(bytes(members["meta"]))["cases"][0]
            if steady(results[seed], meta["policy"]):
                add(group, meta, members)
    group.save(path)


def add(group, meta, members):
    case = group.case("Model", {})

    def move(value):
        """Names of arrays are those of a group of one: 0/name."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return [move(item) for item in value]
        return case.put(value[2:], members[value]) if isinstance(value, str) and value.startswith("0/") else value

    case.set(**{key: move(value) for key, value in meta.items()})
