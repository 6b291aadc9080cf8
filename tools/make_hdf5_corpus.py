#!/usr/bin/env python3
"""Writes fuzz/corpus/hdf5/ with h5py: small files of every form that is read, also the unit tests' fixtures.

`written` is not made here but by Stoker (the test Hdf5.WritesTheSameBytesAsEver describes how); this script checks that
h5py reads it correctly.
"""
from pathlib import Path

import h5py
import numpy as np

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "hdf5"
RAMP = np.array([[0, 1, 1], [0, 1, 0]])


def keras_weights(file):
    """The layout of Keras 3's model.weights.h5."""
    vars = file.create_group("layers/dense").create_group("vars")
    vars.attrs["name"] = "dense"
    vars["0"] = np.arange(6, dtype="f4").reshape(2, 3)
    half = np.array([0x3F80, 0xC000], "<u2").view("V2")  # 1 and -2
    vars.create_dataset("1", data=half).attrs["dtype"] = "bfloat16"
    file["optimizer/vars/0"] = np.int32(7)


def legacy_weights(file):
    """The layout of Keras 2's weights: names in attributes."""
    file.attrs["layer_names"] = [b"dense", b"a longer name"]
    file.attrs["keras_version"] = "2.4.0"
    file.attrs["backend"] = np.bytes_("tensorflow")
    dense = file.create_group("dense")
    dense.attrs["weight_names"] = [b"dense/kernel:0"]
    dense["dense/kernel:0"] = np.arange(4, dtype="f8")
    file.create_group("a longer name").attrs["weight_names"] = []


def types(file):
    for name in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i8"]:
        file[name.replace(">", "big_").replace("?", "bool")] = RAMP.astype(name)


def values(file):
    file.attrs["integer"] = 3
    file.attrs["matrix"] = RAMP
    file.attrs["flag"] = True
    file.attrs["text"] = "\u00e9"
    file.attrs["empty"] = ""
    file.attrs["nothing"] = h5py.Empty("f4")
    file["scalar"] = np.float32(2.5)
    file["none"] = np.zeros((0, 3), "f4")
    file["texts"] = np.array(["a", "", "cc"], dtype=object)
    file["fixed"] = np.array([b"abc", b"d"])
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F32LE, space, plist)
    compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(4, "f4"))


def chunks(file):
    file.create_dataset("line", data=np.arange(10, dtype="i4"), chunks=(3,))
    file.create_dataset("cube", data=np.arange(105, dtype="u1").reshape(5, 7, 3), chunks=(2, 3, 3))
    file.create_dataset("levels", data=np.arange(70, dtype="u1"), chunks=(1,))


def many(file):
    for i in range(40):
        file[f"{i}"] = np.uint8(i)
        file.attrs[f"attribute {i}"] = i


def links(file):
    file["soft"] = h5py.SoftLink("/elsewhere")


def external_link(file):
    file["external"] = h5py.ExternalLink("other.h5", "/x")


def cycle(file):
    group = file.create_group("a/b")
    group["up"] = file["a"]


def compressed(file):
    file.create_dataset("x", data=np.zeros(100, "f4"), compression="gzip")


def unwritten(file):
    file.create_dataset("x", shape=(4,), dtype="f4")


def virtual(file):
    layout = h5py.VirtualLayout(shape=(4,), dtype="f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(4,))
    file.create_virtual_dataset("x", layout)


def outside(file):
    file.create_dataset("x", shape=(4,), dtype="f4", external=[("other.bin", 0, 16)])


def complex_numbers(file):
    file["x"] = np.zeros(2, "c8")


MAKERS = [keras_weights, legacy_weights, types, values, chunks, many, links, external_link, cycle, compressed]
MAKERS += [unwritten, virtual, outside, complex_numbers]
NEWER = [keras_weights, values, chunks, many]


def check_written():
    with h5py.File(CORPUS / "written") as file:
        assert file.attrs["title"] == "\u00e9" and list(file.attrs["list"]) == ["a", "", "cc"]
        assert file["texts"].asstr()[()].tolist() == ["x", "yy"] and file["none"].shape == (0, 3)
        for i, name in enumerate(["f2", "f4", "f8", "i1", "i4", "i8", "u1", "?"]):
            assert file[f"types/{i}"].dtype == np.dtype(name) and (file[f"types/{i}"][()] == RAMP).all(), name
        assert file["types/8"].dtype == np.dtype("V2") and file["types/8"].attrs["dtype"] == "bfloat16"
        assert file["types/8"][()].view("<u2").tolist() == (RAMP * 0x3F80).tolist()
        assert len(file["many"]) == 300 and file["many/299"][()] == 299


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    for maker in MAKERS:
        with h5py.File(CORPUS / maker.__name__, "w", libver="earliest") as file:
            maker(file)
    for maker in NEWER:
        with h5py.File(CORPUS / f"{maker.__name__}_1_8", "w", libver=("v108", "v108")) as file:
            maker(file)
    with h5py.File(CORPUS / "latest", "w", libver="latest") as file:
        keras_weights(file)
    if (CORPUS / "written").exists():
        check_written()


if __name__ == "__main__":
    main()
