"""Tests that a folder with too many files is reported, and others are not."""
import pathlib
import tempfile
import unittest

import check_folders


def check(counts):
    """The report for a tree given as {folder: number of files}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, count in counts.items():
            (root / name).mkdir(parents=True)
            for number in range(count):
                (root / name / f"{number}.cpp").touch()
        return check_folders.crowded(root) + check_folders.needless(root)


class CheckFolders(unittest.TestCase):
    def test_a_folder_past_the_limit_is_named_with_its_count(self):
        found = check({"src/core": check_folders.MOST + 1})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith(f"src/core: {check_folders.MOST + 1} files"))

    def test_files_of_folders_below_do_not_count(self):
        self.assertEqual(check({"src/io": check_folders.MOST, "src/io/text": 2}), [])

    def test_agreed_exceptions_pass_as_long_as_they_are_needed(self):
        self.assertEqual(check({"include/stoker": check_folders.MOST + 1}), [])
        self.assertEqual(len(check({"include/stoker": check_folders.MOST})), 1)

    def test_what_is_built_does_not_count(self):
        self.assertEqual(check({"build": check_folders.MOST + 1}), [])


if __name__ == "__main__":
    unittest.main()
