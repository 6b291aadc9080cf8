#!/usr/bin/env python3
"""compile_kernels.py BUILD: compiles every file of backends/cuda/kernels with nvcc, for compute capability 8.0 and 9.0.

The constants of each come from a test's program: BUILD/backend_cuda_tests writes one that uses the file. A program that was compiled before and
whose files are unchanged is not compiled again."""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "backends" / "cuda" / "kernels"
ARCHITECTURES = {"80": "sm_80", "90": "sm_90a"}  # Hopper's own instructions are in its "a" variant


def find_nvcc():
    found = subprocess.run([str(ROOT / "tools" / "find_cuda.sh")], capture_output=True, text=True, check=False).stdout.strip()
    return pathlib.Path(found) / "bin" / "nvcc" if found else None


def write_programs(build, folder):
    """One program for each kernel file, and the architectures it is for."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(build / "backend_cuda_tests"), "--gtest_brief=1", "--gtest_filter=KernelFiles.EveryOneIsInAProgramThatIsCompiled"]
    subprocess.run(command, env=os.environ | {"STOKER_KERNEL_PROGRAMS": str(folder)}, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*/**/*.cu"))


def included(path, done):
    """The texts of a file and of all that it includes, each once."""
    if path in done:
        return ""
    done.add(path)
    text = path.read_text()
    return text + "".join(included(KERNELS / name, done) for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE))


def compile_program(nvcc, version, program, folder):
    """nvcc's messages; empty: it compiles."""
    architecture = ARCHITECTURES[program.relative_to(folder).parts[0]]
    command = [str(nvcc), "-cubin", f"-arch={architecture}", "-std=c++17", "--expt-relaxed-constexpr", "-Wno-deprecated-gpu-targets",
               "-DSTOKER_MULTIPROCESSORS=132", f"-I{KERNELS}", "-o", os.devnull, str(program)]
    key = hashlib.sha256((version + " ".join(command[1:5]) + included(program, set())).encode()).hexdigest()
    stamp = folder.parent / "kernel_stamps" / key
    if stamp.exists():
        return ""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
        return ""
    return ran.stdout + ran.stderr


def compile_all(build, jobs):
    """(compiled, failed, skipped) of all programs."""
    nvcc = find_nvcc()
    if not nvcc or not (build / "backend_cuda_tests").exists():
        return [0, 0, 1]
    version = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True, check=True).stdout
    folder = build / "kernel_programs"
    programs = write_programs(build, folder)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for said in pool.map(lambda program: compile_program(nvcc, version, program, folder), programs):
            if said:
                print(said)
                failed += 1
    return [len(programs) - failed, failed, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("build", type=pathlib.Path)
    args = parser.parse_args()
    compiled, failed, skipped = compile_all(args.build.resolve(), args.jobs)
    print("skipped: no nvcc, or no CUDA backend" if skipped else f"{compiled} programs compile, {failed} do not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
