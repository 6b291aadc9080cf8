"""Tests that tests which start threads are recorded."""
import contextlib
import io
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import run_tests
import thread_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "stoker_tests"
STARTS = re.compile(r"std::j?thread\b(?!::)|std::async\(|\bThreadPool \w+[({]")  # a test's own threads
SUITE = re.compile(r"^TEST(?:_[FP])?\((\w+)", re.MULTILINE)


def found_by_running(suites):
    found = set()
    with run_tests.hidden_gpus():
        counts = run_tests.run_programs([PROGRAM], ":".join(f"{suite}.*" for suite in suites), 1, found=found)
    return counts, found


@unittest.skipUnless(PROGRAM.exists(), "build/stoker_tests is not built")
class ThreadTestsTest(unittest.TestCase):
    def test_files_that_name_a_thread_are_found(self):
        texts = {str(file.relative_to(ROOT)): file.read_text() for file in (ROOT / "src").rglob("*_test.cpp")}
        naming = {file for file, text in texts.items() if STARTS.search(text)}
        self.assertIn("src/nn/training/side_by_side_test.cpp", naming)
        counts, found = found_by_running(sorted({suite for file in naming for suite in SUITE.findall(texts[file])}))
        self.assertEqual(counts[1], 0)
        self.assertEqual(naming - {file for file, _ in found}, set())

    def test_threads_of_the_library_are_found_and_the_kernels_pool_is_not(self):
        counts, found = found_by_running(["BackupAndRestore", "Determinism"])
        self.assertGreater(counts[0], 2)
        self.assertEqual({file for file, _ in found}, {"src/nn/callbacks/backup_and_restore_test.cpp", "src/nn/callbacks/backup_failure_test.cpp"})


class NoteTest(unittest.TestCase):
    def test_the_same_tests_leave_the_note_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(thread_tests, "NOTE", pathlib.Path(folder) / "note.txt"):
            thread_tests.write_note({("b_test.cpp", "B.b"), ("a_test.cpp", "A.a")})
            self.assertEqual(thread_tests.NOTE.read_text(), "a_test.cpp A.a\nb_test.cpp B.b\n")
            before = thread_tests.NOTE.stat().st_mtime_ns
            thread_tests.write_note({("a_test.cpp", "A.a"), ("b_test.cpp", "B.b")})
            self.assertEqual(thread_tests.NOTE.stat().st_mtime_ns, before)

    def test_a_run_that_found_nothing_fails(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            counts = run_tests.run_tsan(ROOT / "build/tsan", ROOT / "build", 1, False, set())
        self.assertEqual(counts, [0, 1, 0])
        self.assertIn("no test of the release build started a thread", said.getvalue())


if __name__ == "__main__":
    unittest.main()
