"""Tests which files `make check` and `make test` give to the formatter."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def formatted_files(folder):
    """The commands of `make rules` in this folder, which are not run."""
    done = subprocess.run(["make", "--dry-run", "rules"], cwd=folder, text=True, capture_output=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("tools/check_format.sh"))
    return [word for word in line.split() if word.endswith((".h", ".cpp"))]


class CheckFormat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copy(ROOT / "Makefile", self.folder)
        for path in ["examples/xor.cpp", "examples/mine.cpp"]:
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).touch()

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_a_users_own_file_is_not_checked(self):
        for command in [["init", "--quiet"], ["add", "examples/xor.cpp"]]:
            subprocess.run(["git", *command], cwd=self.folder, check=True)
        self.assertEqual(formatted_files(self.folder), ["examples/xor.cpp"])

    def test_without_git_all_are(self):
        self.assertEqual(sorted(formatted_files(self.folder)), ["examples/mine.cpp", "examples/xor.cpp"])


if __name__ == "__main__":
    unittest.main()
