"""JAX on a GPU: the bare step on batches that are already there. --mode jit: a dispatch a step; scan: 100 steps in one
dispatch, which is what an expert writes by hand."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

import measure  # noqa: E402
from jax_gpt2 import gpt2, initial_gpt2  # noqa: E402
from jax_networks import cnn, dtype_of, initial_cnn, initial_lstm, initial_mlp, lstm, mlp  # noqa: E402
from jax_resnet50 import initial_resnet50, resnet50  # noqa: E402

BATCHES = 4
SCANNED = 100
NETWORKS = {"mlp128": (initial_mlp, mlp), "mlp1024x3": (initial_mlp, mlp), "cnn28": (initial_cnn, cnn),
            "cnn128": (initial_cnn, cnn), "lstm": (initial_lstm, lstm), "resnet50": (initial_resnet50, resnet50),
            "gpt2": (initial_gpt2, gpt2)}


def crossentropy(logits, targets):
    """The mean over all rows, in float32."""
    logits, targets = logits.astype(jnp.float32), targets.reshape(-1)
    chosen = jnp.take_along_axis(logits, targets[:, None], axis=1)[:, 0]
    return (jax.nn.logsumexp(logits, axis=1) - chosen).mean()


def adam(weights, slots, gradients, rate=1e-3, decay_1=0.9, decay_2=0.999, epsilon=1e-8):
    count, first, second = slots  # steps, moving averages of the gradients and of their squares
    count += 1
    first = jax.tree.map(lambda m, g: decay_1 * m + (1 - decay_1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: decay_2 * v + (1 - decay_2) * g * g, second, gradients)
    scale_1, scale_2 = 1 / (1 - decay_1**count), 1 / (1 - decay_2**count)
    moved = jax.tree.map(lambda w, m, v: w - rate * m * scale_1 / (jnp.sqrt(v * scale_2) + epsilon), weights, first, second)
    return moved, (count, first, second)


def initial_state(initial, case):
    """Weights, the optimizer's slots, and the running averages of normalisations."""
    weights, averages = initial(case, jax.random.PRNGKey(1))
    first, second = (jax.tree.map(jnp.zeros_like, weights) for _ in range(2))
    return weights, (jnp.zeros(()), first, second), averages


def make_step(outputs, case):
    """step(state, inputs, targets) -> (state, loss)"""

    def step(state, inputs, targets):
        weights, slots, averages = state
        x = inputs.astype(dtype_of(case)) if jnp.issubdtype(inputs.dtype, jnp.floating) else inputs

        def loss_of(w):
            logits, new = outputs(case, w, averages, x)
            return crossentropy(logits, targets), new

        (loss, averages), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights)
        return (*adam(weights, slots, gradients), averages), loss

    return step


def make_trainer(args, case, x, y):
    initial, outputs = measure.network_of(NETWORKS, case)
    held = {"state": initial_state(initial, case)}
    step = make_step(outputs, case)
    x, y = (jnp.asarray(array).reshape(BATCHES, case.batch, *array.shape[1:]) for array in (x, y))

    def many(state):
        state, losses = jax.lax.scan(lambda state, i: step(state, x[i % BATCHES], y[i % BATCHES]), state,
                                     jnp.arange(SCANNED))
        return state, losses[-1]

    one, scanned = jax.jit(step, donate_argnums=0), jax.jit(many, donate_argnums=0)
    batches = [(x[i], y[i]) for i in range(BATCHES)]

    def train(steps):
        state = held["state"]
        if args.mode == "scan":
            for _ in range(steps // SCANNED):
                state, loss = scanned(state)
        else:
            for i in range(steps):
                state, loss = one(state, *batches[i % BATCHES])
        held["state"] = state
        return float(jax.block_until_ready(loss))

    return train


if __name__ == "__main__":
    measure.main(make_trainer, BATCHES, SCANNED)
