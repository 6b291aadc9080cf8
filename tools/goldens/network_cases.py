"""Networks of every form that a model file can have."""
import keras
import numpy as np
from keras import layers as L
from keras import ops


def functional(inputs, outputs, **more):
    return keras.Model(inputs, outputs, **more)


def plain_sequential():
    return keras.Sequential([keras.Input((4,)), L.Dense(3, activation="relu"), L.Dense(2)], name="plain")


def late_sequential():
    model = keras.Sequential([L.Dense(3), L.Dense(2, activation="softmax")])
    model.build((None, 4))
    return model


def fixed_batch():
    return keras.Sequential([keras.Input(batch_shape=(8, 4)), L.Dense(2)])


def dense_arguments():
    return keras.Sequential([
        keras.Input((4,), name="start"),
        L.Dense(5, activation="swish", use_bias=False, kernel_initializer=keras.initializers.HeNormal(seed=3),
                kernel_regularizer=keras.regularizers.L1L2(l1=0.5, l2=0.25), kernel_constraint="max_norm", name="first"),
        L.Dense(3, activity_regularizer="l2", bias_constraint=keras.constraints.MinMaxNorm(0.1, 2.0, 0.5, axis=0),
                bias_initializer=keras.initializers.Constant(0.5), bias_regularizer="l2"),
        L.Dense(2, kernel_constraint=keras.constraints.UnitNorm(axis=[0, 1]), bias_constraint="non_neg"),
    ])


def layer_as_activation():
    return keras.Sequential([keras.Input((4,)), L.Dense(3, activation=L.LeakyReLU(negative_slope=0.2)), L.Dense(2)])


def images():
    return keras.Sequential([
        keras.Input((8, 8, 3)), L.Rescaling(1 / 255.0, offset=-0.5),
        L.Conv2D(4, 3, padding="same", activation="relu"), L.BatchNormalization(momentum=0.9), L.MaxPooling2D(),
        L.ZeroPadding2D(((1, 0), (0, 1))), L.Conv2D(6, (2, 3), strides=(2, 1), use_bias=False), L.ReLU(6.0),
        L.AveragePooling2D((2, 1), padding="same"), L.Dropout(0.5), L.Flatten(), L.Dense(3, activation="softmax"),
    ])


def unknown_image_size():
    return keras.Sequential([keras.Input((None, None, 3)), L.Conv2D(4, 3, name="conv"), L.PReLU(shared_axes=[1, 2]),
                             L.GlobalAveragePooling2D(keepdims=True), L.GlobalMaxPooling2D(), L.Dense(2)])


def frozen_layers():
    return keras.Sequential([keras.Input((4,)), L.Dense(3, trainable=False), L.BatchNormalization(trainable=False),
                             L.Dense(2)])


def frozen_model():
    model = plain_sequential()
    model.trainable = False
    return model


def mixed_precision():
    return keras.Sequential([keras.Input((4,)), L.Dense(8, dtype="mixed_bfloat16", activation="relu"),
                             L.Dense(2, dtype="float32")])


def residual():
    x = keras.Input((4,), name="x")
    h = L.Dense(4, activation="tanh")(x)
    return functional(x, L.Dense(2)(L.Add()([x, h])), name="residual")


def two_inputs():
    a, b = keras.Input((3,), name="a"), keras.Input((5,), name="b")
    joined = L.Concatenate()([L.Dense(4)(a), L.Dense(4)(b)])
    return functional([a, b], L.Dense(1, activation="sigmoid")(joined))


def named_ends():
    a, b = keras.Input((3,), name="zeta"), keras.Input((3,), name="alpha")
    joined = L.Multiply()([a, L.Dense(3)(b)])
    return functional({"zeta": a, "alpha": b}, {"sum": L.Dense(2, name="s")(joined), "more": L.Dense(1, name="m")(b)})


def lists_of_one():
    x = keras.Input((4,))
    return functional([x], [L.Dense(2)(x)])


def nested_ends():
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    return functional([a, [b]], {"both": [L.Dense(2)(a), L.Dense(1)(b)], "sum": L.Add()([a, b])})


def integer_input():
    x = keras.Input((3,), dtype="uint8")
    return functional(x, L.Dense(2)(L.Rescaling(0.1)(x)))


def shared_layer():
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    shared = L.Dense(3, name="shared")
    return functional([a, b], L.Concatenate()([shared(a), shared(b)]))


def shared_beyond():
    """Calls that belong to another model are not counted."""
    a = keras.Input((4,), name="a")
    shared = L.Dense(4, name="shared")
    shared(keras.Input((4,)))
    first = shared(a)
    shared(first)
    return functional(a, [shared(shared(first)), first])


def called_in_a_row():
    """A layer whose second call comes after another layer's: A(B(A(B(x))))."""
    x = keras.Input((4,))
    a, b = L.Dense(4, name="a"), L.Dense(4, name="b")
    return functional(x, a(b(a(b(x)))))


def nested_sequential():
    inner = keras.Sequential([keras.Input((4,)), L.Dense(3), L.Dropout(0.5)], name="inner")
    x = keras.Input((4,), name="x")
    return functional(x, L.Dense(2)(inner(x)))


def sequential_in_sequential():
    return keras.Sequential([keras.Input((4,)), keras.Sequential([L.Dense(3), L.Dense(3)]), L.Dense(2)])


def encoder():
    x = keras.Input((4,), name="pixels")
    return functional(x, [L.Dense(2, name="mean")(x), L.Dense(2, name="spread")(x)], name="encoder")


def nested_functional():
    inner = encoder()
    x = keras.Input((4,), name="x")
    mean, spread = inner(x)
    return functional(x, [L.Add()([mean, spread]), mean])


def nested_twice():
    """A model that is used two times and ends in itself."""
    part = keras.Input((4,), name="part")
    inner = functional(part, L.Dense(4)(part), name="inner")
    x = keras.Input((4,), name="x")
    once = inner(x)
    return functional(x, [inner(once), once])


def nested_deep():
    model = encoder()
    for i in range(3):
        x = keras.Input((4,), name=f"x{i}")
        first, second = model(x)
        model = functional(x, [L.Dense(2)(first), second], name=f"deep{i}")
    return model


def base_in_inference():
    base = keras.Sequential([keras.Input((4,)), L.Dense(3), L.BatchNormalization()], name="base")
    base.trainable = False
    x = keras.Input((4,))
    return functional(x, L.Dense(2)(base(x, training=False)))


def unused_input():
    a, b = keras.Input((4,), name="a"), keras.Input((2,), name="unused")
    return functional([a, b], L.Dense(2)(a))


def input_as_output():
    x = keras.Input((4,), name="x")
    return functional(x, [L.Dense(2)(x), x])


def uneven_branches():
    """Layers of equal depth are sorted by the path from the outputs, not by creation."""
    x = keras.Input((4,), name="x")
    late, early = L.Dense(4, name="late"), L.Dense(4, name="early")
    left = L.Dense(4, name="left2")(L.Dense(4, name="left1")(early(x)))
    right = late(x)
    return functional(x, [L.Add()([right, left]), L.Dense(1, name="last")(right)])


def shapes():
    x = keras.Input((2, 6))
    y = L.Permute((2, 1))(L.Reshape((3, 4))(x))
    return functional(x, L.Softmax(axis=1)(L.ELU(alpha=0.5)(L.Activation("relu")(y))))


def operators():
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    y = (a + b) * 2.0 - a / (b**2 + 1.0)
    return functional([a, b], L.Dense(2)(1.0 - (-y)))


def slices():
    x = keras.Input((5, 6), name="x")
    return functional(x, [x[:, 1:3], x[:, -1, :], x[..., None], x[:, 0, 2:5][:, None]])


def reductions():
    x = keras.Input((5, 6), name="x")
    return functional(x, [ops.mean(x, axis=1), ops.sum(x, axis=[1, 2], keepdims=True), ops.max(x, -1), ops.min(x, 1),
                          ops.var(x, axis=-1), ops.std(x, axis=1, keepdims=True), ops.argmax(x, axis=1)])


def rearrangements():
    x, y = keras.Input((2, 6), name="x"), keras.Input((2, 6), name="y")
    pieces = ops.split(x, 3, axis=2)
    return functional([x, y], [
        ops.reshape(x, (-1, 3, 4)), ops.transpose(x, (0, 2, 1)), ops.squeeze(ops.expand_dims(x, 1), 1), pieces[2],
        ops.concatenate([x, y], axis=1), ops.stack([x, y], axis=1), ops.swapaxes(x, 1, 2),
        ops.matmul(x, ops.transpose(y, (0, 2, 1)))])


def functions():
    x, i = keras.Input((6,), name="x"), keras.Input((3,), dtype="int32", name="i")
    positive = ops.abs(x) + 0.5
    return functional([x, i], [
        ops.relu(x), ops.relu6(x), ops.leaky_relu(x), ops.elu(x, alpha=0.5), ops.gelu(x), ops.gelu(x, approximate=False),
        ops.silu(x), ops.sigmoid(x), ops.tanh(x), ops.softmax(x, axis=-1), ops.log_softmax(x), ops.softplus(x),
        ops.exp(x), ops.log(positive), ops.sqrt(positive), ops.rsqrt(positive), ops.square(x), ops.sin(x),
        ops.clip(x, -0.5, 0.5), ops.maximum(x, 0.25), ops.minimum(x, positive), ops.where(x > 0, x, positive),
        ops.cast(i, "float32") * 0.5, ops.one_hot(ops.minimum(i, 4), 5), ops.not_equal(i, 0)])


def constants():
    x = keras.Input((3,), name="x")
    return functional(x, L.Dense(2)(x * np.array([0.5, 1.0, 2.0], "float32")))


def words():
    """A sequence of any length; zeros are masked."""
    x = keras.Input((None,), dtype="int32")
    h = L.Embedding(50, 6, mask_zero=True)(x)
    h = L.GRU(4)(L.Bidirectional(L.LSTM(3, return_sequences=True))(h))
    return functional(x, L.Dense(2)(h))


def translation():
    """A layer that starts from another one's states."""
    source, target = keras.Input((7, 5)), keras.Input((6, 5))
    _, *states = L.LSTM(4, return_state=True)(source)
    h = L.LSTM(4, return_sequences=True)(target, initial_state=states)
    return functional([source, target], L.TimeDistributed(L.Dense(3, activation="softmax"))(h))


def transformer():
    x, mask = keras.Input((8,), dtype="int32"), keras.Input((8,), dtype="bool")
    h = L.Embedding(200, 16)(x)
    a = L.MultiHeadAttention(2, 8)(h, h, attention_mask=mask[:, None, :], use_causal_mask=True)
    h = L.LayerNormalization(epsilon=1e-6)(h + a)
    h = L.LayerNormalization()(L.Add()([h, L.Dropout(0.1)(L.Dense(16)(L.Dense(32, activation="gelu")(h)))]))
    return functional([x, mask], L.Dense(2)(h[:, 0]))


def attention_by_name():
    x = keras.Input((8, 4))
    h = L.MultiHeadAttention(2, 4)(query=x, key=x, value=L.Dense(4)(x))
    h, scores = L.MultiHeadAttention(2, 4)(L.Attention()([h, x]), x, return_attention_scores=True)
    return functional(x, [h, scores])


def masked_steps():
    return keras.Sequential([keras.Input((5, 3)), L.Masking(), L.SimpleRNN(4, return_sequences=True),
                             L.GlobalAveragePooling1D(), L.Dense(1)])


def cells():
    return keras.Sequential([keras.Input((5, 3)), L.RNN([L.LSTMCell(4), L.GRUCell(3)], return_sequences=True),
                             L.Conv1D(2, 3, padding="causal"), L.Flatten()])


NETWORKS = [
    plain_sequential, late_sequential, fixed_batch, dense_arguments, layer_as_activation, images, unknown_image_size,
    frozen_layers, frozen_model, mixed_precision, residual, two_inputs, named_ends, lists_of_one, nested_ends,
    integer_input, shared_layer, shared_beyond, called_in_a_row, nested_sequential, sequential_in_sequential,
    nested_functional, nested_twice, nested_deep, base_in_inference, unused_input, input_as_output, uneven_branches,
    shapes, operators, slices, reductions, rearrangements, functions, constants,
    words, translation, transformer, attention_by_name, masked_steps, cells,
]
