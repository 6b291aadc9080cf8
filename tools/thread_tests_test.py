"""That ThreadSanitizer's build has every test of threads."""
import fnmatch
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
POOLING = re.compile(r"Pool2d|Pooling")  # layers, not threads


def suites_with_threads():
    """(suite, file) for all that the filter in the Makefile means by a suite's name."""
    filters = re.search(r"^THREAD_TESTS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split(":")
    for folder in ("src", "tests", "backends"):
        for file in sorted((ROOT / folder).rglob("*_test.cpp")):
            for suite in sorted(set(re.findall(r"^TEST(?:_[FP])?\((\w+)", file.read_text(), re.MULTILINE))):
                if not POOLING.match(suite) and any(fnmatch.fnmatchcase(suite, f) for f in filters):
                    yield suite, str(file.relative_to(ROOT))


class ThreadTestsTest(unittest.TestCase):
    def test_all_are_compiled_for_thread_sanitizer(self):
        listed = re.search(r"set\(STOKER_THREAD_TESTS([^)]*)\)", (ROOT / "cmake" / "flags.cmake").read_text())[1].split()
        self.assertTrue(all((ROOT / file).exists() for file in listed), listed)
        found = list(suites_with_threads())
        self.assertGreater(len(found), 3)
        self.assertEqual([pair for pair in found if pair[1] not in listed], [],
                         "to be listed in STOKER_THREAD_TESTS of cmake/flags.cmake")


if __name__ == "__main__":
    unittest.main()
