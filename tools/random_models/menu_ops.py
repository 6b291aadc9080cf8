"""keras.ops in a functional model: formats over {0} (and {1}), by what they need."""

# Of any float tensor, with its shape kept.
UNARY = ["ops.tanh({0})", "ops.abs({0})", "ops.square({0}) * 0.1", "ops.exp(-ops.square({0}))", "ops.log1p(ops.abs({0}))",
         "ops.sqrt(ops.abs({0}) + 0.5)", "ops.sin({0})", "ops.cos({0})", "{0} * 0.5", "1.0 - {0}", "2 * {0} + 1", "{0} / 3", "-{0}",
         "{0} ** 2 * 0.1", "ops.clip({0}, -1.0, 1.0)", "ops.where({0} > 0, {0}, 0.1 * {0})", "ops.where({0} > 0, 1.0, 0.5) * {0}",
         "ops.maximum({0}, 0.1)", "ops.minimum({0}, 0.5)", "ops.sigmoid({0})", "ops.relu({0})", "ops.gelu({0})", "ops.softplus({0})",
         "ops.cumsum({0}, axis=-1) * 0.3", "ops.sort({0}, axis=-1)", "ops.flip({0}, axis=-1)", "ops.roll({0}, 1, axis=-1)",
         "ops.arctan({0})", "ops.sinh(ops.tanh({0}))", "ops.erf({0})", "ops.expm1(ops.tanh({0}))", "ops.logaddexp({0}, 0.3)",
         "ops.rsqrt(ops.square({0}) + 1.0)", "ops.reciprocal(ops.square({0}) + 1)", "ops.stop_gradient({0}) + {0}",
         "ops.cast({0} > 0, {0}.dtype) * {0}", "ops.softmax({0}, axis=-1)", "ops.log_softmax({0}, axis=-1)", "ops.silu({0})",
         "ops.elu({0}, alpha=0.7)", "ops.leaky_relu({0}, negative_slope=0.3)", "ops.hard_tanh({0})", "ops.celu({0})", "ops.selu({0})",
         "ops.nan_to_num({0})", "ops.power(ops.abs({0}) + 0.1, 1.5)", "ops.hypot({0}, 1.0)", "ops.arctan2({0}, 2.0)",
         "ops.zeros_like({0}) + {0}", "ops.ones_like({0}) * {0}", "ops.subtract(1, {0})", "ops.true_divide({0}, 4)",
         "{0} - ops.mean({0}, axis=-1, keepdims=True)", "{0} - ops.max({0}, axis=-1, keepdims=True)",
         "{0} * ops.cast(ops.round({0}), {0}.dtype) * 0.1", "ops.normalize({0}, axis=-1)", "ops.cumprod(ops.tanh({0}), axis=-1)",
         "ops.logical_and({0} > -1, {0} < 1) * {0}", "ops.negative({0})", "ops.sparsemax({0})", "ops.squareplus({0})",
         "ops.argsort({0}, axis=-1) * {0}", "ops.log(ops.square({0}) + 1)", "ops.fmax({0}, 0.0)", "ops.copy({0})", "ops.heaviside({0}, 0.5) * {0}",
         "ops.digitize({0}, [-0.5, 0.0, 0.5]) * {0}", "ops.isfinite({0}) * {0}", "ops.threshold({0}, 0.1, 0.0)"]

# Of samples with at least two axes: another shape.
SHAPING = ["ops.mean({0}, axis=1)", "ops.sum({0}, axis=1)", "ops.max({0}, axis=-1)", "ops.min({0}, axis=1)", "ops.var({0}, axis=1)",
           "ops.std(ops.tanh({0}) + 0.1 * {0} ** 2, axis=1)", "ops.logsumexp({0}, axis=1)", "ops.swapaxes({0}, 1, 2)", "{0}[:, 0]",
           "{0}[:, -1]", "{0}[:, ::2]", "{0}[:, 1:]", "{0}[..., :1]", "{0}[:, None]", "ops.expand_dims({0}, -1)",
           "ops.repeat({0}, 2, axis=1)", "ops.concatenate([{0}, {0}], axis=1)", "ops.stack([{0}, {0}], axis=1)",
           "ops.take({0}, [0, 1, 0], axis=1)", "ops.prod(ops.tanh({0}), axis=1)", "ops.diff({0}, axis=1)", "ops.median({0}, axis=1)",
           "ops.split({0}, 2, axis=1)[1]", "ops.unstack({0}, axis=1)[0]", "ops.moveaxis({0}, 1, -1)", "ops.argmax({0}, axis=-1) * 0.5",
           "ops.cast(ops.argmax({0}, axis=-1), 'float32')", "ops.top_k({0}, 1)[0]", "ops.quantile({0}, 0.3, axis=1)", "ops.norm({0}, axis=1)",
           "ops.amax({0}, axis=1)", "ops.count_nonzero({0}, axis=1) * 0.1", "ops.squeeze({0}[:, :1], axis=1)",
           "ops.matmul({0}, ops.swapaxes({0}, -1, -2)) * 0.2", "ops.average({0}, axis=1)", "ops.tril({0})", "ops.moments({0}, axes=[1])[0]",
           "ops.one_hot(ops.argmax({0}, axis=-1), 4)", "ops.any({0} > 0, axis=-1) * 1.0", "ops.tensordot({0}, {0}, axes=[[1], [1]])[:, :, 0]"]
VECTOR = ["ops.reshape({0}, (-1, 1, {0}.shape[-1]))", "ops.pad({0}, [[0, 0], [1, 1]])", "ops.outer({0}, {0})[:3]", "ops.one_hot(ops.argmax({0}, axis=-1), 3)",
          "ops.tile({0}, (1, 2))", "{0}[:, :1]", "ops.einsum('bi,bj->bij', {0}, {0}) * 0.3", "ops.mean({0}, axis=-1, keepdims=True)",
          "ops.concatenate([{0}, ops.square({0})], axis=-1)", "ops.expand_dims({0}, 1)"]

# Of two tensors of one shape.
BINARY = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (ops.abs({1}) + 1)", "ops.maximum({0}, {1})", "ops.minimum({0}, {1})",
          "ops.where({0} > {1}, {0}, {1})", "ops.concatenate([{0}, {1}], axis=-1)", "ops.stack([{0}, {1}], axis=-1)", "ops.hypot({0}, {1})",
          "ops.logaddexp({0}, {1})", "ops.arctan2({0}, ops.abs({1}) + 1)", "ops.multiply({0}, ops.sigmoid({1}))", "ops.subtract({0}, {1})",
          "ops.where(ops.greater({0}, 0.1), {1}, 0.0)", "ops.power(ops.abs({0}) + 0.1, ops.sigmoid({1}))", "ops.divide_no_nan({0}, ops.relu({1}) + 0.5)",
          "ops.einsum('b...,b...->b...', {0}, {1})"]

# Of integers and booleans, made from floats or inputs.
INTEGER = ["ops.cast({0}, 'float32') * 0.1", "ops.one_hot({0}, 5)", "ops.mean({0}, axis=-1, keepdims=True)", "{0} * 2", "{0} + 1", "{0} * 0.25",
           "ops.cast({0} > 2, 'float32')", "ops.maximum({0}, 1)", "{0} % 3", "{0} // 2", "ops.sum({0}, axis=-1, keepdims=True)", "ops.abs({0})",
           "ops.where({0} > 1, 1.0, 0.0)", "ops.max({0}, axis=-1, keepdims=True)", "ops.equal({0}, 1)", "ops.clip({0}, 0, 2)", "ops.var({0}, axis=-1, keepdims=True)",
           "ops.sqrt(ops.abs({0}))", "{0} / 2", "ops.square({0})"]
