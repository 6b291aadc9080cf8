#!/usr/bin/env python3
"""Reports folders with more than 40 files.

check_folders.py [ROOT]   One line per folder; exit status 1 if there is any.
"""
import collections
import pathlib
import subprocess
import sys

MOST = 40
# Folders that may have more, and why.
EXCEPTIONS = {
    "include/stoker": "users include these by their names, and umbrella headers are made of the folders below",
    "include/stoker/layers": "one header a family of Keras's documentation",
    "include/stoker/metrics": "one header a metric",
}


def files_of(root):
    """The files that git tracks or would track; without git: everything outside build/."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True)
    if listed.returncode == 0:
        return [pathlib.PurePosixPath(file) for file in listed.stdout.splitlines() if (root / file).exists()]
    files = (pathlib.PurePosixPath(file.relative_to(root)) for file in root.rglob("*") if file.is_file())
    return [file for file in files if file.parts[0] != "build"]


def crowded(root):
    counts = collections.Counter(str(file.parent) for file in files_of(root))
    return [f"{folder}: {count} files, at most {MOST}. Hint: move those that belong together into a folder below it, or say in "
            "tools/check_folders.py why not." for folder, count in sorted(counts.items())
            if count > MOST and folder not in EXCEPTIONS]


def needless(root):
    """Exceptions that are no longer needed."""
    counts = collections.Counter(str(file.parent) for file in files_of(root))
    return [f"{folder}: {counts[folder]} files need no exception in tools/check_folders.py." for folder in sorted(EXCEPTIONS)
            if 0 < counts[folder] <= MOST]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = crowded(root) + needless(root)
    for message in found:
        print(message)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
