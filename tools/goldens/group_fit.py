"""Whole model.fit runs from given weights, without shuffling."""
import keras
import numpy as np

import conditioning
from fit_cases import cases
from group_optimizers import optimizer_of
from store import Group


def make():
    group = Group()
    for number, spec in enumerate(cases()):
        add_case(group, spec, np.random.default_rng(70 + number))
    return group


def add_case(group, spec, rng):
    model = build(spec)
    initial = initial_weights(model, rng)
    history, final, predictions = train(model, spec, initial)
    conditioning.check(spec["label"], final, float64_weights(spec, initial))

    case = group.case(spec["class_name"], {})
    weight = spec["fit"].get("sample_weight")
    arguments = dict(spec["fit"], x=case.put_all("x", spec["x"]), y=case.put_all("y", spec["y"]), shuffle=False)
    if weight:
        arguments["sample_weight"] = case.put_all("sample_weight", weight)
    case.set(
        id=spec["label"], layers=spec["layers"], compile=spec["compile"], fit=arguments,
        initial_weights=case.put_all("initial", initial), final_weights=case.put_all("final", final),
        history=history, predictions=case.put_all("predictions", predictions),
        **{key: spec[key] for key in ("inputs", "outputs") if key in spec},
    )


def float64_weights(spec, initial):
    set_precision("float64")
    try:
        return train(build(spec), spec, initial)[1]
    finally:
        set_precision("float32")


def set_precision(dtype):
    keras.config.set_floatx(dtype)
    keras.config.set_dtype_policy(dtype)


def initial_weights(model, rng):
    """Scaled by fan-in, so that activations stay of order one; statistics start as Keras starts them."""
    values = []
    for weight in model.weights:
        if weight.name.startswith("moving") or weight.name in ("gamma", "beta"):
            values.append(keras.ops.convert_to_numpy(weight))
        else:
            fan_in = np.prod(weight.shape[:-1]) if len(weight.shape) > 1 else 100
            values.append((rng.standard_normal(weight.shape) / np.sqrt(fan_in)).astype(np.float32))
    return values


def make_layer(entry):
    config = dict(entry["config"])
    penalty = config.get("kernel_regularizer")
    if penalty:
        config["kernel_regularizer"] = getattr(keras.regularizers, penalty["class_name"])(**penalty["config"])
    if entry["class_name"] == "InputLayer":
        return keras.Input(**config, name=entry["name"])
    return getattr(keras.layers, entry["class_name"])(**config, name=entry["name"])


def build(spec):
    if spec["class_name"] == "Sequential":
        return keras.Sequential([make_layer(entry) for entry in spec["layers"]])
    tensors = {}
    for entry in spec["layers"]:
        made = make_layer(entry)
        if not entry["inbound"]:
            tensors[entry["name"]] = made
        for call, names in enumerate(entry["inbound"]):
            sources = [tensors[name] for name in names]
            key = f"{entry['name']}:{call}" if call else entry["name"]
            tensors[key] = made(sources if len(sources) > 1 else sources[0])
    return keras.Model([tensors[n] for n in spec["inputs"]], [tensors[n] for n in spec["outputs"]])


def only(values):
    """Keras takes one output's argument bare."""
    return values[0] if len(values) == 1 else values


def train(model, spec, initial):
    model.set_weights(initial)
    chosen = dict(spec["compile"])
    chosen["optimizer"] = optimizer_of(**chosen["optimizer"])
    for key in ("loss", "metrics", "weighted_metrics", "loss_weights"):
        if key in chosen:
            chosen[key] = only(chosen[key])
    model.compile(**chosen)
    arguments = dict(spec["fit"], verbose=0, shuffle=False)
    if "class_weight" in arguments:
        arguments["class_weight"] = {int(k): v for k, v in arguments["class_weight"].items()}
    if "sample_weight" in arguments:
        arguments["sample_weight"] = only(arguments["sample_weight"])
    history = model.fit(only(spec["x"]), only(spec["y"]), **arguments).history
    predictions = model.predict(only([x[:8] for x in spec["x"]]), verbose=0)
    return history, model.get_weights(), predictions if isinstance(predictions, list) else [predictions]
