"""SimpleRNN, LSTM, GRU: every argument."""
from itertools import product

from declare import layer, normal

NAMES = ["SimpleRNN", "LSTM", "GRU"]
X = (3, 5, 4)


def states(name, units):
    return [(3, units)] * (2 if name == "LSTM" else 1)


def shared_cases(name):
    for sequences, state in product([False, True], [False, True]):
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state)
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state, go_backwards=True)
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state, _masks=[(3, 5)])
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state, zero_output_for_mask=True,
                    _masks=[(3, 5)])
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state, go_backwards=True, _masks=[(3, 5)])
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state, unroll=True, _masks=[(3, 5)])
        yield layer(name, X, units=3, return_sequences=sequences, return_state=state,
                    _tensors={"initial_state": states(name, 3)})
    yield layer(name, X, units=3, unroll=True)
    yield layer(name, X, units=3, use_bias=False, return_sequences=True)
    yield layer(name, (2, 1, 3), units=2, return_sequences=True)
    yield layer(name, (2, 3, 5), units=19, return_sequences=True)
    yield layer(name, X, units=3, dropout=0.2, recurrent_dropout=0.3, seed=7)
    for activation in ["relu", "linear", "elu", "softsign"]:
        yield layer(name, X, units=3, activation=activation, return_sequences=True)
    yield layer(name, X, units=3, activation="relu", return_sequences=True, _masks=[(3, 5)])
    yield layer(name, X, units=3, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2")
    yield layer(name, X, units=3, activity_regularizer="l2", _training=True)
    yield layer(name, X, units=3, kernel_constraint="max_norm", recurrent_constraint="unit_norm", bias_constraint="non_neg")
    yield layer(name, X, units=3, kernel_initializer="he_normal", recurrent_initializer="glorot_normal",
                bias_initializer="ones")
    yield layer(name, X, units=3, trainable=False)
    yield layer(name, normal(X, 0.5), units=3, dtype="mixed_bfloat16", return_sequences=True, _gradients=False)
    yield layer(name, normal(X, dtype="float64"), units=3, dtype="float64", return_sequences=True)
    yield layer(name, X, units=3, return_sequences=True, return_state=True, _training=True)


def cases():
    for name in NAMES:
        yield from shared_cases(name)
    for name, activation in product(["LSTM", "GRU"], ["hard_sigmoid", "tanh"]):
        yield layer(name, X, units=3, recurrent_activation=activation, return_sequences=True)
    yield layer("LSTM", X, units=3, unit_forget_bias=False)
    for use_bias, sequences in product([False, True], [False, True]):
        yield layer("GRU", X, units=3, reset_after=False, use_bias=use_bias, return_sequences=sequences)
        yield layer("GRU", X, units=3, reset_after=False, use_bias=use_bias, return_sequences=sequences, _masks=[(3, 5)])
