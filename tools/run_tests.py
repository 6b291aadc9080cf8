#!/usr/bin/env python3
"""Runs the test programs of build folders in parallel shards and sums up.

run_tests.py [--jobs N] [--cuda BUILD] [--fuzz BUILD [--fuzz-seconds S]] BUILD[=GTEST_FILTER]...
The last line is `N passed, N failed` alone. The tests of the tools themselves and of the program
(tests/cli, on build/stoker) count too. --cuda: that build's plugin, with the first build's programs,
on the GPU, or where there is none a part of the tests on an emulated one. --fuzz: that build's fuzzers,
each one test.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import run_fuzzers
from fixed_addresses import fixed_addresses

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARD_TIMEOUT_S = 1800
SHARDS_A_JOB = 4  # small ones: the last to end do not keep the others waiting
# On a GPU these need it for themselves: they compare with what the driver says of all its memory.
ALONE = "*TheDriverReports*"
# gcc 12's LeakSanitizer takes a plugin's thread-local memory at some addresses for that of an old glibc and dies on it;
# where it does not follow that memory by itself, it comes to it by glibc's own table.
SANITIZERS = {"ASAN_OPTIONS": "intercept_tls_get_addr=0"}
# Under the emulator: whatever computes, in a few minutes; differences need thousands of launches.
EMULATED_TESTS = "Ops/OpCases*:Golden*:*RandomProgram*:*Fused*:Threads*:SideBySide*-*GradientAgreesWithDifferences*"


def count(report):
    """(passed, failed, skipped) of one GoogleTest JSON report."""
    tests = [test for suite in report["testsuites"] for test in suite["testsuite"]]
    ran = [test for test in tests if test["status"] == "RUN"]
    failed = sum("failures" in test for test in ran)
    skipped = sum(test["result"] == "SKIPPED" for test in ran)
    return len(ran) - failed - skipped, failed, skipped


def run_shard(program, test_filter, index, shards, prefix, variables, excuse=None):
    """Runs one shard; one that dies without a report counts as one failure. excuse: whether what was printed makes an
    exit status no failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = prefix + [str(program), "--gtest_brief=1", f"--gtest_output=json:{report}"]
        if test_filter:
            command.append(f"--gtest_filter={test_filter}")
        env = dict(SANITIZERS | os.environ | variables, GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(index))
        try:
            done = subprocess.run(command, cwd=ROOT, env=env, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=SHARD_TIMEOUT_S)
        except subprocess.TimeoutExpired as late:
            return (0, 1, 0), f"{program}: no end after {late.timeout} s\n{late.output or ''}"
        counts = count(json.loads(report.read_text())) if report.exists() else (0, 0, 0)
    excused = excuse and excuse(done.stdout)
    if done.returncode and not counts[1] and not excused:
        counts = (max(counts[0] - 1, 0), 1, counts[2])  # a leak or race found after the tests
        return counts, f"{done.stdout}\n{program}: exit status {done.returncode}"
    return counts, done.stdout if counts[1] else ""


def run_programs(programs, test_filter, jobs, variables=None):
    """Counts over the shards of all programs; prints the output of what failed."""
    prefix = fixed_addresses()
    with ThreadPoolExecutor(jobs) as pool:
        shards = [pool.submit(run_shard, program, test_filter, index, jobs * SHARDS_A_JOB, prefix, variables or {})
                  for program in programs for index in range(jobs * SHARDS_A_JOB)]
        results = [shard.result() for shard in shards]
    for _, output in results:
        if output:
            print(output)
    return [sum(column) for column in zip(*(counts for counts, _ in results))] or [0, 0, 0]


def programs_of(build):
    return [build / name for name in (build / "test_programs.txt").read_text().split()]


def gpu_name(host, variables):
    """The first GPU that the program sees with a plugin; None: it sees none."""
    asking = {**os.environ, **variables, "STOKER_DEVICE": "/cpu:0"}
    shown = subprocess.run([host / "stoker", "devices"], env=asking,
                           cwd=ROOT, text=True, capture_output=True).stdout
    found = re.search(r"^/physical_device:GPU:0 +(.+)$", shown, re.MULTILINE)
    return found and found.group(1)


@contextlib.contextmanager
def cuda_variables(build):
    """The environment of programs that compute on the first GPU, with that build's plugin."""
    with tempfile.TemporaryDirectory() as folder:  # nothing but the plugin, whatever else was built
        plugin = "libstoker_cuda.so"
        (pathlib.Path(folder) / plugin).symlink_to(build / plugin)
        yield {"STOKER_BACKEND_PATH": folder, "STOKER_CACHE_DIR": str(build / "kernels"),
               "NVIDIA_TF32_OVERRIDE": "0",  # float32's tolerances are not TF32's
               "STOKER_DEVICE": "/gpu:0"}


def run_cuda(host, build, jobs):
    """The CUDA plugin's own tests, then the others on the GPU or an emulated one."""
    own = run_programs([p for p in programs_of(build) if "cuda" in p.name], "", jobs,
                       {"STOKER_CACHE_DIR": str(build / "kernels")})
    with cuda_variables(build) as variables:
        gpu = gpu_name(host, variables)
        if gpu:
            print(f"== CUDA: built and run on {gpu}")
        else:
            print("== CUDA: built, not run (no GPU); its own kernels run emulated")
            variables["STOKER_CUDA_LIBRARIES"] = str(build / "emulator")
        # Real Keras's cases are too many for an emulator.
        programs = [host / "stoker_tests"] + ([host / "differential_tests"] if gpu else [])
        whole = run_programs(programs, f"-{ALONE}" if gpu else EMULATED_TESTS, jobs, variables)
        alone = run_programs(programs[:1], ALONE, 1, variables) if gpu else [0, 0, 0]
    return [sum(column) for column in zip(own, whole, alone)]


def fuzz(build, seconds, jobs):
    results = run_fuzzers.run_all(build, seconds, jobs)
    failed = sum(not clean for _, clean, _ in results)
    return [len(results) - failed, failed, 0]


def run_python_tests(folder):
    loader = unittest.TestLoader()
    suite = loader.discover(str(folder), pattern="*_test.py", top_level_dir=str(folder))
    result = unittest.TextTestRunner(verbosity=0, stream=open(os.devnull, "w")).run(suite)
    bad = result.failures + result.errors
    for _, trace in bad:
        print(trace)
    return [result.testsRun - len(bad) - len(result.skipped), len(bad), len(result.skipped)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cuda", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--fuzz", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--fuzz-seconds", type=int, default=60)
    parser.add_argument("builds", nargs="+")
    args = parser.parse_args()

    runs = [("tools", lambda: run_python_tests(ROOT / "tools")),
            ("the program", lambda: run_python_tests(ROOT / "tests" / "cli"))]
    for spec in args.builds:
        build, _, test_filter = spec.partition("=")
        runs.append((build, lambda b=ROOT / build, f=test_filter:
                     run_programs(programs_of(b), f, args.jobs)))
    if args.cuda:
        host = ROOT / args.builds[0].partition("=")[0]
        runs.append((args.cuda, lambda: run_cuda(host, ROOT / args.cuda, args.jobs)))
    if args.fuzz:
        runs.append((f"{args.fuzz}, {args.fuzz_seconds} s for each fuzzer",
                     lambda: fuzz(ROOT / args.fuzz, args.fuzz_seconds, args.jobs)))
    passed = failed = 0
    for name, run in runs:
        counts = run()
        print("== tests of {}: {} passed, {} failed, {} skipped".format(name, *counts), flush=True)
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
