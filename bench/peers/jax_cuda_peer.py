"""JAX on a GPU: the bare step on batches that already lie there. --mode jit: a dispatch a step; scan: 100 steps in one
dispatch, which is what an expert writes by hand."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402

import measure  # noqa: E402
from cases import HIDDEN  # noqa: E402

BATCHES = 4
SCANNED = 100


def dense(key, inputs, outputs):
    return {"kernel": jax.random.normal(key, (inputs, outputs)) * (2 / inputs) ** 0.5, "bias": jnp.zeros(outputs)}


def initial(case):
    keys = jax.random.split(jax.random.PRNGKey(1), 8)
    if case.name in HIDDEN:
        sizes = [*case.shape, *HIDDEN[case.name], case.classes]
        return {"dense": [dense(key, *pair) for key, *pair in zip(keys, sizes, sizes[1:])]}
    if case.name == "lstm":
        features, units = case.shape[-1], 256
        return {"kernel": jax.random.normal(keys[0], (features, 4 * units)) * features**-0.5,
                "recurrent": jax.random.normal(keys[1], (units, 4 * units)) * units**-0.5,
                "bias": jnp.zeros(4 * units), "dense": [dense(keys[2], units, case.classes)]}
    height, width, channels = case.shape
    shrink = 2 if case.name == "cnn28" else 1
    features = 32 * ((height - 2) // shrink) * ((width - 2) // shrink)
    return {"filters": 0.1 * jax.random.normal(keys[0], (3, 3, channels, 32)), "bias": jnp.zeros(32),
            "dense": [dense(keys[1], features, case.classes)]}


def convolve(case, weights, x):
    y = jax.lax.conv_general_dilated(x, weights["filters"].astype(x.dtype), (1, 1), "VALID",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.nn.relu(y + weights["bias"].astype(x.dtype))
    if case.name == "cnn28":
        y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return y.reshape(len(y), -1)


def last_state(weights, x):
    """Of an LSTM over the second axis."""
    projected = jnp.swapaxes(x, 0, 1) @ weights["kernel"].astype(x.dtype) + weights["bias"].astype(x.dtype)
    recurrent = weights["recurrent"].astype(x.dtype)

    def step(states, z):
        h, c = states
        i, f, g, o = jnp.split(z + h @ recurrent, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((len(x), recurrent.shape[0]), x.dtype)
    return jax.lax.scan(step, (zeros, zeros), projected)[0][0]


def logits_of(case, weights, x):
    x = x.astype(jnp.bfloat16 if case.precision == "bf16" else jnp.float32)
    if "filters" in weights:
        x = convolve(case, weights, x)
    if "recurrent" in weights:
        x = last_state(weights, x)
    for i, layer in enumerate(weights["dense"]):
        x = (jax.nn.relu(x) if i else x) @ layer["kernel"].astype(x.dtype) + layer["bias"].astype(x.dtype)
    return x.astype(jnp.float32)


def make_trainer(args, case, x, y):
    optimizer = optax.adam(1e-3)
    weights = initial(case)
    state = {"weights": weights, "slots": optimizer.init(weights)}
    x = jnp.asarray(x).reshape(BATCHES, case.batch, *case.shape)
    y = jnp.asarray(y).reshape(BATCHES, case.batch)

    def step(weights, slots, inputs, targets):
        def loss_of(w):
            return optax.softmax_cross_entropy_with_integer_labels(logits_of(case, w, inputs), targets).mean()

        loss, gradients = jax.value_and_grad(loss_of)(weights)
        updates, slots = optimizer.update(gradients, slots, weights)
        return optax.apply_updates(weights, updates), slots, loss

    def many(weights, slots):
        def body(carry, i):
            *carry, loss = step(*carry, x[i % BATCHES], y[i % BATCHES])
            return tuple(carry), loss

        carry, losses = jax.lax.scan(body, (weights, slots), jnp.arange(SCANNED))
        return *carry, losses[-1]

    one, scanned = jax.jit(step, donate_argnums=(0, 1)), jax.jit(many, donate_argnums=(0, 1))
    batches = [(x[i], y[i]) for i in range(BATCHES)]

    def train(steps):
        weights, slots = state["weights"], state["slots"]
        if args.mode == "scan":
            for _ in range(steps // SCANNED):
                weights, slots, loss = scanned(weights, slots)
        else:
            for i in range(steps):
                weights, slots, loss = one(weights, slots, *batches[i % BATCHES])
        state.update(weights=weights, slots=slots)
        return float(jax.block_until_ready(loss))

    return train


if __name__ == "__main__":
    measure.main(make_trainer, BATCHES, SCANNED)
