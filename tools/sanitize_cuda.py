#!/usr/bin/env python3
"""Runs the test programs on the GPU under CUDA's compute-sanitizer.

sanitize_cuda.py [--jobs N] [--tools T,T] [--filter GTEST_FILTER] [--programs P,P] BUILD CUDA_BUILD
A line for each tool: tests passed, failed and skipped. A finding counts as a failure of the shard it is in and is
printed. What is left out is in LEFT_OUT, with the reason.
"""
import argparse
import os
import pathlib
import shutil
import sys

from run_tests import ALONE, cuda_variables, gpu_name, run_programs

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# They need the GPU's memory for themselves, and the sanitizers take some.
LEFT_OUT = ALONE


def command_of(tool):
    found = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    return [found, "--tool", tool, "--error-exitcode", "9", "--print-limit", "20"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--filter", default="*")
    parser.add_argument("--programs", default="stoker_tests,differential_tests")
    parser.add_argument("host", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("build", type=pathlib.Path, metavar="CUDA_BUILD")
    args = parser.parse_args()
    host, build = args.host.resolve(), args.build.resolve()
    failed = 0
    with cuda_variables(build) as variables:
        if not gpu_name(host, variables):
            sys.exit("sanitize_cuda: there is no GPU here")
        programs = [host / name for name in args.programs.split(",")]
        separator = ":" if "-" in args.filter else "-"
        for tool in args.tools.split(","):
            counts = run_programs(programs, f"{args.filter}{separator}{LEFT_OUT}", args.jobs, variables,
                                  command_of(tool))
            print("== {}: {} passed, {} failed, {} skipped".format(tool, *counts), flush=True)
            failed += counts[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
