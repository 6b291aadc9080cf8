"""Attention, AdditiveAttention, MultiHeadAttention, GroupQueryAttention."""
from itertools import product

from declare import booleans, layer, normal

# Small numbers, so that three steps of training do not amplify rounding errors.
Q, V, K = (normal(shape, 0.5) for shape in [(2, 5, 4), (2, 6, 4), (2, 6, 4)])
IMAGE = normal((2, 3, 4, 5), 0.5)


def plain_cases():
    for name, use_scale in product(["Attention", "AdditiveAttention"], [False, True]):
        yield layer(name, Q, V, use_scale=use_scale)
        yield layer(name, Q, V, K, use_scale=use_scale)
        yield layer(name, Q, V, use_scale=use_scale, _call={"use_causal_mask": True})
        yield layer(name, Q, V, use_scale=use_scale, _call={"return_attention_scores": True})
        yield layer(name, Q, V, use_scale=use_scale, _masks=[(2, 5), (2, 6)])
        yield layer(name, Q, V, K, use_scale=use_scale, _masks=[(2, 5), (2, 6), None], _call={"use_causal_mask": True})
    for use_scale in [False, True]:
        yield layer("Attention", Q, V, use_scale=use_scale, score_mode="concat")
    yield layer("Attention", Q, V, dropout=0.3)
    yield layer("Attention", Q, V, dtype="mixed_bfloat16", _gradients=False)


def heads(*inputs, **arguments):
    return layer("MultiHeadAttention", *inputs, _positional=True, **{"num_heads": 2, "key_dim": 3, **arguments})


def groups(*inputs, **arguments):
    settings = {"head_dim": 3, "num_query_heads": 4, "num_key_value_heads": 2, **arguments}
    return layer("GroupQueryAttention", *inputs, _positional=True, **settings)


def shared_cases(attention):
    yield attention(Q, V)
    yield attention(Q, V, K)
    yield attention(Q, V, use_bias=False)
    yield attention(Q, V, use_gate=True)
    yield attention(Q, Q, _call={"use_causal_mask": True})
    yield attention(Q, V, _call={"return_attention_scores": True})
    yield attention(Q, Q, _call={"return_attention_scores": True, "use_causal_mask": True})
    yield attention(Q, V, _tensors={"attention_mask": booleans((2, 5, 6), 0.8)})
    yield attention(Q, V, _tensors={"attention_mask": booleans((2, 5, 6), 0.8)}, _call={"return_attention_scores": True})
    yield attention(Q, V, _masks=[None, (2, 6)])
    yield attention(Q, V, K, _masks=[None, (2, 6), (2, 6)])
    yield attention(Q, Q, _masks=[None, (2, 5)], _call={"use_causal_mask": True, "return_attention_scores": True})
    yield attention(Q, Q, sliding_window=2)
    yield attention(Q, Q, sliding_window=3, _call={"use_causal_mask": True})
    yield attention(Q, V, dropout=0.25)
    yield attention(Q, V, kernel_regularizer="l2", bias_regularizer="l1")
    yield attention(Q, V, kernel_constraint="max_norm", bias_constraint="non_neg")
    yield attention(Q, V, kernel_initializer="he_normal", bias_initializer="ones")
    yield attention(Q, V, trainable=False)
    yield attention(Q, V, dtype="mixed_bfloat16", _gradients=False)
    yield attention(normal((2, 5, 4), dtype="float64"), normal((2, 6, 4), dtype="float64"), dtype="float64")


def cases():
    yield from plain_cases()
    yield from shared_cases(heads)
    yield from shared_cases(groups)
    yield heads(Q, V, value_dim=5)
    yield heads(Q, V, output_shape=7)
    yield heads(Q, V, output_shape=(2, 3))
    yield heads(Q, normal((2, 6, 3), 0.5), normal((2, 6, 5), 0.5))
    yield heads(IMAGE, IMAGE, attention_axes=2)
    yield heads(IMAGE, IMAGE, attention_axes=(1, 2))
    yield heads(IMAGE, normal((2, 2, 4, 5), 0.5), attention_axes=[1], _call={"return_attention_scores": True})
    yield heads(IMAGE, IMAGE)
    long = normal((3, 9, 8), 0.2)
    yield heads(long, long, num_heads=4, key_dim=2, _call={"use_causal_mask": True}, _training=True)
    yield groups(Q, V, num_key_value_heads=1)
    yield groups(Q, V, num_key_value_heads=4)
