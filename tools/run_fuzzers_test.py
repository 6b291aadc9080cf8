"""run_fuzzers.py with shell scripts for fuzzers."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import run_fuzzers
import run_tests

QUIET = "#!/bin/sh\necho 'Done 7 runs in 1 second(s)' >&2\n"
BROKEN = "#!/bin/sh\necho 'ERROR: AddressSanitizer' >&2\nexit 77\n"


class RunFuzzers(unittest.TestCase):
    def run_with(self, scripts, run=lambda build: run_fuzzers.main(["--seconds", "1", str(build)])):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "fuzz").mkdir()
            for name, text in scripts.items():
                script = build / "fuzz" / f"{name}_fuzz"
                script.write_text(text)
                script.chmod(0o755)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = run(build)
            return status, out.getvalue()

    def test_says_how_many_runs(self):
        status, text = self.run_with({"a": QUIET, "b": QUIET})
        self.assertEqual((status, text), (0, "a: 7 runs, nothing found\nb: 7 runs, nothing found\n"))

    def test_fails_for_a_find(self):
        status, text = self.run_with({"a": BROKEN, "b": QUIET})
        self.assertEqual(status, 1)
        self.assertIn("a: FOUND\nERROR: AddressSanitizer", text)

    def test_each_counts_as_one_test(self):
        counts, _ = self.run_with({"a": BROKEN, "b": QUIET, "c": QUIET},
                                  lambda build: run_tests.fuzz(build, 1, 2))
        self.assertEqual(counts, [2, 1, 0])

    def test_no_fuzzers_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.run_with({})


if __name__ == "__main__":
    unittest.main()
