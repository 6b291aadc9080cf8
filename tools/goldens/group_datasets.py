"""Elements of tf.data's and Keras's datasets: random pipelines, and elements read from files.

STOKER_PIPELINES_SEED chooses other random pipelines than those that are kept.
"""
import os
import random
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from pipeline_cases import described, random_pipeline
from store import Group

PIPELINES = 500


def make():
    group = Group()
    draw = random.Random(int(os.environ.get("STOKER_PIPELINES_SEED", "1")))
    for _ in range(PIPELINES):
        steps, elements, cardinality = random_pipeline(draw)
        group.case("pipeline", {}).set(steps=steps, elements=elements, cardinality=cardinality)
    add_lines(group)
    add_records(group)
    for args in CSV:
        add_csv(group, **args)
    for _ in range(40):
        add_timeseries(group, draw)
    for args in TEXT_FOLDERS:
        add_text_folder(group, **args)
    for seed in [1, 7, None]:
        add_subsets(group, "image", seed=seed, shuffle=seed is not None)
        add_subsets(group, "text", seed=seed, shuffle=seed is not None)
    return group


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
    """Shuffled texts are sorted here: only the set of texts must agree."""
    def read(folder, _):
        dataset = keras.utils.text_dataset_from_directory(folder, batch_size=None, verbose=False, **args)
        return [[text.numpy().hex(), label.numpy().reshape(-1).tolist()] for text, label in dataset]

    samples = with_files(REVIEWS, read)
    if args.get("shuffle", True):
        samples.sort()
    group.case("text_folder", args).set(files={name: content.hex() for name, content in REVIEWS.items()}, samples=samples)


def add_subsets(group, kind, **args):
    """The names of both subsets' files: of images as Keras lists them, of texts as in the elements."""
    ending = {"image": ".png", "text": ".txt"}[kind]
    files = {f"{name}/{i}{ending}": f"{name}/{i}{ending}".encode() for name in ["b", "a c", "a"] for i in [3, 10, 2, 1]}

    def read(folder, _):
        make = getattr(keras.utils, f"{kind}_dataset_from_directory")
        both = make(folder, batch_size=None, verbose=False, validation_split=0.3, subset="both", **args)
        if kind == "image":
            return [[os.path.relpath(path, folder) for path in dataset.file_paths] for dataset in both]
        training, validation = ([text.numpy().decode() for text, _ in dataset] for dataset in both)
        return [sorted(training), validation]  # the training data are shuffled

    training, validation = with_files(files, read)
    group.case(f"{kind}_subsets", args).set(files={name: content.hex() for name, content in files.items()},
                                            training=training, validation=validation)
