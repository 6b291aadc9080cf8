"""Metric results after each of two updates."""
from itertools import product

import keras
import numpy as np

from group_losses import labels, predictions, weights_for
from store import Group

CROSS_ENTROPIES = [("SparseCategoricalCrossentropy", {}), ("CategoricalCrossentropy", {"label_smoothing": 0.1}),
                   ("BinaryCrossentropy", {"label_smoothing": 0.2})]
CLASSES = [("CategoricalAccuracy", {}), ("SparseCategoricalAccuracy", {}), ("TopKCategoricalAccuracy", {}),
           ("TopKCategoricalAccuracy", {"k": 2}), ("SparseTopKCategoricalAccuracy", {}),
           ("SparseTopKCategoricalAccuracy", {"k": 3})]
REGRESSIONS = ["MeanAbsoluteError", "MeanSquaredError", "RootMeanSquaredError"]


def make():
    group = Group()
    rng = np.random.default_rng(5)
    for shape, weighted in product([(9, 7), (4, 3, 7)], [False, True]):
        def add(name, config, draw):
            add_case(group.case(name, config), [pair(draw, rng, shape, weighted) for _ in range(2)])

        for name, config in CLASSES:
            add(name, config, lambda: (labels(rng, name, shape), predictions(rng, name, shape, False)))
        for name, extra in CROSS_ENTROPIES:
            for config in [{}, {"from_logits": True}, extra]:
                logits = config.get("from_logits", False)
                add(name, config, lambda: (labels(rng, name, shape), predictions(rng, name, shape, logits)))
        for config in [{}, {"threshold": 0.3}]:
            draw = lambda: (labels(rng, "BinaryCrossentropy", shape), predictions(rng, "BinaryCrossentropy", shape, False))
            add("BinaryAccuracy", config, draw)
        add("Accuracy", {}, lambda: tuple(rng.integers(0, 2, shape).astype(np.float32) for _ in range(2)))
        for name in REGRESSIONS:
            add(name, {}, lambda: tuple(rng.standard_normal(shape).astype(np.float32) for _ in range(2)))
    mean_cases(group, rng)
    return group


def pair(draw, rng, shape, weighted):
    y_true, y_pred = draw()
    update = {"y_true": y_true, "y_pred": y_pred.astype(np.float32), "sample_weight": None}
    if weighted:
        update["sample_weight"] = weights_for(rng, shape)
    return update


def mean_cases(group, rng):
    for shape, weighted in [((), False), ((6,), False), ((6,), True), ((3, 4), False), ((3, 4), True)]:
        def update():
            weight = rng.uniform(0.1, 2.0, shape).astype(np.float32) if weighted else None
            return {"values": rng.standard_normal(shape, dtype=np.float32), "sample_weight": weight}

        add_case(group.case("Mean", {}), [update(), update()])


def add_case(case, updates):
    metric = getattr(keras.metrics, case.fields["class_name"])(**case.fields["config"])
    stored = []
    for number, update in enumerate(updates):
        metric.update_state(**update)
        names = {key: case.put(f"{key}{number}", value) for key, value in update.items()}
        stored.append({**names, "result": float(metric.result())})
    case.set(updates=stored)
