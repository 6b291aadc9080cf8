"""Elements of tf.data's and Keras's datasets: random pipelines, and what is read of files.

STOKER_PIPELINES_SEED chooses other random pipelines than those that are kept.
"""
import os
import random
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from store import Group

PIPELINES = 300
MOST_VALUES = 150  # of a pipeline, so that the file stays small


def make():
    group = Group()
    draw = random.Random(int(os.environ.get("STOKER_PIPELINES_SEED", "1")))
    for _ in range(PIPELINES):
        add_pipeline(group, draw)
    add_lines(group)
    add_records(group)
    for args in CSV:
        add_csv(group, **args)
    for _ in range(40):
        add_timeseries(group, draw)
    for args in TEXT_FOLDERS:
        add_text_folder(group, **args)
    return group


def add_pipeline(group, draw):
    """One random pipeline that tf.data can run and that gives a few numbers."""
    while True:
        steps = [draw.choice([["range", draw.randint(0, 25)], ["slices", draw.randint(1, 9), draw.randint(1, 3)]])]
        dataset = source(steps[0])
        for _ in range(draw.randint(1, 6)):
            step = random_step(draw)
            try:
                dataset = applied(dataset, step)
            except (ValueError, TypeError, tf.errors.OpError):
                continue
            steps.append(step)
        try:
            elements = [described(element) for element in dataset.take(100)]
        except tf.errors.OpError:
            continue  # elements of several shapes in one batch
        if len(elements) < 100 and sum(len(array["values"]) for element in elements for array in element) <= MOST_VALUES:
            group.case("pipeline", {}).set(steps=steps, elements=elements, cardinality=int(dataset.cardinality()))
            return


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
    ])


def each(dataset, function):
    """A map of every array of an element, whose structure stays."""
    single = isinstance(dataset.element_spec, tf.TensorSpec)
    return dataset.map(lambda *x: function(x[0]) if single else tf.nest.map_structure(function, x))


def again(count):
    return lambda *x: tf.data.Dataset.from_tensors(x[0] if len(x) == 1 else x).repeat(count)


def applied(dataset, step):
    name, *a = step
    if name == "map":
        return each(dataset, lambda x: x * a[0] + a[1])
    if name == "filter":
        return dataset.filter(lambda *x: sum(tf.reduce_sum(part) for part in tf.nest.flatten(x)) % a[0] == a[1])
    if name in ("batch", "padded_batch", "rebatch"):
        return getattr(dataset, name)(a[0], drop_remainder=bool(a[1]))
    if name in ("unbatch", "repeat", "take", "skip", "shard", "enumerate"):
        return getattr(dataset, name)(*a)
    if name == "zip":
        return tf.data.Dataset.zip((tf.data.Dataset.range(100, 100 + a[0]), dataset))
    if name == "concatenate":
        return dataset.concatenate(each(dataset, lambda x: x + 1000))
    if name == "interleave":
        return dataset.interleave(again(a[2]), cycle_length=a[0], block_length=a[1])
    if name == "flat_map":
        return dataset.flat_map(again(a[0]))
    windows = dataset.window(a[0], shift=a[1], stride=a[2], drop_remainder=bool(a[3]))
    if isinstance(dataset.element_spec, tf.TensorSpec):
        return windows.flat_map(lambda window: window.batch(a[0]))
    return windows.flat_map(lambda *window: tf.data.Dataset.zip(window).batch(a[0]))


def strings(dataset):
    return [element.hex() for element in dataset.as_numpy_iterator()]


def with_files(contents, function):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in contents.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            paths.append(str(path))
        return function(folder, paths)


def add_files(group, class_name, contents, reads, make_dataset):
    lines = with_files(contents, lambda folder, paths: strings(make_dataset(paths, reads)))
    case = group.case(class_name, {"num_parallel_reads": reads})
    case.set(files={name: content.hex() for name, content in contents.items()}, records=lines)


def add_lines(group):
    contents = {"a.txt": b"one\ntwo\r\n\n four \n", "b.txt": b"", "c.txt": "\u00e9\u4e2d x\n\n\nlast".encode(), "d.txt": b"\r\nd"}
    for reads in [1, 2, 3]:
        add_files(group, "text_lines", contents, reads, lambda paths, n: tf.data.TextLineDataset(paths, num_parallel_reads=n))


def add_records(group):
    contents = {}
    for name, count in [("a", 4), ("b", 1), ("c", 0), ("d", 3), ("e", 2)]:
        with tempfile.NamedTemporaryFile() as file:
            with tf.io.TFRecordWriter(file.name) as writer:
                for i in range(count):
                    writer.write(f"{name}{i}".encode() * i)
            contents[name] = Path(file.name).read_bytes()
    for reads in [1, 2, 4]:
        add_files(group, "tfrecord", contents, reads, lambda paths, n: tf.data.TFRecordDataset(paths, num_parallel_reads=n))


TABLE = {"a.csv": b'id,name,size,y\n1,cat,1.5,0\n2,"dog, ""old""",,1\n-3,,2.5e3,0\n', "b.csv": b"id,name,size,y\n,mouse,3,1\n5,?,4.25,?\n"}
BARE = {"a.csv": b"1;x;2.5\n2;y;\n"}
CSV = [
    {"files": TABLE, "batch_size": 2},
    {"files": TABLE, "batch_size": 3, "label_name": "y"},
    {"files": TABLE, "batch_size": 10, "select_columns": ["size", "id"], "label_name": "id"},
    {"files": TABLE, "batch_size": 4, "na_value": "?", "select_columns": ["id", "y", "name"]},
    {"files": TABLE, "batch_size": 5, "column_names": ["a", "b", "c", "d"], "label_name": "d", "na_value": "?"},
    {"files": TABLE, "batch_size": 2, "num_epochs": 2, "na_value": "?"},
    {"files": BARE, "batch_size": 2, "header": False, "column_names": ["n", "s", "f"], "field_delim": ";"},
]


def add_csv(group, files, batch_size, **args):
    if args.get("select_columns"):
        order = files["a.csv"].split(b"\n")[0].decode().split(",")
        args["select_columns"] = sorted(args["select_columns"], key=order.index)  # tf.data gives them in the file's order

    def read(folder, paths):
        options = {"num_epochs": 1, "shuffle": False, **args}
        return [columns_of(batch) for batch in tf.data.experimental.make_csv_dataset(f"{folder}/*.csv", batch_size, **options)]

    batches = with_files(files, read)
    group.case("csv", args).set(files={name: content.hex() for name, content in files.items()}, batch_size=batch_size, batches=batches)


def columns_of(batch):
    table, label = batch if isinstance(batch, tuple) else (batch, None)
    columns = [[name, values_of(value)] for name, value in table.items()]
    return columns if label is None else columns + [[None, values_of(label)]]


def values_of(tensor):
    values = tensor.numpy().tolist()
    return [value.hex() for value in values] if tensor.dtype == tf.string else values


def add_timeseries(group, draw):
    steps, width = draw.randint(6, 20), draw.randint(1, 2)
    start, end = draw.choice([None, 0, 1, 3]), draw.choice([None, None, steps - 1, steps - 2])
    args = {"sequence_length": draw.randint(1, 3), "sequence_stride": draw.randint(1, 4), "sampling_rate": draw.randint(1, 2),
            "batch_size": draw.choice([None, 2, 3]), "start_index": start, "end_index": end}
    targets = draw.choice([None, np.arange(steps) * 10])
    if (args["sequence_length"] - 1) * args["sampling_rate"] >= (end or steps) - (start or 0):
        return  # Keras gives no elements; an error here
    data = np.arange(steps * width).reshape(steps, width)
    dataset = keras.utils.timeseries_dataset_from_array(data, targets, **args)
    group.case("timeseries", args).set(steps=steps, width=width, targets=targets is not None,
                                       elements=[described(element) for element in dataset])


REVIEWS = {f"{name}/{i}.txt": f"{name} {i}".encode() for name in ["neg", "pos", "unsure"] for i in range(5)}
TEXT_FOLDERS = [
    {"label_mode": "int", "shuffle": False},
    {"label_mode": "categorical", "shuffle": False, "max_length": 4},
    {"label_mode": "int", "shuffle": False, "class_names": ["unsure", "neg", "pos"]},
    {"label_mode": "int", "seed": 7, "validation_split": 0.3, "subset": "training"},
    {"label_mode": "int", "seed": 7, "validation_split": 0.3, "subset": "validation"},
    {"label_mode": "int", "shuffle": False, "validation_split": 0.3, "subset": "validation"},
]


def add_text_folder(group, **args):
    """Shuffled texts are sorted here: only which they are is the same elsewhere."""
    def read(folder, _):
        dataset = keras.utils.text_dataset_from_directory(folder, batch_size=None, verbose=False, **args)
        return [[text.numpy().hex(), label.numpy().reshape(-1).tolist()] for text, label in dataset]

    samples = with_files(REVIEWS, read)
    if args.get("shuffle", True):
        samples.sort()
    group.case("text_folder", args).set(files={name: content.hex() for name, content in REVIEWS.items()}, samples=samples)
