#!/usr/bin/env python3
"""Runs the test programs on the GPU under CUDA's compute-sanitizer.

sanitize_cuda.py [--jobs N] [--tools T,T] [--filter GTEST_FILTER] [--programs P,P] [--seconds S] [--skip N]
                 BUILD
A line for each shard and one for each tool: tests passed, failed and skipped. A finding counts as a failure of the shard
it is in and is printed. With --seconds a tool starts no more shards after that time, and its line says which it ran;
--skip continues after the first N. LEFT_OUT and NOT_OURS list what is left out, with the reason.
"""
import argparse
import functools
import itertools
import os
import pathlib
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from run_tests import ALONE, cuda_variables, gpu_name, run_shard

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# The first compare with the driver's figures for the GPU's memory, of which the sanitizers use some; the last computes
# in programs that it starts, which are not checked.
LEFT_OUT = f"{ALONE}:Determinism.WithTheSwitchTheNumberOfThreadsDoesNotMatter"
# cuDNN's kernels transpose memory that nothing has written, and do not use the result. They are checked all the same: memory
# written by a kernel that is not checked would count as not written.
NOT_OURS = {"initcheck": re.compile("cudnn")}
# Benchmarking implementations would load and check a dozen of NVIDIA's kernels for each one that a test uses.
VARIABLES = {"STOKER_CUDA_CHOOSE_BY_TIME": "0", "STOKER_CUDA_KEEP_BLOCKS": "0"}
# Its message for a shard whose tests do not use the GPU.
NOTHING_TO_WATCH = "Target application terminated before first instrumented API call"
SHARDS_A_JOB = 8  # small ones, so that the last ones do not delay the end
PRINTED = 10_000  # characters of a shard's output


def command_of(tool):
    found = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    limit = "1000000" if tool in NOT_OURS else "20"
    # Recording the host's stack at every launch would take most of the time.
    return [found, "--tool", tool, "--error-exitcode", "9", "--print-limit", limit, "--show-backtrace", "device"]


def is_clean(tool, output):
    """Whether none of the tool's findings concerns this project's code."""
    if NOTHING_TO_WATCH in output:
        return True
    errors = re.search(r"ERROR SUMMARY: (\d+) errors?$", output, re.MULTILINE)
    places = re.findall(r"^=========     at (.+)\+0x", output, re.MULTILINE)
    not_ours = [place for place in places if tool in NOT_OURS and NOT_OURS[tool].search(place)]
    return bool(not_ours and errors) and int(errors.group(1)) == len(not_ours)


def scattered(count):
    """0 to count - 1, consecutive shards far from each other: they contain cases of the same op, and a part of a run should cover all ops."""
    return sorted(range(count), key=lambda i: f"{i:032b}"[::-1])


def run_tool(tool, programs, test_filter, jobs, seconds, skip, variables):
    """Counts, shards that ran, and shards in all."""
    count = jobs * SHARDS_A_JOB
    shards = list(itertools.product(scattered(count), programs))
    end = time.monotonic() + seconds

    def run_one(shard):
        begin = time.monotonic()
        if begin > end:
            return None
        result = run_shard(shard[1], test_filter, shard[0], count, command_of(tool), variables,
                           functools.partial(is_clean, tool))
        # Printed at once: a run that is stopped has shown it.
        print("{} {}, shard {}: {} passed, {} failed, {} skipped".format(tool, shard[1].name, shard[0], *result[0]),
              f"in {time.monotonic() - begin:.0f} s\n{result[1][-PRINTED:]}".rstrip(), flush=True)
        return result

    with ThreadPoolExecutor(jobs) as pool:
        results = [result for result in pool.map(run_one, shards[skip:]) if result]
    return [sum(column) for column in zip(*(counts for counts, _ in results))], len(results), len(shards)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--filter", default="*")
    parser.add_argument("--programs", default="stoker_tests,differential_tests")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    args = parser.parse_args()
    build = args.build.resolve()
    failed = 0
    variables = cuda_variables(build) | VARIABLES
    if not gpu_name(build, variables):
        sys.exit("sanitize_cuda: there is no GPU here")
    programs = [build / name for name in args.programs.split(",")]
    test_filter = f"{args.filter}{':' if '-' in args.filter else '-'}{LEFT_OUT}"
    for tool in args.tools.split(","):
        counts, ran, shards = run_tool(tool, programs, test_filter, args.jobs, args.seconds, args.skip, variables)
        print("== {}: {} passed, {} failed, {} skipped".format(tool, *counts),
              f"in shards {args.skip} to {args.skip + ran} of {shards}", flush=True)
        failed += counts[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
