"""GPT-2 of 124 million weights in JAX, without dropout, as in torch_gpt2.py."""
import jax
import jax.numpy as jnp

from jax_networks import apply_dense, dtype_of

UNITS, HEADS, BLOCKS = 768, 12, 12
EPSILON = 1e-5


def small(key, *shape):
    return 0.02 * jax.random.normal(key, shape)


def linear(key, inputs, outputs):
    return {"kernel": small(key, inputs, outputs), "bias": jnp.zeros(outputs)}


def initial_norm(units):
    return {"gamma": jnp.ones(units), "beta": jnp.zeros(units)}


def initial_block(key, units):
    keys = jax.random.split(key, 4)
    return {"first_norm": initial_norm(units), "second_norm": initial_norm(units),
            "projections": linear(keys[0], units, 3 * units), "output": linear(keys[1], units, units),
            "wide": linear(keys[2], units, 4 * units), "narrow": linear(keys[3], 4 * units, units)}


def initial_gpt2(case, key, units=UNITS, blocks=BLOCKS):
    tokens, places, *keys = jax.random.split(key, 2 + blocks)
    return {"tokens": small(tokens, case.classes, units), "places": small(places, *case.shape, units),
            "blocks": [initial_block(k, units) for k in keys], "last_norm": initial_norm(units)}, ()


def normalise(weights, x):
    """Statistics are computed in float32, whatever x is."""
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    scale = jax.lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + EPSILON)
    return (centred * scale * weights["gamma"] + weights["beta"]).astype(x.dtype)


def attend(x, heads):
    """x: queries, keys and values side by side in the last dimension."""
    batch, places, width = x.shape
    query, key, value = jnp.moveaxis(x.reshape(batch, places, 3, heads, width // 3 // heads), 2, 0)
    fused = jax.default_backend() == "gpu" and x.dtype == jnp.bfloat16  # cuDNN's flash attention takes no float32
    attended = jax.nn.dot_product_attention(query, key, value, is_causal=True,
                                            implementation="cudnn" if fused else "xla")
    return attended.reshape(batch, places, width // 3)


def block(weights, x, heads):
    attended = attend(apply_dense(weights["projections"], normalise(weights["first_norm"], x)), heads)
    x = x + apply_dense(weights["output"], attended)
    wide = jax.nn.gelu(apply_dense(weights["wide"], normalise(weights["second_norm"], x)), approximate=True)
    return x + apply_dense(weights["narrow"], wide)


def gpt2(case, weights, averages, x, heads=HEADS):
    """Logits of every position, one row each; the table of tokens is also the last layer."""
    h = (weights["tokens"][x] + weights["places"]).astype(dtype_of(case))
    for block_weights in weights["blocks"]:
        h = block(block_weights, h, heads)
    h = normalise(weights["last_norm"], h)
    return h.reshape(-1, h.shape[-1]) @ weights["tokens"].astype(h.dtype).T, averages
