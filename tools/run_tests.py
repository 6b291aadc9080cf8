#!/usr/bin/env python3
"""Runs the test programs of build folders in parallel shards and prints a summary.

run_tests.py [--jobs N] [--cuda] [--tsan BUILD] [--fuzz BUILD [--fuzz-seconds S]] BUILD...
The first build is the release build, the others have sanitizers. The last line is `N passed, N failed` alone. The tests of
the tools themselves, of the benchmarks' scripts and of the program (tests/cli, on build/stoker) count too; all these compute on
the CPU. --cuda: then the first build's tests on the GPU, or if there is none a part of them on an emulated one. --tsan: then
the tests that started threads in the first build, in a build with ThreadSanitizer, which is made once they are known.
--fuzz: that build's fuzzers, each one test.
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
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import compile_kernels
import run_fuzzers
import thread_tests
from fixed_addresses import fixed_addresses

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARD_TIMEOUT_S = 1800
SHARDS_A_JOB = 8  # small ones, so that the last ones do not delay the end
VISIBLE = "CUDA_VISIBLE_DEVICES"
# On a GPU these run alone: they compare with the driver's figures for all of its memory.
ALONE = "*TheDriverReports*"
# gcc 12's sanitizers crash on a plugin's thread-local memory at some addresses, which they take for an old glibc's. If
# LeakSanitizer does not follow that memory itself, it reaches it through glibc's own table; ThreadSanitizer sees its allocation.
# ASan would spend most of its time on the stacks of allocations, and on fresh pages for the memory that it keeps after free.
SANITIZERS = {"TSAN_OPTIONS": "intercept_tls_get_addr=0",
              "ASAN_OPTIONS": "intercept_tls_get_addr=0:malloc_context_size=8:quarantine_size_mb=32"}
# Tests that only the release build runs: half of the random models, files that the fuzzers cover, gradients compared with
# finite differences, which run each kernel some hundred times with other values, and searches for a memory plan, which are
# arithmetic on sizes.
SANITIZED_TESTS = ("-*RandomModels*/seed_1??:Formats/FuzzSmoke.*:*GradientAgreesWithDifferences*:GradientCheck.*:"
                   "RecomputeTest.AutoDoesSo*:MemoryPlan.NoLiveValueIsOverwritten*")
# Under the emulator: all tests that compute, in a few minutes; finite differences need thousands of launches.
EMULATED_TESTS = ("Ops/*OpCases*:Golden*:*RandomProgram*:*Fused*:Threads*:SideBySide*:CudaMemory*:DeviceProfile*:RecordOfAFit.TimesTheCalls*:BackupAndRestore*:"
                  "LossScale.SkipsOverflowing*:LossScale.AFixedFactor*"
                  "-*GradientAgreesWithDifferences*:*RandomPrograms*/1??:SideBySide.EachHasItsOwnAccount")


def count(report):
    """(passed, failed, skipped) of one GoogleTest JSON report."""
    tests = [test for suite in report["testsuites"] for test in suite["testsuite"]]
    ran = [test for test in tests if test["status"] == "RUN"]
    failed = sum("failures" in test for test in ran)
    skipped = sum(test["result"] == "SKIPPED" for test in ran)
    return len(ran) - failed - skipped, failed, skipped


def run_shard(program, test_filter, index, shards, prefix, variables, excuse=None, found=None):
    """Runs one shard; one that dies without a report counts as one failure. excuse: whether what was printed makes an
    exit status no failure. found: a set that gets the tests that start threads."""
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
        told = json.loads(report.read_text()) if report.exists() else {"testsuites": []}
    counts = count(told)
    if found is not None:
        found |= thread_tests.found_in(told)
    excused = excuse and excuse(done.stdout)
    if done.returncode and not counts[1] and not excused:
        counts = (max(counts[0] - 1, 0), 1, counts[2])  # a leak or race found after the tests
        return counts, f"{done.stdout}\n{program}: exit status {done.returncode}"
    return counts, done.stdout if counts[1] else ""


def sums(*counts):
    return [sum(column) for column in zip(*counts)]


def run_programs(programs, test_filter, jobs, variables=None, found=None):
    """Counts over the shards of all programs; prints the output of failed ones. found: as for run_shard."""
    prefix = fixed_addresses()
    with ThreadPoolExecutor(jobs) as pool:
        shards = [pool.submit(run_shard, program, test_filter, index, jobs * SHARDS_A_JOB, prefix, variables or {},
                              found=found)
                  for program in programs for index in range(jobs * SHARDS_A_JOB)]
        results = [shard.result() for shard in shards]
    for _, output in results:
        if output:
            print(output)
    return sums(*(counts for counts, _ in results)) or [0, 0, 0]


def programs_of(build, cuda=False):
    """The CUDA backend's own test programs, or the others."""
    names = (build / "test_programs.txt").read_text().split()
    return [build / name for name in names if ("cuda" in name) == cuda]


def gpu_name(build, variables):
    """The first GPU that the program sees; None: it sees none."""
    asking = {**os.environ, **variables, "STOKER_DEVICE": "/cpu:0"}
    shown = subprocess.run([build / "stoker", "devices"], env=asking,
                           cwd=ROOT, text=True, capture_output=True).stdout
    found = re.search(r"^/physical_device:GPU:0 +(.+)$", shown, re.MULTILINE)
    return found and found.group(1)


def cuda_variables(build):
    """The environment of programs that compute on the first GPU."""
    return {"STOKER_CACHE_DIR": str(build / "kernels"),
            "NVIDIA_TF32_OVERRIDE": "0",  # float32's tolerances are not TF32's
            "STOKER_DEVICE": "/gpu:0"}


def on_emulator(build, variables):
    """The same environment with the build's emulated GPU."""
    return variables | {"STOKER_CUDA_LIBRARIES": str(build / "emulator"),
                        "STOKER_CUDA_KEEP_BLOCKS": "0"}  # so that a wrong address belongs to no allocation


def run_own_cuda(build, test_filter, jobs, cache, found=None):
    return run_programs(programs_of(build, cuda=True), test_filter, jobs, {"STOKER_CACHE_DIR": str(cache)}, found)


def run_cuda(build, jobs, found):
    """The CUDA plugin's own tests, then the others on the GPU or an emulated one."""
    own = run_own_cuda(build, "", jobs, build / "kernels", found)
    variables = cuda_variables(build)
    gpu = gpu_name(build, variables)
    if gpu:
        print(f"== CUDA: built and run on {gpu}")
    else:
        print("== CUDA: built, not run (no GPU); its own kernels run emulated")
        variables = on_emulator(build, variables)
    # The differential cases are too many for an emulator.
    programs = [build / "stoker_tests"] + ([build / "differential_tests"] if gpu else [])
    whole = run_programs(programs, f"-{ALONE}" if gpu else EMULATED_TESTS, jobs, variables)
    alone = run_programs(programs[:1], ALONE, 1, variables) if gpu else [0, 0, 0]
    return sums(own, whole, alone)


def run_tsan(build, release, jobs, cuda, found):
    """Builds the programs with tests that start threads with ThreadSanitizer, and runs these tests; with CUDA on the emulated GPU, too."""
    if not found:
        print("no test of the release build started a thread: tests/support/thread_watch.cpp sees nothing")
        return [0, 1, 0]
    thread_tests.write_note(found)
    print(f"== build: TSan, for {len(found)} tests that start threads", flush=True)
    if subprocess.run(["cmake", "--build", build, f"-j{jobs}", "--target", "tests"], cwd=ROOT).returncode:
        return [0, 1, 0]
    named = ":".join(sorted(test for _, test in found))
    counts = run_programs(programs_of(build), named, jobs)
    if cuda:
        emulated = run_programs([build / "stoker_tests"], named, jobs, on_emulator(build, cuda_variables(release)))
        counts = sums(counts, run_own_cuda(build, named, jobs, release / "kernels"), emulated)
    return counts


def fuzz(build, seconds, jobs):
    results = run_fuzzers.run_all(build, seconds, jobs)
    failed = sum(not clean for _, clean, _ in results)
    return [len(results) - failed, failed, 0]


@contextlib.contextmanager
def hidden_gpus():
    """The CUDA plugin is in the programs' folder; tests on the CPU must not see a GPU."""
    before = os.environ.get(VISIBLE)
    os.environ[VISIBLE] = "-1"
    yield
    if before is None:
        del os.environ[VISIBLE]
    else:
        os.environ[VISIBLE] = before


def hidden(run):
    def run_without_gpus():
        with hidden_gpus():
            return run()
    return run_without_gpus


def run_python_tests(folder):
    loader = unittest.TestLoader()
    suite = loader.discover(str(folder), pattern="*_test.py", top_level_dir=str(folder))
    result = unittest.TextTestRunner(verbosity=0, stream=open(os.devnull, "w")).run(suite)
    bad = result.failures + result.errors
    for _, trace in bad:
        print(trace)
    for reason in sorted({reason for _, reason in result.skipped}):
        print(f"skipped: {reason}")
    return [result.testsRun - len(bad) - len(result.skipped), len(bad), len(result.skipped)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--tsan", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--fuzz", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--fuzz-seconds", type=int, default=60)
    parser.add_argument("builds", nargs="+")
    args = parser.parse_args()

    runs = [("tools", lambda: run_python_tests(ROOT / "tools")),
            ("the benchmarks", lambda: run_python_tests(ROOT / "bench")),
            ("the program", lambda: run_python_tests(ROOT / "tests" / "cli"))]
    runs.append(("kernels by nvcc", lambda: compile_kernels.compile_all(ROOT / args.builds[0], args.jobs)))
    found = set()  # the release build's tests that start threads
    for build, tests in zip(args.builds, [""] + [SANITIZED_TESTS] * len(args.builds)):
        runs.append((build, lambda b=ROOT / build, t=tests: run_programs(programs_of(b), t, args.jobs, found=found)))
    runs = [(name, hidden(run)) for name, run in runs]
    release = ROOT / args.builds[0]
    if args.cuda:
        runs.append((f"{args.builds[0]} with CUDA", lambda: run_cuda(release, args.jobs, found)))
    if args.tsan:
        runs.append((f"{args.tsan}, those that start threads",
                     hidden(lambda: run_tsan(ROOT / args.tsan, release, args.jobs, args.cuda, found))))
    if args.fuzz:
        runs.append((f"{args.fuzz}, {args.fuzz_seconds} s for each fuzzer",
                     lambda: fuzz(ROOT / args.fuzz, args.fuzz_seconds, args.jobs)))
    passed = failed = 0
    for name, run in runs:
        begin = time.monotonic()
        counts = run()
        print("== tests of {}: {} passed, {} failed, {} skipped, {:.0f} s".format(name, *counts, time.monotonic() - begin),
              flush=True)
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
