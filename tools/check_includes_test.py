"""Tests that the include checker rejects what it must and accepts the rest."""
import pathlib
import tempfile
import unittest

from check_includes import Checker


def check(files):
    """Violations in a tree given as {path: names it includes}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for path, names in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            lines = [f'#include "{name}"' if "." in name else f"#include <{name}>"
                     for name in names]
            (root / path).write_text("#pragma once\n" + "\n".join(lines) + "\n")
        return Checker(root).run()


class CheckIncludes(unittest.TestCase):
    def test_downward_include_passes(self):
        self.assertEqual(check({"src/core/shape.h": ["vector", "stoker/error.h"],
                                "include/stoker/error.h": ["string"],
                                "src/graph/graph.h": ["core/shape.h", "graph/node.h"],
                                "src/graph/node.h": []}), [])

    def test_upward_include_is_rejected_with_place(self):
        found = check({"src/core/shape.h": ["vector", "graph/graph.h"], "src/graph/graph.h": []})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("src/core/shape.h:3: src/core may not include "
                                            "src/graph/graph.h"))

    def test_file_that_has_moved_is_named(self):
        found = check({"src/nn/fit.cpp": ["data/feed.h"], "src/data/feeds/feed.h": []})
        self.assertEqual(found, ["src/nn/fit.cpp:2: there is no src/data/feed.h. Hint: it may have moved to another folder."])
        self.assertEqual(check({"src/nn/fit.cpp": ["sys/mman.h", "test_places.h"]}), [])

    def test_relative_path_does_not_evade(self):
        self.assertEqual(len(check({"src/core/a.h": ["../graph/g.h"], "src/graph/g.h": []})), 1)

    def test_test_files_may_include_anything(self):
        self.assertEqual(check({"src/core/shape_test.cpp": ["graph/g.h"], "tests/a.cpp":
                                ["graph/g.h"], "src/graph/g.h": []}), [])

    def test_public_header_takes_only_public_and_std(self):
        self.assertEqual(len(check({"include/stoker/a.h": ["core/shape.h"],
                                    "src/core/shape.h": []})), 1)
        self.assertEqual(len(check({"include/stoker/a.h": ["nlohmann/json.hpp"]})), 1)
        self.assertEqual(check({"include/stoker/a.h": ["stoker/b.h", "vector"],
                                "include/stoker/b.h": []}), [])

    def test_program_takes_only_public_headers(self):
        self.assertEqual(len(check({"cli/main.cpp": ["nn/fit.h"], "src/nn/fit.h": []})), 1)
        self.assertEqual(check({"cli/main.cpp": ["args.h", "stoker/model.h", "CLI/CLI.hpp"],
                                "cli/args.h": [], "include/stoker/model.h": []}), [])

    def test_backend_sees_one_header_of_device_and_no_other_backend(self):
        tree = {"backends/cpu/gemm.h": [], "backends/cuda/copy.h": [],
                "src/device/backend_interface.h": [], "src/device/loader.h": []}
        good = ["device/backend_interface.h", "gemm.h", "hwy/highway.h"]
        self.assertEqual(check({**tree, "backends/cpu/backend.cpp": good}), [])
        for bad in ("device/loader.h", "../cuda/copy.h", "copy.h"):
            self.assertEqual(len(check({**tree, "backends/cpu/backend.cpp": [bad]})), 1, bad)

    def test_data_reads_files_but_files_know_no_models(self):
        tree = {"src/core/shape.h": [], "src/nn/model.h": [], "src/io/npy.h": ["core/shape.h"]}
        self.assertEqual(check({**tree, "src/data/array.cpp": ["io/npy.h"]}), [])
        self.assertEqual(len(check({**tree, "src/io/npy.cpp": ["nn/model.h"]})), 1)

    def test_file_outside_the_layout_is_rejected(self):
        self.assertEqual(len(check({"src/misc/a.h": []})), 1)


if __name__ == "__main__":
    unittest.main()
