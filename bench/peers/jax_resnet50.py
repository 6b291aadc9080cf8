"""ResNet-50 in JAX, with the stride in the 3x3 convolutions, as in torch_resnet50.py."""
import jax
import jax.numpy as jnp

from jax_networks import apply_dense, dense

DEPTHS = (3, 4, 6, 3)
MOMENTUM, EPSILON = 0.9, 1e-5


def strides_of_blocks():
    return [2 if stage and not i else 1 for stage, depth in enumerate(DEPTHS) for i in range(depth)]


def initial_conv(key, inputs, filters, size):
    """A convolution without bias, followed by batch normalisation."""
    kernel = jax.random.normal(key, (size, size, inputs, filters)) * (2 / (size * size * inputs)) ** 0.5
    return ({"kernel": kernel, "gamma": jnp.ones(filters), "beta": jnp.zeros(filters)},
            {"mean": jnp.zeros(filters), "variance": jnp.ones(filters)})


def initial_block(key, inputs, width):
    keys = jax.random.split(key, 4)
    parts = {"narrow": initial_conv(keys[0], inputs, width, 1), "middle": initial_conv(keys[1], width, width, 3),
             "wide": initial_conv(keys[2], width, 4 * width, 1)}
    if inputs != 4 * width:
        parts["shortcut"] = initial_conv(keys[3], inputs, 4 * width, 1)
    return {name: part[0] for name, part in parts.items()}, {name: part[1] for name, part in parts.items()}


def initial_resnet50(case, key):
    keys, inputs, blocks = iter(jax.random.split(key, 2 + sum(DEPTHS))), 64, []
    stem = initial_conv(next(keys), 3, 64, 7)
    for stage, depth in enumerate(DEPTHS):
        for _ in range(depth):
            blocks.append(initial_block(next(keys), inputs, 64 << stage))
            inputs = 4 * (64 << stage)
    return ({"stem": stem[0], "blocks": [block[0] for block in blocks], "last": dense(next(keys), inputs, case.classes)},
            {"stem": stem[1], "blocks": [block[1] for block in blocks]})


def normalise(weights, averages, x):
    """Statistics are computed in float32, whatever x is."""
    wide = x.astype(jnp.float32)
    mean, variance = wide.mean((0, 1, 2)), wide.var((0, 1, 2))
    scale = weights["gamma"] * jax.lax.rsqrt(variance + EPSILON)
    y = wide * scale + (weights["beta"] - mean * scale)
    new = {"mean": MOMENTUM * averages["mean"] + (1 - MOMENTUM) * mean,
           "variance": MOMENTUM * averages["variance"] + (1 - MOMENTUM) * variance}
    return y.astype(x.dtype), jax.lax.stop_gradient(new)


def conv(weights, averages, x, stride=1):
    y = jax.lax.conv_general_dilated(x, weights["kernel"].astype(x.dtype), (stride, stride), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return normalise(weights, averages, y)


def block(weights, averages, x, stride):
    new = {}

    def part(name, x, stride=1):
        y, new[name] = conv(weights[name], averages[name], x, stride)
        return y

    y = jax.nn.relu(part("middle", jax.nn.relu(part("narrow", x)), stride))
    shortcut = part("shortcut", x, stride) if "shortcut" in weights else x
    return jax.nn.relu(part("wide", y) + shortcut), new


def resnet50(case, weights, averages, x):
    x, stem = conv(weights["stem"], averages["stem"], x, 2)
    x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    new = []
    for block_weights, block_averages, stride in zip(weights["blocks"], averages["blocks"], strides_of_blocks()):
        x, changed = block(block_weights, block_averages, x, stride)
        new.append(changed)
    return apply_dense(weights["last"], x.mean((1, 2))), {"stem": stem, "blocks": new}
