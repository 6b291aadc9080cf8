"""Random pipelines of tf.data whose elements do not depend on random numbers or threads."""
import numpy as np
import tensorflow as tf

MOST_VALUES = 150  # of a pipeline, so that the file stays small


def random_pipeline(draw):
    """(steps, elements, cardinality) of a pipeline that tf.data can run and that returns a few numbers."""
    while True:
        steps = draw.choice([[["range", draw.randint(0, 25)]], [["slices", draw.randint(1, 9), draw.randint(1, 3)]],
                             [["range", draw.randint(3, 15)], ["ragged", draw.randint(2, 5)]]])
        dataset = source(steps[0])
        for step in steps[1:]:
            dataset = STEPS[step[0]](dataset, *step[1:])
        for _ in range(draw.randint(1, 6)):
            step = random_step(draw)
            try:
                dataset = STEPS[step[0]](dataset, *step[1:])
            except (ValueError, TypeError, tf.errors.OpError):
                continue
            steps.append(step)
        try:
            elements = [described(element) for element in dataset.take(100)]
        except tf.errors.OpError:
            continue  # elements of several shapes in one batch
        if not elements and draw.randint(0, 9) > 0:
            continue  # some are enough
        if len(elements) < 100 and sum(len(array["values"]) for element in elements for array in element) <= MOST_VALUES:
            return steps, elements, int(dataset.cardinality())


def described(element):
    return [{"shape": list(array.shape), "values": array.numpy().reshape(-1).tolist()} for array in tf.nest.flatten(element)]


def source(step):
    if step[0] == "range":
        return tf.data.Dataset.range(step[1])
    return tf.data.Dataset.from_tensor_slices(np.arange(step[1] * step[2], dtype=np.int64).reshape(step[1], step[2]))


def random_step(draw):
    size, flag = draw.randint(1, 5), draw.randint(0, 1)
    return draw.choice([
        ["map", draw.randint(1, 3), draw.randint(0, 4)], ["filter", draw.randint(2, 3), draw.randint(0, 1)], ["batch", size, flag],
        ["padded_batch", size, flag], ["unbatch"], ["rebatch", size, flag], ["repeat", draw.randint(0, 3)], ["take", draw.randint(-1, 12)],
        ["skip", draw.randint(-1, 6)], ["shard", 3, draw.randint(0, 2)], ["zip", draw.randint(1, 20)], ["concatenate"],
        ["enumerate", draw.randint(0, 9)], ["interleave", draw.randint(1, 4), draw.randint(1, 3), draw.randint(1, 3)],
        ["flat_map", draw.randint(1, 3)], ["window", size, draw.randint(1, 4), draw.randint(1, 3), flag],
        ["ragged", draw.randint(2, 5)], ["padded_to", size, draw.randint(3, 6), draw.randint(-1, 3), flag],
        ["take_while", draw.randint(5, 60)], ["scan", draw.randint(0, 5)], ["unique"], ["ignore_errors", draw.randint(2, 5)],
        ["interleave_ahead", draw.randint(1, 5), draw.randint(1, 3), draw.randint(2, 4), draw.randint(1, 3)],
        ["group_by_window", draw.randint(1, 4), size, draw.randint(1, 5), flag], ["group_by_window_of_key", draw.randint(1, 4)],
        ["bucket", draw.randint(1, 3), size, size + 1, flag], ["bucket_to_boundary", draw.randint(1, 3), draw.randint(6, 9), size],
        ["bucket_unpadded", draw.randint(1, 3), size], ["for_ever", draw.randint(0, 20)],
        ["choose", draw.randint(1, 9), draw.randint(1, 3), flag], ["zip_counter", draw.randint(-3, 3), draw.randint(-2, 2)], ["cache"],
    ])


def is_single(dataset):
    return isinstance(dataset.element_spec, tf.TensorSpec)


def each(dataset, function):
    """A map of every array of an element, whose structure stays."""
    return dataset.map(lambda *x: function(x[0]) if is_single(dataset) else tf.nest.map_structure(function, x))


def total(*element):
    return sum(tf.reduce_sum(part) for part in tf.nest.flatten(element))


def repeated(times):
    """A function to a dataset that has the element times(element) times."""
    return lambda *x: tf.data.Dataset.from_tensors(x[0] if len(x) == 1 else x).repeat(times(*x))


def again(count):
    return repeated(lambda *x: count)


def windows(dataset, size, shift, stride, drop):
    windows = dataset.window(size, shift=shift, stride=stride, drop_remainder=bool(drop))
    if is_single(dataset):
        return windows.flat_map(lambda window: window.batch(size))
    return windows.flat_map(lambda *window: tf.data.Dataset.zip(window).batch(size))


def ragged(dataset, most):
    """Of a number x, a vector of x modulo `most` of them."""
    return dataset.map(lambda x: tf.fill([x % most], x))


def refuse_unless_of_unknown_length(dataset):
    """Where tf.data knows a length, it pads nothing; where a map in C++ gives the arrays, only their rank is known."""
    if not is_single(dataset) or dataset.element_spec.shape.as_list() != [None]:
        raise ValueError("not vectors of unknown length")


def padded_to(dataset, size, length, value, drop):
    refuse_unless_of_unknown_length(dataset)
    return dataset.padded_batch(size, padded_shapes=[length], padding_values=tf.constant(value, tf.int64), drop_remainder=bool(drop))


def scan(dataset, first):
    """Adds the sum of all elements before it to each."""
    def add(state, element):
        after = state + total(element)
        return after, tf.nest.map_structure(lambda part: part + state, element)

    return dataset.scan(np.int64(first), add)


def ignore_errors(dataset, divisor):
    def refuse(*x):
        with tf.control_dependencies([tf.debugging.assert_none_equal(total(*x) % divisor, np.int64(1))]):
            return tf.nest.map_structure(tf.identity, x[0] if is_single(dataset) else x)

    return dataset.map(refuse).ignore_errors()


def length(*element):
    return tf.cast(tf.size(tf.nest.flatten(element)[0]), tf.int32)


def bucket_to_boundary(dataset, first, second, size):
    refuse_unless_of_unknown_length(dataset)
    return dataset.bucket_by_sequence_length(length, [first, second], [size] * 3, pad_to_bucket_boundary=True)


def group_by_window(dataset, keys, window, size, drop):
    return dataset.group_by_window(lambda *x: total(*x) % keys, lambda key, of: zipped(of).batch(size, drop_remainder=bool(drop)), window)


def group_by_window_of_key(dataset, keys):
    return dataset.group_by_window(lambda *x: total(*x) % keys, lambda key, of: zipped(of).padded_batch(2), window_size_func=lambda key: key + 1)


def zipped(window):
    return tf.data.Dataset.zip(window) if isinstance(window, tuple) else window


def choose(dataset, count, every, stop):
    which = tf.data.Dataset.range(count).map(lambda i: tf.cast(i % every != 0, tf.int64))
    return tf.data.Dataset.choose_from_datasets([dataset, each(dataset, lambda x: x + 1000)], which, stop_on_empty_dataset=bool(stop))


def refuse_rows_of_unknown_size(dataset):
    """tf.data 2.21 crashes where it unbatches rows without a value."""
    if not all(spec.shape[1:].is_fully_defined() for spec in tf.nest.flatten(dataset.element_spec)):
        raise ValueError("rows may be empty")


def unbatch(dataset):
    refuse_rows_of_unknown_size(dataset)
    return dataset.unbatch()


def rebatch(dataset, size, drop):
    refuse_rows_of_unknown_size(dataset)
    return dataset.rebatch(size, drop_remainder=bool(drop))


def method(name):
    return lambda dataset, *a: getattr(dataset, name)(*a)


def batches(name):
    return lambda dataset, size, drop: getattr(dataset, name)(size, drop_remainder=bool(drop))


STEPS = {
    **{name: method(name) for name in ["repeat", "take", "skip", "shard", "enumerate", "unique", "cache"]},
    **{name: batches(name) for name in ["batch", "padded_batch"]},
    "map": lambda d, times, plus: each(d, lambda x: x * times + plus),
    "filter": lambda d, divisor, rest: d.filter(lambda *x: total(*x) % divisor == rest),
    "zip": lambda d, count: tf.data.Dataset.zip((tf.data.Dataset.range(100, 100 + count), d)),
    "zip_counter": lambda d, start, step: tf.data.Dataset.zip((tf.data.Dataset.counter(start, step), d)),
    "concatenate": lambda d: d.concatenate(each(d, lambda x: x + 1000)),
    "interleave": lambda d, cycle, block, count: d.interleave(again(count), cycle_length=cycle, block_length=block),
    "interleave_ahead": lambda d, cycle, block, most, calls: d.interleave(
        repeated(lambda *x: total(*x) % most), cycle_length=cycle, block_length=block, num_parallel_calls=min(calls, cycle),
        deterministic=True),
    "flat_map": lambda d, count: d.flat_map(again(count)),
    "for_ever": lambda d, count: d.repeat().take(count),
    "window": windows,
    "unbatch": unbatch,
    "rebatch": rebatch,
    "ragged": ragged,
    "padded_to": padded_to,
    "take_while": lambda d, below: d.take_while(lambda *x: total(*x) < below),
    "scan": scan,
    "ignore_errors": ignore_errors,
    "group_by_window": group_by_window,
    "group_by_window_of_key": group_by_window_of_key,
    "bucket": lambda d, boundary, size, other, drop: d.bucket_by_sequence_length(
        length, [boundary, boundary + 2], [size, other, 2], drop_remainder=bool(drop)),
    "bucket_to_boundary": bucket_to_boundary,
    "bucket_unpadded": lambda d, boundary, size: d.bucket_by_sequence_length(length, [boundary], [size, size], no_padding=True),
    "choose": choose,
}
