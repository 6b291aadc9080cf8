"""Removes parts of a program as long as it fails in the same way."""
import copy
import re

from compare import compare
from programs import SAMPLES, used_nodes
from sides import Unsuitable, build
from source import ids_in


def signature(result):
    """Two failures are the same if stage and message agree, apart from names and numbers."""
    said = re.sub(r"\"[^\"]*\"|'[^']*'|n\d+(_layer)?|[-+]?\d[\d.e+-]*|\([^)]*\)|\[[^]]*\]", "…", result.get("message", ""))
    return f"{result['stage']}: " + (said[:80] if result["outcome"] == "refused" or " by " not in said else "")


def rename(node, old, new):
    """Replaces one tensor by another in all of its readers."""
    def put(value):
        return re.sub(rf"\b{old}\b(?:\[\d\])?", new, value)
    changed = dict(node)
    for key in ("on", "code"):
        if key in changed:
            changed[key] = put(changed[key])
    if "call" in changed:
        changed["call"] = {key: put(value) for key, value in changed["call"].items()}
    return changed


def pruned(program):
    """Without nodes that no output needs."""
    graph = program["graph"]
    outputs = graph["outputs"]
    used = used_nodes(graph["nodes"], list(outputs.values()) if isinstance(outputs, dict) else outputs)
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] in used]
    graph["inputs"] = [node["id"] for node in graph["nodes"] if "input" in node]
    return program if graph["inputs"] else None


def tensor(space, name):
    made = space[name]
    return made[0] if isinstance(made, (list, tuple)) else made


def without_node(program, index):
    graph = program["graph"]
    node = graph["nodes"][index]
    reads = ids_in(node.get("on", node.get("code", "")))
    if not reads or "input" in node:
        return None
    graph["nodes"] = [rename(other, node["id"], reads[0]) for i, other in enumerate(graph["nodes"]) if i != index]
    swap = lambda ref: reads[0] if ids_in(ref) == [node["id"]] else ref  # noqa: E731
    outputs = graph["outputs"]
    graph["outputs"] = {k: swap(v) for k, v in outputs.items()} if isinstance(outputs, dict) else [swap(v) for v in outputs]
    return pruned(program)


def from_node(program, index, space):
    """The node as an input with random numbers."""
    graph = program["graph"]
    node = graph["nodes"][index]
    if "input" in node or node["id"] not in space or isinstance(space[node["id"]], (list, tuple)):
        return None
    made = space[node["id"]]
    shape, dtype = list(made.shape[1:]), str(made.dtype)
    if "float" not in dtype:
        return None
    data = f"np.random.default_rng({index}).normal(size={(SAMPLES, *shape)}).astype('float32')"
    graph["nodes"][index] = {"id": node["id"], "input": {"shape": shape}, "data": data}
    if graph.get("sequential"):
        graph["nodes"] = graph["nodes"][index:]
    return pruned(program)


def until_node(program, index, space):
    """The node as the only output, with a plain loss."""
    graph, node = program["graph"], program["graph"]["nodes"][index]
    if "input" in node or node["id"] not in space:
        return None
    made = space[node["id"]]
    many = isinstance(made, (list, tuple))
    made = made[0] if many else made
    graph["outputs"] = [f"{node['id']}[0]" if many else node["id"]]
    program["compile"] = {"optimizer": program["compile"]["optimizer"], "loss": "mse"}
    program["y"] = [f"np.random.default_rng(0).normal(size={(SAMPLES, *made.shape[1:])}).astype('float32')"]
    program["fit"].pop("class_weight", None)
    if "sample_weight" in program["fit"]:
        program["fit"]["sample_weight"] = program["fit"]["sample_weight"][:1]
    if graph.get("sequential"):
        graph["nodes"] = graph["nodes"][:index + 1]
    return pruned(program)


def simpler_training(program):
    """Changes of everything but the graph."""
    fit, settings = program["fit"], program["compile"]
    yield lambda p: p["fit"].update(epochs=min(1, fit["epochs"]), before=0, batch_size=SAMPLES)
    yield lambda p: p["fit"].update(before=0)
    yield lambda p: p["fit"].update(epochs=min(1, fit["epochs"]))
    yield lambda p: p["fit"].update(before=min(1, fit["before"]))
    yield lambda p: p["fit"].update(batch_size=SAMPLES)
    for key in ("validation_split", "class_weight", "sample_weight"):
        if key in fit:
            yield lambda p, key=key: p["fit"].pop(key)
    for key in ("metrics", "weighted_metrics", "loss_weights"):
        if key in settings:
            yield lambda p, key=key: p["compile"].pop(key)
    yield lambda p: p["compile"].update(optimizer="sgd")
    yield lambda p: p["compile"].update(optimizer="adam")
    yield lambda p: p.update(policy="float32")
    if isinstance(settings["optimizer"], dict):
        for key in settings["optimizer"]["args"]:
            yield lambda p, key=key: p["compile"]["optimizer"]["args"].pop(key)


def without_argument(program, index, key):
    del program["graph"]["nodes"][index]["args"][key]
    return program


def candidates(program):
    """Slightly simpler programs, the largest simplifications first."""
    def changed(change):
        copied = copy.deepcopy(program)
        result = change(copied)
        return copied if result is None or not isinstance(result, dict) or "graph" not in result else result

    try:
        space = build(program).space
    except Unsuitable:
        space = {}
    count = len(program["graph"]["nodes"])
    for index in range(count - 1):
        yield until_node(copy.deepcopy(program), index, space)
    for index in reversed(range(1, count)):
        yield from_node(copy.deepcopy(program), index, space)
    for index in reversed(range(1, count)):
        yield without_node(copy.deepcopy(program), index)
    if until := until_node(copy.deepcopy(program), count - 1, space):
        if program["compile"].get("loss") != "mse":
            yield until
    for change in simpler_training(program):
        yield changed(change)
    for index, node in enumerate(program["graph"]["nodes"]):
        for key in node.get("args", {}):
            yield without_argument(copy.deepcopy(program), index, key)


def minimise(program, result, folder, most=60):
    """The smallest program found that fails as this one does, and its result."""
    wanted, tried = signature(result), set()
    while most > 0:
        for candidate in candidates(program):
            if candidate is None or str(candidate) in tried or candidate == program:
                continue
            tried.add(str(candidate))
            most -= 1
            try:
                found = compare(candidate, folder)
            except Exception:  # Keras refuses it
                continue
            if found["outcome"] == result["outcome"] and signature(found) == wanted:
                program, result = candidate, found
                break
            if most <= 0:
                break
        else:
            break
    return program, result
