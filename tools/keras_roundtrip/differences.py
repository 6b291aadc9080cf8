"""Differences between two sides: of arrays, of trainings from the same start, of configs."""
import json
import zipfile

import numpy as np

LEAST_SHARE = 1e-3  # of the largest change: variables that change less are compared with this, as their own change is noise


def difference(expected, actual):
    """The largest difference, relative to the largest number where that is beyond 1."""
    worst = 0.0
    if len(expected) != len(actual):
        return float("inf")
    for a, b in zip(expected, actual):
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        if a.shape != b.shape:
            return float("inf")
        if a.size:
            worst = max(worst, float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(a)))))
    return worst if worst == worst else float("inf")


def variety(predictions):
    """The differences between samples."""
    return min(float(np.max(np.ptp(np.asarray(values, "float64"), axis=0))) for values in predictions)


def largest(array):
    return float(np.max(np.abs(array))) if array.size else 0.0


def change(start, end):
    return np.asarray(end, "float64") - np.asarray(start, "float64")


def moved(start, end):
    """The largest change of a weight by training."""
    return max((largest(change(a, b)) for a, b in zip(start, end)), default=0.0)


def rounding(weights, steps):
    """The rounding error of adding steps to weights: half of the last bit for each, on either side."""
    return steps * float(np.spacing(np.abs(weights).max(initial=0.0)))


def change_difference(start, expected, actual, steps, least_share=LEAST_SHARE):
    """The difference between two trainings from the same start, in each variable relative to its change."""
    least = least_share * moved(start, expected)
    worst = 0.0
    for before, a, b in zip(start, expected, actual):
        apart = largest(change(a, b))
        if apart > rounding(a, steps):
            share = max(largest(change(before, a)), least)
            worst = max(worst, apart / share if share else float("inf"))
        if apart != apart:
            return float("inf")
    return worst


def without_ids(value):
    """A config without entries that only identify objects in memory."""
    if isinstance(value, dict):
        return {key: without_ids(item) for key, item in value.items() if key != "shared_object_id"}
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    return value


def config_of(path):
    with zipfile.ZipFile(path) as archive:
        return without_ids(json.loads(archive.read("config.json")))


def first_difference(a, b, path="config"):
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        return path
    if isinstance(a, dict):
        for key in [*a, *b]:
            if key not in a or key not in b:
                return f"{path}.{key}"
            if found := first_difference(a[key], b[key], f"{path}.{key}"):
                return found
    elif isinstance(a, list):
        if len(a) != len(b):
            return path
        for i, (one, other) in enumerate(zip(a, b)):
            if found := first_difference(one, other, f"{path}[{i}]"):
                return found
    elif a != b:
        return path
    return ""
