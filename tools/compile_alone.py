#!/usr/bin/env python3
"""Compiles every source file by itself, without writing anything, to find missing includes.

compile_alone.py [--jobs N] BUILD [PATH...]
The other builds compile many files in one translation unit and precompile common headers, so a file may get an include from
another one there. BUILD is a folder for this only. PATH: only files whose path begins with it. Exits with 1 if a file
does not compile.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


def configure(build):
    cuda = subprocess.run([ROOT / "tools" / "find_cuda.sh"], text=True, capture_output=True, check=True).stdout.strip()
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DSTOKER_TOGETHER=OFF", "-DSTOKER_PRECOMPILE=OFF",
                    f"-DSTOKER_CUDA={'ON' if cuda else 'OFF'}"], check=True, stdout=subprocess.DEVNULL)


def commands(build, paths):
    """{file: (folder, command)} of the requested files in the repository, each once."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if not file.is_relative_to(ROOT) or file.is_relative_to(build):
            continue
        name = str(file.relative_to(ROOT))
        if name not in found and (not paths or name.startswith(tuple(paths))):
            words = shlex.split(entry["command"])
            place = words.index("-o")
            found[name] = entry["directory"], words[:place] + ["-fsyntax-only"] + words[place + 2:]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("paths", nargs="*")
    args = parser.parse_args()
    build = args.build.resolve()
    configure(build)

    def compile_one(item):
        name, (folder, command) = item
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return name, done.returncode, done.stdout

    found = commands(build, args.paths)
    with ThreadPoolExecutor(args.jobs) as pool:
        failed = 0
        for name, status, output in pool.map(compile_one, found.items()):
            if status:
                failed += 1
                print(f"{name} does not compile by itself:\n{output}", flush=True)
    print(f"{len(found) - failed} files compile by themselves, {failed} do not")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
