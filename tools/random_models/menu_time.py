"""Recurrent layers and their cells."""
from arguments import GATES, activation, weights
from source import obj

STATES = {"LSTM": 2, "GRU": 1, "SimpleRNN": 1}


def recurrent(d, kind, units=None):
    args = {"units": units or d.int(1, 4)} | d.some({
        "activation": ["tanh", "relu", "sigmoid", "softsign"], "use_bias": [False], "go_backwards": [True], "unroll": [True],
        "dropout": [0.0], "recurrent_dropout": [0.0]}, 0.2)
    if kind != "SimpleRNN":
        args |= d.some({"recurrent_activation": GATES}, 0.2)
    if kind == "GRU":
        args |= d.some({"reset_after": [False]}, 0.3)
    if kind == "LSTM":
        args |= d.some({"unit_forget_bias": [False]}, 0.2)
    return args | weights(d, "kernel", "recurrent", "bias", probability=0.06)


def layer_of(kind):
    def draw(d, shape):
        return recurrent(d, kind) | d.some({"return_sequences": [True]}, 0.5)
    return draw


def cell(d):
    kind = d.pick(["LSTM", "GRU", "SimpleRNN"])
    args = {"units": d.int(1, 3)} | d.some({"use_bias": [False], "activation": ["tanh", "relu"]}, 0.2)
    return obj(f"layers.{kind}Cell", **args)


def from_cells(d, shape):
    one = d.chance(0.6)
    wrapped = cell(d) if one else d.pick([
        obj("layers.StackedRNNCells", cells=[cell(d), cell(d)]), [cell(d), cell(d)]])
    return {"cell": wrapped} | d.some({"return_sequences": [True], "go_backwards": [True], "unroll": [True]}, 0.4)


def bidirectional(d, shape):
    kind = d.pick(list(STATES))
    sequences = {"return_sequences": True} if d.chance(0.5) else {}
    args = {"layer": obj(f"layers.{kind}", **{key: value for key, value in recurrent(d, kind).items() if key != "go_backwards"},
                         **sequences)}
    args |= d.some({"merge_mode": ["sum", "mul", "ave", "concat"]}, 0.5)
    if d.chance(0.2):
        args["backward_layer"] = obj(f"layers.{kind}", units=args["layer"]["args"]["units"], go_backwards=True, **sequences)
    return args


TIME = {"LSTM": ((2,), layer_of("LSTM"), 2), "GRU": ((2,), layer_of("GRU"), 2), "SimpleRNN": ((2,), layer_of("SimpleRNN"), 1),
        "RNN": ((2,), from_cells, 1), "Bidirectional": ((2,), bidirectional, 1.5),
        "Masking": ((2,), lambda d, s: d.some({"mask_value": [0.0, 1.0]}), 0.5)}
