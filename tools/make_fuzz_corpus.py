#!/usr/bin/env python3
"""Writes the seeds of the fuzzers, fuzz/corpus/<format>/<name>: small valid files of each kind."""
import gzip
import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus"


def npy(descr, shape, data, fortran=False, version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def zipped(members, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, content)
    return file.getvalue()


class Stream(io.RawIOBase):
    """Cannot seek, so that sizes come after the data."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data)
        return len(data)


def streamed(members):
    file = Stream()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return file.content


def zip64(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            with archive.open(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True) as member:
                member.write(content)
    return file.getvalue()


def idx(code, shape, data):
    return bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def safetensors(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def crc32c(data):
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


def checkpoint(position, arrays):
    """As CheckpointFolder writes one; arrays: {name: (shape, float32 bytes)}."""
    text, end = json.dumps(position), 0
    summed, header = text.encode(), {}
    for name, (shape, data) in arrays.items():
        summed += f"{name} float32({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})".encode() + data
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    header["__metadata__"] = {"position": text, "checksum": f"{crc32c(summed):08x}"}
    return safetensors(header, b"".join(data for _, data in arrays.values()))


def tarred(form, members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    content = file.getvalue().rstrip(b"\0")
    return content + bytes(-len(content) % 512 + 1024)


def message(number, content):
    """A field of a protocol buffer's message, of less than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def feature(key, number, values):
    return message(1, message(1, key) + message(2, message(number, values)))


FLOATS = struct.pack("<6f", *range(6))
ARRAYS = {"x.npy": npy("<f4", (2, 3), FLOATS), "y.npy": npy("|u1", (2,), b"\1\2")}
RECORD = bytes.fromhex("0500000000000000eab2043e") + b"hello" + bytes.fromhex("bb1f1c19")
ARCHIVE = {"metadata.json": b"{}", "config.json": b"[" * 40 + b"]" * 40, "folder/a": bytes(100)}
SHARD = {"a/0.jpg": b"jpeg", "a/0.cls": b"1", "n" * 120 + ".cls": b"2"}
FEATURES = (feature(b"b", 1, message(1, b"x") + message(1, b"")) + feature(b"f", 2, message(1, FLOATS) + b"\x0d" + FLOATS[:4]) +
            feature(b"i", 3, message(1, b"\x05\xac\x02") + b"\x08" + b"\xff" * 9 + b"\x01"))
STEPS = message(1, message(1, message(1, b"x"))) + message(1, message(1, b""))
IMAGES = idx(0x08, (2, 3), bytes(range(6)))

def packed(spec, records):
    """A packed file (src/io/packed/packed_layout.h); records are bytes."""
    body, table = b"STOKPACK" + struct.pack("<Q", 1), b""
    for record in records:
        body += b"\0" * (-len(body) % 64)
        table += struct.pack("<3Q", len(body), len(record), crc32c(record))
        body += record
    text = json.dumps({"spec": spec, "notes": {"by": "hand"}}).encode()
    end = struct.pack("<6Q", len(body), len(text), crc32c(text), len(records), crc32c(table), 0)
    return body + text + table + end + struct.pack("<Q", crc32c(end)) + b"STOKPACK"


def padded(data):
    return data + b"\0" * (-len(data) % 16)


SEEDS = {
    "npy": {
        "float32": npy("<f4", (2, 3), FLOATS),
        "fortran": npy("<f4", (2, 3), FLOATS, fortran=True),
        "big_endian": npy(">i2", (3,), b"\0\1\0\2\xff\xff", version=2),
        "widened": npy("<u8", (), b"\1\0\0\0\0\0\0\0", version=3),
        "boolean": npy("|b1", (2, 1), b"\0\1"),
        "empty": npy("<f8", (0, 3), b""),
    },
    "npz": {
        "stored": zipped(ARRAYS, zipfile.ZIP_STORED),
        "deflated": zipped(ARRAYS, zipfile.ZIP_DEFLATED),
        "none": zipped({}, zipfile.ZIP_STORED),
    },
    "idx": {
        "bytes": IMAGES,
        "gzipped": gzip.compress(IMAGES, mtime=0),
        "shorts": idx(0x0B, (2,), b"\0\1\xff\xff"),
        "doubles": idx(0x0E, (1, 1), struct.pack(">d", 1.5)),
    },
    "csv": {
        "header": b"x,y\n1,2.5\n-3,4e2\n",
        "plain": b"1,2\r\n3,4\r\n",
        "quoted": b'"a, ""b""","c\nd"\n"1",2\n,3\n',
    },
    "safetensors": {
        "two": safetensors(
            {
                "__metadata__": {"format": "test"},
                "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
                "b": {"dtype": "BOOL", "shape": [2], "data_offsets": [24, 26]},
            },
            FLOATS + b"\0\1",
        ),
        "none": safetensors({}, b""),
    },
    "checkpoint": {
        "two_epochs": checkpoint(
            {
                "seed": 1, "epoch": 2, "batch": 3, "pass": 2, "feed": {"order": 1},
                "history": {"epoch": [0, 1], "history": {"loss": [0.5, 0.25]}},
                "callbacks": {"EarlyStopping": {"best": 0.25, "wait": 1}},
            },
            {"dense/kernel": ([2, 3], FLOATS), "callbacks/EarlyStopping/0": ([6], FLOATS)},
        ),
    },
    "weights_json": {
        "two": json.dumps({
            "metadata": {"total_size": 1},
            "weight_map": {"/layers/dense/vars": "m_00000.weights.h5",
                           "/layers/dense_1/vars": ["m_00000.weights.h5", "m_00001.weights.h5"]},
        }).encode(),
    },
    "zip": {
        "stored": zipped(ARCHIVE, zipfile.ZIP_STORED),
        "deflated": zipped(ARCHIVE, zipfile.ZIP_DEFLATED),
        "streamed": streamed(ARCHIVE),
        "zip64": zip64(ARCHIVE),
    },
    "tfrecord": {"hello": RECORD, "two": RECORD * 2, "none": b"", "gzipped": gzip.compress(RECORD * 3, mtime=0)},
    "packed": {
        "numbers": packed([{"dtype": "float32", "shape": [2]}, {"dtype": "int64", "shape": []}],
                          [padded(struct.pack("<Q", 2)) + padded(struct.pack("<2f", 1, i)) + padded(struct.pack("<q", i))
                           for i in range(3)]),
        "texts": packed({"table": [["word", {"dtype": "string", "shape": [None]}]]},
                        [padded(padded(struct.pack("<Q", 2)) + struct.pack("<2Q", 1, 3) + b"abc")]),
    },
    "text_lines": {"lines": b"one\ntwo\r\n\nlast", "gzipped": gzip.compress(b"one\ntwo\n", mtime=0) * 2},
    "csv_records": {
        "header": b'id,size,name\n1,2.5,red\n-3,4e2,"a ""b"",\nc"\n7,,\n',
        "wrong_rows": b'a,b\r\n1,2\r\n3\r\n"x"y,4\r\n5,z\r\n',
        "gzipped": gzip.compress(b"a,b\n1,2\n", mtime=0),
    },
    "tar": {
        "ustar": tarred(tarfile.USTAR_FORMAT, {"a/0.jpg": b"jpeg", "a/0.cls": b"1", "readme": b""}),
        "gnu": tarred(tarfile.GNU_FORMAT, SHARD),
        "pax": tarred(tarfile.PAX_FORMAT, SHARD),
        "gzipped": gzip.compress(tarred(tarfile.GNU_FORMAT, SHARD), mtime=0),
    },
    "example": {
        "features": message(1, FEATURES),
        "sequence": message(1, feature(b"i", 3, b"\x08\x01")) + message(2, message(1, message(1, b"b") + message(2, STEPS))),
    },
    "json": {
        "kinds": b'{"a": [1, -2.5e3, true, null], "b": {"c": "\\u00e9\\n", "d": []}}',
        "nested": b"[" * 10 + b"]" * 10,
    },
    "toml": {
        "recipe": b'title = "x"\n[model]\n[[model.layers]]\nunits = 12\nrate = 0.5\n[fit]\nshuffle = true\n',
        "values": b"a.b.c = [1, [2, 3], {x = 1, y.z = 'w'}]\nd = 1979-05-27\ne = \"\"\"\nlong\"\"\"\n",
        "non_ascii_key": "\u0488letai$ ".encode(),
    },
}


def main():
    for form, seeds in SEEDS.items():
        folder = CORPUS / form
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
