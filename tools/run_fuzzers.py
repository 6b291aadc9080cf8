#!/usr/bin/env python3
"""Runs the fuzzer of a build folder on every format for a while, from the seeds in fuzz/corpus/<format>/.

run_fuzzers.py [--jobs N] [--seconds S] BUILD
New inputs are stored in BUILD/corpus/, and inputs that broke a reader in BUILD/found/; then it exits with 1.
"""
import argparse
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from fixed_addresses import fixed_addresses

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "fuzz" / "corpus"


def run(name, build, seconds):
    """(name, whether nothing was found, the message) of one format."""
    grown, found = build / "corpus" / name, build / "found"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    command = [str(build / "fuzzer"), f"--format={name}", f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048"]
    command += [f"-artifact_prefix={found}/{name}-", str(grown), str(SEEDS / name)]
    done = subprocess.run(fixed_addresses() + command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        return name, False, "\n".join(done.stderr.splitlines()[-60:])
    runs = re.search(r"Done (\d+) runs", done.stderr)
    return name, True, f"{runs.group(1) if runs else '?'} runs, nothing found"


def run_all(build, seconds, jobs):
    """run()'s results for every format, which are also printed."""
    if not (build / "fuzzer").exists():
        sys.exit(f"no fuzzer in {build}")
    names = sorted(folder.name for folder in SEEDS.iterdir())
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda name: run(name, build, seconds), names))
    for name, clean, text in results:
        print(f"{name}: {text}" if clean else f"{name}: FOUND\n{text}")
    return results


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args(arguments)
    results = run_all(options.build.resolve(), options.seconds, options.jobs)
    return 0 if all(clean for _, clean, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
