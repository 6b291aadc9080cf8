"""Record files that TensorFlow and Python's tarfile wrote, with their contents as read by tf.io."""
import io
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

from store import Group

RECORDS = [b"", b"one", bytes(range(256)) * 5, b"x" * 70000, b"last"]
CONTENTS = {"a.txt": b"1", "folder/0001.JPG": b"jpeg" * 200, "folder/0001.cls": b"7", "d" * 90 + "/" + "n" * 95 + ".bin": b"long name",
            "\u00e9\u4e2d.txt": b"not ASCII", "empty.txt": b""}


def make():
    group = Group()
    for compression in ["", "GZIP", "ZLIB"]:
        add_tfrecord(group, compression)
    for name, spec, features in EXAMPLES:
        add_example(group, name, spec, features)
    add_sequence(group)
    for form in ["USTAR", "GNU", "PAX"]:
        for mode in ["w", "w:gz"]:
            add_tar(group, form, mode)
    return group


def add_case(group, class_name, name, content, **fields):
    case = group.case(class_name, {})
    case.set(id=name, file=case.put("file", np.frombuffer(content, np.uint8)), **fields)


def add_tfrecord(group, compression):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.tfrecord"
        with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression_type=compression)) as writer:
            for record in RECORDS:
                writer.write(record)
        content = path.read_bytes()
    add_case(group, "TFRecord", f"tfrecord_{compression or 'plain'}", content, compression_type=compression,
             records=[record.hex() for record in RECORDS])


def bytes_list(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def integers(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def values_of(tensor):
    """The values of a tensor, flattened; strings in hexadecimal."""
    if isinstance(tensor, tf.SparseTensor):
        tensor = tensor.values
    flat = np.asarray(tensor.numpy()).reshape(-1).tolist()
    return [value.hex() for value in flat] if tensor.dtype == tf.string else flat


def described(spec, parsed):
    kinds = {tf.string: "bytes", tf.float32: "float32", tf.int64: "int64"}
    return [{"key": key, "dtype": kinds[feature.dtype], "values": values_of(parsed[key]),
             "shape": list(feature.shape) if hasattr(feature, "shape") else None,
             "default_value": getattr(feature, "default_value", None)} for key, feature in spec.items()]


def add_example(group, name, spec, features):
    record = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    add_case(group, "Example", f"example_{name}", record, features=described(spec, tf.io.parse_single_example(record, spec)))


def add_sequence(group):
    lists = {"words": [bytes_list(b"a"), bytes_list(b"b", b"c"), bytes_list()], "xy": [floats(1, 2), floats(3, 4), floats(-5, 0.25)],
             "unused": [integers(1)]}
    record = tf.train.SequenceExample(
        context=tf.train.Features(feature={"id": integers(7), "more": floats(1)}),
        feature_lists=tf.train.FeatureLists(feature_list={k: tf.train.FeatureList(feature=v) for k, v in lists.items()}),
    ).SerializeToString()
    context = {"id": tf.io.FixedLenFeature([], tf.int64)}
    fixed, ragged = {"xy": tf.io.FixedLenSequenceFeature([2], tf.float32)}, {"words": tf.io.VarLenFeature(tf.string)}
    parsed = tf.io.parse_single_sequence_example(record, context, {**fixed, **ragged})
    lengths = {"words": np.bincount(parsed[1]["words"].indices.numpy()[:, 0], minlength=3).tolist(), "xy": [2, 2, 2]}
    add_case(group, "SequenceExample", "sequence_example", record, context=described(context, parsed[0]),
             lists=[{**entry, "lengths": lengths[entry["key"]]} for entry in described({**fixed, **ragged}, parsed[1])])


def add_tar(group, form, mode):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode, format=getattr(tarfile, f"{form}_FORMAT")) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in CONTENTS.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1e9 + 0.5 if form == "PAX" else 1000000000
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "l" * 90
        archive.addfile(link)
    add_case(group, "tar", f"tar_{form}{'_gz' if ':' in mode else ''}", file.getvalue(),
             members=[[name, content.hex()] for name, content in CONTENTS.items()])


EXAMPLES = [
    ("all", {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64),
             "weights": tf.io.FixedLenFeature([2, 2], tf.float32), "ids": tf.io.VarLenFeature(tf.int64),
             "tags": tf.io.VarLenFeature(tf.string), "none": tf.io.VarLenFeature(tf.float32)},
     {"image": bytes_list(bytes(range(200))), "label": integers(-3), "weights": floats(0.5, -1e30, 3e-5, 7), "unused": floats(1, 2),
      "ids": integers(-(2**63), 2**63 - 1, 0, 300, -1), "tags": bytes_list(b"", b"a", b"bc")}),
    ("defaults", {"a": tf.io.FixedLenFeature([3], tf.int64, [4, 5, 6]), "b": tf.io.FixedLenFeature([], tf.float32, 1.5),
                  "c": tf.io.FixedLenFeature([], tf.int64, 9)}, {"c": tf.train.Feature()}),
    ("empty", {"a": tf.io.VarLenFeature(tf.int64)}, {}),
]
