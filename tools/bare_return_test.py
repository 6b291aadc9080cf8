"""Checks that no test returns before its first assertion; such a test must call GTEST_SKIP, or not exist."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "cmake"))
from together import without_raw_strings  # noqa: E402

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((.*?)\) \{\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"\b(?:EXPECT|ASSERT)_|\b(?:FAIL|ADD_FAILURE|GTEST_SKIP)\b|\b(?:expect|check)_?\w*\(", re.IGNORECASE)
RETURN = re.compile(r"(?<!HasFatalFailure\(\)\) )\breturn;")


def hasty_tests(text):
    """The names of the tests with a return before their first check."""
    for test in TEST.finditer(without_raw_strings(text)):
        check, leave = CHECK.search(test[2]), RETURN.search(test[2])
        if leave and (not check or leave.start() < check.start()):
            yield test[1]


class BareReturnTest(unittest.TestCase):
    def test_finds_what_returns_first(self):
        self.assertEqual(list(hasty_tests("TEST_P(Some, Case) {\n  if (!plain) return;\n  EXPECT_EQ(1, 1);\n}\n")), ["Some, Case"])
        self.assertEqual(list(hasty_tests("TEST(Some, Case) {\n  if (!plain) GTEST_SKIP();\n}\n")), [])
        self.assertEqual(list(hasty_tests("TEST(Some, Case) {\n  ASSERT_NO_FATAL_FAILURE(f());\n  return;\n}\n")), [])

    def test_no_test_returns_first(self):
        files = sorted(file for folder in ("src", "tests", "backends") for file in (ROOT / folder).rglob("*_test.cpp"))
        self.assertGreater(len(files), 100)
        self.assertEqual([(str(file.relative_to(ROOT)), test) for file in files for test in hasty_tests(file.read_text())], [])


if __name__ == "__main__":
    unittest.main()
