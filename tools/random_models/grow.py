"""Graphs that grow by random moves. Keras runs each of them; moves that it refuses are dropped."""
import re

import keras
import numpy as np
from choose import Draw
from menu_input import (AUGMENTS, DROPS, ENCODED, TAKES_INTEGERS, TAKES_STRINGS, input_of)
from menu_ops import BINARY, INTEGER, SHAPING, UNARY, VECTOR
from menu_plain import PLAIN
from menu_space import SPACE
from menu_time import STATES, TIME, recurrent
from source import node_lines, graph_lines

LAYERS = PLAIN | SPACE | TIME
LARGEST = 400  # numbers in a sample's tensor


class Refused(Exception):
    """A move that does not fit here."""


class Counter:
    def __init__(self):
        self.used = 0

    def next(self):
        self.used += 1
        return f"n{self.used}"


class Grower:
    """A graph that is being drawn: its nodes, and the symbolic tensors that they have."""

    def __init__(self, d: Draw, counter, random_layers=False):
        self.d, self.counter, self.random_layers = d, counter, random_layers
        self.nodes, self.tensors = [], []  # tensors: expressions that later nodes may use
        self.space = {"keras": keras, "layers": keras.layers, "ops": keras.ops, "np": np}

    def value(self, expression):
        return eval(expression, self.space)

    def shape(self, expression):
        return list(self.value(expression).shape[1:])

    def dtype(self, expression):
        return str(self.value(expression).dtype)

    def is_float(self, expression):
        return "float" in self.dtype(expression)

    def add(self, **node):
        """Runs the node in Keras; returns its id."""
        node = {"id": self.counter.next(), **node}
        if "inner" in node or "class" in node:  # a layer may be called again
            maker = graph_lines(node["inner"], f"{node['id']}_layer", False) if "inner" in node else None
            lines = (maker or [f"{node['id']}_layer = {node['class']}({', '.join(self.args_text(node))})"])
            lines = [*lines, f"{node['id']} = {node['id']}_layer({node['on']}{''.join(f', {k}={v}' for k, v in node.get('call', {}).items())})"]
        else:
            lines = node_lines(node, [], False)
        for line in lines:
            exec(line, self.space)
        made = self.space[node["id"]]
        for tensor in made if isinstance(made, (list, tuple)) else [made]:
            if None in tensor.shape[1:] or not tensor.shape or 0 in tensor.shape[1:] or np.prod(tensor.shape[1:], dtype=float) > LARGEST:
                raise Refused("shape")
            if tensor.shape[0] is not None:
                raise Refused("the batch is gone")
        self.nodes.append(node)
        return node["id"]

    @staticmethod
    def args_text(node):
        from source import text
        return [f"{key}={text(value)}" for key, value in node["args"].items()]

    def keep(self, expression):
        self.tensors.append(expression)
        return expression

    def layer(self, name, args, on, **call):
        return self.add(**{"class": f"layers.{name}", "args": args, "on": on}, **({"call": call} if call else {}))

    # Moves. Each returns the expression of a new tensor.

    def input(self, kind, samples):
        asked, data = input_of(self.d, kind, samples, self.d.int(0, 9999))
        return self.add(input=asked, data=data)

    def from_menu(self, menu, on):
        shape = self.shape(on)
        fitting = {name: entry[2] for name, entry in menu.items() if len(shape) in entry[0]}
        if not fitting:
            raise Refused("no layer for this rank")
        name = self.d.weighted(fitting)
        args = menu[name][1](self.d, shape)
        if args is None:
            raise Refused(name)
        return self.layer(name, args, on)

    def one_layer(self, on):
        if self.random_layers and self.d.chance(0.3):
            name = self.d.pick(AUGMENTS if len(self.shape(on)) == 3 and self.d.chance(0.7) else DROPS)
            return self.layer(name, (AUGMENTS | DROPS)[name], on)
        if self.d.chance(0.03):
            name = self.d.pick(ENCODED)
            return self.layer(name, ENCODED[name](self.d), on)
        return self.from_menu(LAYERS, on)

    def operation(self, on):
        rank = len(self.shape(on))
        options = UNARY if self.d.chance(0.6) else (VECTOR if rank == 1 else SHAPING)
        return self.add(code=self.d.pick(options).format(on))

    def of_integers(self, on):
        if self.dtype(on) == "string":
            return self.from_menu(TAKES_STRINGS, on)
        if self.d.chance(0.25):
            return self.add(code=self.d.pick(INTEGER).format(on))
        if self.dtype(on) == "bool":
            return self.layer(self.d.pick(["Dense"]), {"units": 3}, on)
        return self.from_menu(TAKES_INTEGERS, on)

    def same_shape(self, on):
        """Another tensor of this shape, made by a Dense if there is none."""
        shape = self.shape(on)
        others = [t for t in self.tensors if self.is_float(t) and self.shape(t) == shape and t != on]
        if others and self.d.chance(0.7):
            return self.d.pick(others)
        return self.layer("Dense", {"units": shape[-1]} | self.d.some({"activation": ["tanh", "relu"]}, 0.5), on)

    def merge(self, on):
        other = self.same_shape(on)
        if self.d.chance(0.3):
            return self.add(code=self.d.pick(BINARY).format(on, other))
        name = self.d.pick(["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot"])
        rank = len(self.shape(on))
        args = {"Concatenate": {"axis": self.d.pick([-1, self.d.int(1, rank)])},
                "Dot": {"axes": self.d.int(1, min(rank, 2))} | self.d.some({"normalize": [True]})}.get(name, {})
        third = f", {on}" if name not in ("Subtract", "Dot") and self.d.chance(0.2) else ""
        return self.layer(name, args, f"[{on}, {other}{third}]")

    def sequence(self, on):
        if len(self.shape(on)) != 2:
            raise Refused("no sequence")
        return self.shape(on)

    def mask_for(self, on):
        """A mask of a sequence: an input of booleans, or computed from the sequence."""
        length = self.sequence(on)[0]
        given = [t for t in self.tensors if self.dtype(t) == "bool" and self.shape(t) == [length]]
        return self.d.pick(given) if given else self.add(code=f"ops.any({on} > -0.3, axis=-1)")

    def masked_call(self, on):
        self.sequence(on)
        mask = self.mask_for(on)
        kind = self.d.pick(["LSTM", "GRU", "SimpleRNN", "Bidirectional", "GlobalAveragePooling1D", "Softmax"])
        if kind == "Softmax":
            return self.layer("Softmax", {"axis": 1}, on, mask=self.add(code=f"ops.repeat(ops.expand_dims({mask}, -1), {on}.shape[-1], axis=-1)"))
        return self.layer(kind, LAYERS[kind][1](self.d, self.shape(on)), on, mask=mask)

    def attention(self, on):
        other = self.same_shape(on) if self.d.chance(0.5) else on
        self.sequence(on)
        kind = self.d.pick(["MultiHeadAttention", "Attention", "AdditiveAttention", "GroupQueryAttention"])
        if kind == "MultiHeadAttention":
            args = {"num_heads": self.d.int(1, 2), "key_dim": self.d.int(1, 3)} | self.d.some({
                "value_dim": [2], "use_bias": [False], "output_shape": [3], "dropout": [0.0]})
            options = self.d.some({"use_causal_mask": ["True"]}, 0.3)
            return self.layer(kind, args, f"{on}, {other}" + (f", {other}" if self.d.chance(0.3) else ""), **options)
        if kind == "GroupQueryAttention":
            return self.layer(kind, {"head_dim": self.d.int(1, 3), "num_query_heads": 4, "num_key_value_heads": self.d.pick([1, 2, 4])}
                              | self.d.some({"use_bias": [False]}), f"{on}, {other}")
        args = self.d.some({"use_scale": [True], "score_mode": ["concat", "dot"]} if kind == "Attention" else {"use_scale": [False]}, 0.4)
        return self.layer(kind, args, f"[{on}, {other}]", **self.d.some({"use_causal_mask": ["True"]}, 0.2))

    def states(self, on):
        """A recurrent layer whose state is the initial state of another one, or a tensor for later nodes."""
        self.sequence(on)
        kind, units = self.d.pick(STATES), self.d.int(1, 3)
        args = recurrent(self.d, kind, units) | self.d.some({"return_sequences": [True]}, 0.4)
        first = self.layer(kind, args | {"return_state": True}, on)
        parts = [f"{first}[{i}]" for i in range(1 + STATES[kind])]
        if self.d.chance(0.5):
            return self.d.pick(parts)
        given = parts[1] if len(parts) == 2 else f"[{parts[1]}, {parts[2]}]"
        args = recurrent(self.d, kind, units) | self.d.some({"return_sequences": [True]}, 0.6)
        return self.layer(kind, args, self.d.pick([on, on, parts[0] if len(self.shape(parts[0])) == 2 else on]), initial_state=given)

    def again(self, on):
        """The same layer again, on another tensor."""
        shape = self.shape(on)
        for node in reversed(self.nodes):
            single = ("class" in node or "inner" in node) and not node.get("call") and re.fullmatch(r"n\d+(\[\d\])?", node.get("on", "[")) 
            if single and self.shape(node["on"]) == shape and self.dtype(node["on"]) == self.dtype(on) and node["on"] != on:
                return self.add(again=node["id"], on=on)
        raise Refused("no layer for this shape")

    def nested(self, on):
        inner = Grower(self.d, self.counter)
        shape = self.shape(on)
        first = inner.add(input={"shape": shape}, data="")
        graph = {"inputs": [first], "sequential": self.d.chance(0.5)}
        last = first
        for _ in range(self.d.int(1, 3)):
            last = inner.keep(inner.step(last, LAYER_ONLY if graph["sequential"] else PLAIN_MOVES))
        if last == first or "[" in last:
            raise Refused("empty")
        graph |= {"nodes": inner.nodes, "outputs": [last]}
        if graph["sequential"]:
            chain = [first, *(node["id"] for node in inner.nodes[1:])]
            if any(node.get("on") != before for node, before in zip(inner.nodes[1:], chain)):
                raise Refused("no chain")
        return self.add(inner=graph, on=on)

    def step(self, on, moves, tries=6):
        """The tensor after a move that Keras accepts, or `on` itself if there is none."""
        for _ in range(tries):
            count = len(self.nodes)
            try:
                if not self.is_float(on):
                    return self.of_integers(on)
                return getattr(self, self.d.weighted(moves))(on)
            except Exception:  # any refusal by Keras
                del self.nodes[count:]
        return on


LAYER_ONLY = {"one_layer": 1}
PLAIN_MOVES = {"one_layer": 10, "operation": 3, "merge": 2, "attention": 1}
ALL_MOVES = {"one_layer": 10, "operation": 4, "merge": 3, "attention": 1.5, "masked_call": 1, "states": 1.5, "again": 1.5, "nested": 1}
