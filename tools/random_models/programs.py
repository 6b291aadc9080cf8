"""Programs drawn from a seed."""
import keras
from choose import Draw
from grow import ALL_MOVES, LAYER_ONLY, Counter, Grower
from heads import draw_head
from source import start_lines
from training import draw_fit, optimizer, weigh

SAMPLES = 8
POLICIES = {"float32": 16, "mixed_float16": 1.5, "mixed_bfloat16": 1.5, "float64": 1.5}
INPUTS = {"vector": 5, "sequence": 5, "image": 4, "volume": 1, "zeros": 1.2, "ids": 4, "integers": 1.2, "bytes": 1, "bool": 0.7, "strings": 1.2}


def draw_program(seed, attempt=0):
    keras.backend.clear_session(free_memory=False)
    d = Draw(seed, attempt)
    program = {"seed": seed, "policy": d.weighted(POLICIES), "named": d.chance(0.8)}
    exec("\n".join(start_lines(program)), {"keras": keras})
    random_layers = d.chance(0.05)
    weighted = not random_layers and d.chance(0.2)
    mixed = program["policy"].startswith("mixed")
    grower = Grower(d, Counter(), random_layers)
    graph, heads = (draw_sequential if d.chance(0.3) else draw_functional)(grower, mixed, weighted)
    fit = draw_fit(d, heads, SAMPLES)
    if random_layers:
        fit |= {"before": 0, "epochs": 0}
    if weighted:
        weigh(d, fit, heads, SAMPLES)
    adapt_some(Draw(seed, attempt, "adapt"), graph)
    program |= {"graph": graph, "compile": draw_compile(d, program, graph, heads, weighted), "fit": fit,
                "y": [head["y"] for head in heads]}
    return program


LEARNED = {"layers.Normalization": ["mean", "variance"], "layers.Discretization": ["bin_boundaries"], "layers.StringLookup": ["vocabulary", "idf_weights"],
           "layers.IntegerLookup": ["vocabulary", "idf_weights"], "layers.TextVectorization": ["vocabulary", "idf_weights"]}


def adapt_some(d, graph):
    """Layers that take an input learn from its data what they were told."""
    data = {node["id"]: node["data"] for node in graph["nodes"] if "input" in node}
    for node in graph["nodes"]:
        if node.get("class") in LEARNED and node["on"] in data and "invert" not in node["args"] and d.chance(0.6):
            node["adapt"] = data[node["on"]]
            node["args"] = {key: value for key, value in node["args"].items() if key not in LEARNED[node["class"]]}
            if node["class"] == "layers.Discretization":
                node["args"]["num_bins"] = 4


def draw_sequential(grower, mixed, weighted):
    on = first = grower.input(grower.d.weighted({k: v for k, v in INPUTS.items() if k != "bool"}), SAMPLES)
    for _ in range(grower.d.int(1, 5)):
        count = len(grower.nodes)
        new = grower.step(on, LAYER_ONLY)
        if "class" in grower.nodes[-1]:
            on = new
        else:
            del grower.nodes[count:]
    head = draw_head(grower, on, SAMPLES, mixed, weighted)
    if any("class" not in node for node in grower.nodes[1:]):
        raise ValueError("not a chain of layers")
    graph = {"nodes": grower.nodes, "inputs": [first], "outputs": [head["output"]], "sequential": True}
    if "dtype" not in grower.nodes[0]["input"] and grower.d.chance(0.15):
        graph["no_input"] = True  # built by the first data
    return graph, [head]


def draw_functional(grower, mixed, weighted):
    d = grower.d
    inputs = [grower.keep(grower.input(d.weighted(INPUTS), SAMPLES)) for _ in range(d.weighted({1: 6, 2: 3, 3: 1}))]
    ends = []
    for each in inputs:
        on = each
        for _ in range(d.int(1, 3)):
            on = grower.keep(grower.step(on, ALL_MOVES))
        ends.append(on)
    while len(ends) > 1 and d.chance(0.8):
        ends = [joined(grower, ends.pop(), ends.pop()), *ends]
    for _ in range(d.int(0, 3)):
        ends[0] = grower.keep(grower.step(ends[0], ALL_MOVES))
    if len(ends) == 1 and d.chance(0.25):
        ends.append(grower.step(d.pick([t for t in grower.tensors if grower.is_float(t)] or ends), ALL_MOVES))
    heads = [draw_head(grower, end, SAMPLES, mixed, weighted) for end in ends]
    used = used_nodes(grower.nodes, [head["output"] for head in heads])
    graph = {"nodes": [node for node in grower.nodes if node["id"] in used]}
    graph["inputs"] = [node["id"] for node in graph["nodes"] if "input" in node]
    graph["dict_inputs"] = d.chance(0.15)
    outputs = [head["output"] for head in heads]
    if d.chance(0.15 if len(heads) > 1 else 0.05):
        names = {key: output for key, output in zip(["price", "kind", "size"], outputs)} if d.chance(0.5) else {o: o for o in outputs}
        order = sorted(names)  # as Keras flattens
        heads[:] = [heads[list(names).index(key)] for key in order]
        graph["outputs"] = {key: names[key] for key in order}
    else:
        graph["outputs"] = outputs
    if not graph["inputs"]:
        raise ValueError("nothing depends on an input")
    return graph, heads


def joined(grower, a, b):
    """One tensor of two, as vectors."""
    from heads import to_float, to_vector
    parts = [to_vector(grower, to_float(grower, grower.step(t, {"one_layer": 1}) if grower.dtype(t) == "string" else t)) for t in (a, b)]
    return grower.keep(grower.layer("Concatenate", {}, f"[{parts[0]}, {parts[1]}]"))


def used_nodes(nodes, outputs):
    from source import ids_in
    wanted = set(ids_in(" ".join(outputs)))
    for node in reversed(nodes):
        if node["id"] in wanted:
            call = " ".join(map(str, node.get("call", {}).values()))
            wanted |= set(ids_in(f"{node.get('on', '')} {node.get('code', '')} {call} {node.get('again', '')}"))
    return wanted


def draw_compile(d, program, graph, heads, weighted):
    keys = list(graph["outputs"]) if isinstance(graph["outputs"], dict) else None
    names = keys or ([head["output"] for head in heads] if program["named"] and len(heads) > 1 and d.chance(0.4) else None)

    def arrange(values):
        return values[0] if len(heads) == 1 and not keys else dict(zip(names, values)) if names else values

    settings = {"optimizer": optimizer(d), "loss": arrange([head["loss"] for head in heads])}
    if any(head["metrics"] for head in heads):
        settings["weighted_metrics" if weighted and d.chance(0.6) else "metrics"] = arrange([head["metrics"] for head in heads])
    if len(heads) > 1 and d.chance(0.3):
        settings["loss_weights"] = arrange([d.real(0.2, 2) for _ in heads])
    return settings
