"""A model of one operation of keras.ops, as a file would hold it: its outputs and its inputs' gradients."""
import keras

import kind_layer
from declare import draw


def run(case, rng, record, put):
    settings = case.settings
    inputs = [draw(rng, spec) for spec in settings["inputs"]]
    batch = 0 if settings.get("fixed_batch") else 1
    described = [keras.Input(batch_shape=(None,) * batch + x.shape[batch:], dtype=x.dtype.name, name=f"x{i}")
                 for i, x in enumerate(inputs)]
    given = [described] if settings.get("listed") else described
    if case.class_name == "getitem":
        outputs = described[0][settings["key"]]
    else:
        outputs = function(case.class_name)(*settings.get("first", []), *given, *settings.get("then", []), **case.arguments)
    model = keras.Model(described, outputs, name="model")
    record["class_name"] = model.operations[-1].__class__.__name__
    kind_layer.compare(model, inputs, settings, rng, record, put)


def function(name):
    place = keras.ops
    for part in name.split("."):
        place = getattr(place, part)
    return place
