"""Programs as data, and the Python text that builds them: what is printed is what runs.

A program is a dict of plain values: `policy`, `graph`, `compile`, `fit`, `x`, `y` … (programs.py draws them). A graph has
`nodes`, `inputs` and `outputs`. A node is one of

    {"id": "n1", "input": {"shape": [4]}, "data": EXPRESSION}         an input
    {"id": "n2", "class": "layers.Dense", "args": {…}, "on": "n1"}     a layer, called on tensors, with "call" as keyword arguments
                                                                       and "adapt", an expression of data to adapt to
    {"id": "n3", "again": "n2", "on": "n1"}                            the same layer once more
    {"id": "n4", "code": "ops.mean(n3, axis=1)"}                       operations
    {"id": "n5", "inner": GRAPH, "on": "n4"}                           a model in the model

Tensors are named by expressions over ids ("[n1, n2[0]]"). Objects among arguments are {"class": …, "args": …}.
"""
import re

IDS = re.compile(r"\bn\d+\b")


def obj(name, **args):
    return {"class": name, "args": args}


def ids_in(expression):
    return IDS.findall(str(expression))


def text(value):
    """A value as Python writes it."""
    if isinstance(value, dict) and "class" in value:
        return f"{value['class']}({arguments(value['args'])})"
    if isinstance(value, dict) and "expression" in value:
        return value["expression"]
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text, value)) + "]"
    return repr(value)


def arguments(args):
    return ", ".join(f"{key}={text(value)}" for key, value in args.items())


def layer_of(node, named):
    args = dict(node["args"], name=node["id"]) if named else node["args"]
    return f"{node['class']}({arguments(args)})"


def call_of(node):
    extra = "".join(f", {key}={value}" for key, value in node.get("call", {}).items())
    return f"({node['on']}{extra})"


def node_lines(node, nodes, named):
    """The lines that make a node's tensor, `id = …`."""
    name = node["id"]
    if "input" in node:
        return [f"{name} = keras.Input({arguments(dict(node['input'], name=name))})"]
    if "code" in node:
        return [f"{name} = {node['code']}"]
    if "again" in node:
        return [f"{name} = {node['again']}_layer{call_of(node)}"]
    if "inner" in node:
        return [*graph_lines(node["inner"], f"{name}_layer", named), f"{name} = {name}_layer{call_of(node)}"]
    if "adapt" in node:
        return [*adapted_lines(node, named), f"{name} = {name}_layer{call_of(node)}"]
    if any(other.get("again") == name for other in nodes):
        return [f"{name}_layer = {layer_of(node, named)}", f"{name} = {name}_layer{call_of(node)}"]
    return [f"{name} = {layer_of(node, named)}{call_of(node)}"]


def adapted_lines(node, named):
    return [f"{node['id']}_layer = {layer_of(node, named)}", f"{node['id']}_layer.adapt({node['adapt']})"]


def sequential_lines(graph, variable, named):
    first, *rest = graph["nodes"]
    parts = [f"keras.Input({arguments(first['input'])})"] if not graph.get("no_input") else []
    parts += [f"{node['id']}_layer" if "adapt" in node else layer_of(node, named) for node in rest]
    adapted = [line for node in rest if "adapt" in node for line in adapted_lines(node, named)]
    return [*adapted, f"{variable} = keras.Sequential([" + ", ".join(parts) + "]" + (f", name={variable!r})" if named else ")")]


def outputs_text(outputs):
    if isinstance(outputs, dict):
        return "{" + ", ".join(f"{key!r}: {value}" for key, value in outputs.items()) + "}"
    return outputs[0] if len(outputs) == 1 else "[" + ", ".join(outputs) + "]"


def inputs_text(graph):
    names = graph["inputs"]
    if graph.get("dict_inputs"):
        return "{" + ", ".join(f"{name!r}: {name}" for name in names) + "}"
    return names[0] if len(names) == 1 else "[" + ", ".join(names) + "]"


def graph_lines(graph, variable, named):
    if graph.get("sequential"):
        return sequential_lines(graph, variable, named)
    lines = [line for node in graph["nodes"] for line in node_lines(node, graph["nodes"], named)]
    name = f", name={variable!r}" if named else ""
    return [*lines, f"{variable} = keras.Model({inputs_text(graph)}, {outputs_text(graph['outputs'])}{name})"]


def keyed(values, keys):
    return "{" + ", ".join(f"{key!r}: {value}" for key, value in zip(keys, values)) + "}" if keys else (
        values[0] if len(values) == 1 else "[" + ", ".join(values) + "]")


def data_lines(program):
    graph, fit = program["graph"], program["fit"]
    columns = [node["data"] for node in graph["nodes"] if "input" in node]
    outputs = graph["outputs"]
    keys = list(outputs) if isinstance(outputs, dict) else None
    lines = ["x = " + keyed(columns, graph["inputs"] if graph.get("dict_inputs") else None),
             "y = " + keyed(program["y"], keys)]
    if fit.get("sample_weight"):
        lines.append("weight = " + keyed(fit["sample_weight"], keys))
    return lines


def fit_text(program, epochs):
    fit = program["fit"]
    args = {"batch_size": fit["batch_size"], "epochs": epochs, "shuffle": False, "verbose": 0}
    for key in ("class_weight", "validation_split"):
        if key in fit:
            args[key] = fit[key]
    weight = ", sample_weight=weight" if fit.get("sample_weight") else ""
    return f"model.fit(x, y, {arguments(args)}{weight})"


HEAD = ["import keras", "import numpy as np", "from keras import layers, ops"]
PERTURB = ["for variable in model.trainable_variables:",
           "    variable.assign(variable + ops.cast(np.random.default_rng(1).normal(0, 0.1, variable.shape), variable.dtype))"]


def start_lines(program):
    return [f"keras.config.set_dtype_policy({program['policy']!r})", f"keras.utils.set_random_seed({program['seed']})"]


def build_lines(program):
    """Everything up to a compiled model with data."""
    lines = start_lines(program) + data_lines(program) + graph_lines(program["graph"], "model", program["named"])
    if program["graph"].get("no_input"):
        lines.append("model.predict(x, verbose=0)")
    settings = dict(program["compile"], run_eagerly=True)
    return [*lines, *PERTURB, f"model.compile({arguments(settings)})"]


def snippet(program):
    """The program as readable text."""
    lines = [line.replace(", run_eagerly=True", "") for line in HEAD + build_lines(program)]
    if program["fit"]["before"]:
        lines.append(fit_text(program, program["fit"]["before"]))
    return "\n".join([*lines, 'model.save("model.keras")', "print(model.predict(x))",
                      f"print({fit_text(program, program['fit']['epochs'])}.history)"])
