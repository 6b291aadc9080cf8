import pathlib
import tempfile
import unittest

from run_tests import SANITIZER_DIED, run_shard

# A test program that fails with these words at its first run, or at every run.
PROGRAM = """#!/bin/sh
[ -e {flag} ] && [ {again} = no ] && exit 0
touch {flag}
echo '{words}'
exit 1
"""


class RunShard(unittest.TestCase):
    def failed(self, words, again):
        with tempfile.TemporaryDirectory() as folder:
            program, flag = pathlib.Path(folder) / "program", pathlib.Path(folder) / "flag"
            program.write_text(PROGRAM.format(flag=flag, again=again, words=words))
            program.chmod(0o755)
            return run_shard(program, "", 0, 1, [], {})[0][1]

    def test_runs_again_where_the_sanitizer_died(self):
        self.assertEqual(self.failed(SANITIZER_DIED, again="no"), 0)

    def test_fails_where_it_dies_again(self):
        self.assertEqual(self.failed(SANITIZER_DIED, again="yes"), 1)

    def test_runs_nothing_else_again(self):
        self.assertEqual(self.failed("a leak", again="no"), 1)


if __name__ == "__main__":
    unittest.main()
