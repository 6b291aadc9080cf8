"""Which tests start threads: recorded by the release build's test programs while they run (tests/support/thread_watch.cpp)."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"  # a compiler cache makes the names of files relative to where they were compiled
NOTE = BUILD / "thread_tests.txt"  # for cmake/test_program.cmake


def found_in(report):
    """{(file, test)} of one GoogleTest JSON report."""
    return {(os.path.relpath(os.path.realpath(BUILD / test["starts_threads"]), ROOT), f"{test['classname']}.{test['name']}")
            for suite in report["testsuites"] for test in suite["testsuite"] if "starts_threads" in test}


def write_note(found):
    """Stores the tests, unless they are the same as before: a change makes CMake choose ThreadSanitizer's files again."""
    text = "".join(f"{file} {test}\n" for file, test in sorted(found))
    if not NOTE.exists() or NOTE.read_text() != text:
        NOTE.write_text(text)
