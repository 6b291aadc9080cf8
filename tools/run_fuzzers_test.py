"""run_fuzzers.py with a shell script for the fuzzer."""
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import run_fuzzers
import run_tests

# Finds something in the formats that are given to it.
FUZZER = """#!/bin/sh
case " {broken} " in *" ${{1#--format=}} "*) echo 'ERROR: AddressSanitizer' >&2; exit 77;; esac
echo 'Done 7 runs in 1 second(s)' >&2
"""


class RunFuzzers(unittest.TestCase):
    def run_with(self, formats, broken="", missing=False, run=run_fuzzers.run_all):
        with tempfile.TemporaryDirectory() as folder:
            build, seeds = pathlib.Path(folder) / "build", pathlib.Path(folder) / "seeds"
            build.mkdir()
            for name in formats:
                (seeds / name).mkdir(parents=True)
            if not missing:
                (build / "fuzzer").write_text(FUZZER.format(broken=broken))
                (build / "fuzzer").chmod(0o755)
            out = io.StringIO()
            with contextlib.redirect_stdout(out), mock.patch.object(run_fuzzers, "SEEDS", seeds):
                result = run(build, 1, 2)
            return result, out.getvalue()

    def test_says_how_many_runs(self):
        result, text = self.run_with(["a", "b"])
        self.assertTrue(all(clean for _, clean, _ in result))
        self.assertEqual(text, "a: 7 runs, nothing found\nb: 7 runs, nothing found\n")

    def test_fails_for_a_find(self):
        result, text = self.run_with(["a", "b"], broken="a")
        self.assertEqual([clean for _, clean, _ in result], [False, True])
        self.assertIn("a: FOUND\nERROR: AddressSanitizer", text)

    def test_exit_status_tells_of_a_find(self):
        main = lambda build, seconds, jobs: run_fuzzers.main(["--seconds", str(seconds), str(build)])
        self.assertEqual(self.run_with(["a", "b"], broken="b", run=main)[0], 1)
        self.assertEqual(self.run_with(["a", "b"], run=main)[0], 0)

    def test_each_counts_as_one_test(self):
        counts, _ = self.run_with(["a", "b", "c"], broken="a", run=run_tests.fuzz)
        self.assertEqual(counts, [2, 1, 0])

    def test_no_fuzzer_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.run_with(["a"], missing=True)


if __name__ == "__main__":
    unittest.main()
