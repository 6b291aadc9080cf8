"""The small networks of the cases in JAX. A network is a pair of functions:

initial(case, key) -> (weights, averages): what the optimizer trains, and the running averages of normalisations;
outputs(case, weights, averages, x) -> (logits, averages), computed in dtype_of(case), which x has unless it is integers."""
import jax
import jax.numpy as jnp

from cases import HIDDEN


def dtype_of(case):
    return jnp.bfloat16 if case.precision == "bf16" else jnp.float32


def dense(key, inputs, outputs):
    return {"kernel": jax.random.normal(key, (inputs, outputs)) * (2 / inputs) ** 0.5, "bias": jnp.zeros(outputs)}


def apply_dense(layer, x):
    return x @ layer["kernel"].astype(x.dtype) + layer["bias"].astype(x.dtype)


def initial_mlp(case, key):
    sizes = [*case.shape, *HIDDEN[case.name], case.classes]
    keys = jax.random.split(key, len(sizes))
    return [dense(k, *pair) for k, *pair in zip(keys, sizes, sizes[1:])], ()


def mlp(case, weights, averages, x):
    for i, layer in enumerate(weights):
        x = apply_dense(layer, jax.nn.relu(x) if i else x)
    return x, averages


def initial_lstm(case, key, units=256):
    keys, features = jax.random.split(key, 3), case.shape[-1]
    return {"kernel": jax.random.normal(keys[0], (features, 4 * units)) * features**-0.5,
            "recurrent": jax.random.normal(keys[1], (units, 4 * units)) * units**-0.5,
            "bias": jnp.zeros(4 * units), "last": dense(keys[2], units, case.classes)}, ()


def lstm(case, weights, averages, x):
    projected = apply_dense(weights, jnp.swapaxes(x, 0, 1))
    recurrent = weights["recurrent"].astype(x.dtype)

    def step(states, z):
        h, c = states
        i, f, g, o = jnp.split(z + h @ recurrent, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((len(x), recurrent.shape[0]), x.dtype)
    (h, _), _ = jax.lax.scan(step, (zeros, zeros), projected)
    return apply_dense(weights["last"], h), averages


def initial_cnn(case, key):
    keys, (height, width, channels) = jax.random.split(key), case.shape
    shrink = 2 if case.name == "cnn28" else 1
    features = 32 * ((height - 2) // shrink) * ((width - 2) // shrink)
    return {"filters": 0.1 * jax.random.normal(keys[0], (3, 3, channels, 32)), "bias": jnp.zeros(32),
            "last": dense(keys[1], features, case.classes)}, ()


def cnn(case, weights, averages, x):
    y = jax.lax.conv_general_dilated(x, weights["filters"].astype(x.dtype), (1, 1), "VALID",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.nn.relu(y + weights["bias"].astype(x.dtype))
    if case.name == "cnn28":
        y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return apply_dense(weights["last"], y.reshape(len(y), -1)), averages
