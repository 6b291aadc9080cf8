"""The cases of layer_files.py, run by the Python that has Keras; a line of JSON before each case and one after it."""
import collections
import dataclasses
import importlib
import json
import sys
import tempfile
from pathlib import Path

DIFFERENTIAL = Path(__file__).resolve().parent.parent / "differential"
MARK = "layer_files: "  # of lines that layer_files.py reads


def cases(families):
    """Each class and argument set once, with its family."""
    known = sorted(path.stem for path in (DIFFERENTIAL / "cases").glob("*.py"))
    seen = set()
    for family in families or known:
        for case in importlib.import_module(f"cases.{family}").cases():
            key = (case.class_name, repr(case.arguments), tuple(case.settings), repr(case.settings.get("call")))
            if case.kind == "layer" and key not in seen:
                seen.add(key)
                yield family, case


def some_of_each_class(all_cases, count):
    """At most so many of a class, spread over its list, which is ordered from common to unusual arguments."""
    by_class = collections.defaultdict(list)
    for family, case in all_cases:
        by_class[case.class_name].append((family, case))
    for members in by_class.values():
        kept = min(count, len(members))
        yield from (members[i * (len(members) - 1) // max(1, kept - 1)] for i in range(kept))


def described(case):
    import keras

    texts = []
    for name, value in case.arguments.items():
        try:
            text = json.dumps(keras.saving.serialize_keras_object(value))
        except Exception:
            text = repr(value)
        texts.append(f"{name}={text[:40]}")
    return f"{case.class_name}({', '.join(texts)})"


def tell(**values):
    print(MARK + json.dumps(values), flush=True)


def run_from(first, options):
    """All cases but the first ones, which another process has done."""
    sys.path.append(str(DIFFERENTIAL))
    from layer_case import LayerCase

    chosen = list(some_of_each_class(cases(options.families), options.per_class))
    for number, (family, case) in enumerate(chosen[first:], first):
        tell(number=number, class_name=case.class_name, text=f"{family}: {described(case)}")
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if options.keep:
                folder = options.keep / f"{case.class_name}_{number}"
                folder.mkdir(parents=True, exist_ok=True)
            tell(**dataclasses.asdict(LayerCase(case, folder).run()))
