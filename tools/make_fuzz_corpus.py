#!/usr/bin/env python3
"""Writes the seeds of the fuzzers, fuzz/corpus/<format>/<name>: small valid files of each kind."""
import gzip
import io
import json
import struct
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


FLOATS = struct.pack("<6f", *range(6))
ARRAYS = {"x.npy": npy("<f4", (2, 3), FLOATS), "y.npy": npy("|u1", (2,), b"\1\2")}
RECORD = bytes.fromhex("0500000000000000eab2043e") + b"hello" + bytes.fromhex("bb1f1c19")
ARCHIVE = {"metadata.json": b"{}", "config.json": b"[" * 40 + b"]" * 40, "folder/a": bytes(100)}
IMAGES = idx(0x08, (2, 3), bytes(range(6)))

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
    "zip": {
        "stored": zipped(ARCHIVE, zipfile.ZIP_STORED),
        "deflated": zipped(ARCHIVE, zipfile.ZIP_DEFLATED),
        "streamed": streamed(ARCHIVE),
        "zip64": zip64(ARCHIVE),
    },
    "tfrecord": {"hello": RECORD, "two": RECORD * 2, "none": b""},
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
