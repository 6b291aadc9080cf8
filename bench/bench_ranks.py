#!/usr/bin/env python3
"""One process with all threads compared with several processes that share them: python3 bench/bench_ranks.py [--processes 2] [--repeat 5]

Steps of the same global batch, measured alternately; the median of the ratios of consecutive runs counts, so that other
load on the machine affects both alike. Then a sum over all ranks compared with MPI's own (bench/all_reduce.cpp)."""
import argparse
import os
import shutil
import statistics

from environment import ROOT
from processes import STOKER, Failed, read_json, watch

CASES = [("mlp1024x3", 1024), ("cnn28", 1024)]
GOAL = 0.85
MPIRUN = ["mpirun", "--bind-to", "none", "--oversubscribe"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def microseconds(case, batch, processes, threads):
    launcher = [*MPIRUN, "-n", processes] if processes > 1 else []
    command = [*launcher, STOKER, "bench", "--device", "cpu", "--case", case, "--batch", batch, "--json"]
    output, _ = watch(command, {"STOKER_NUM_THREADS": str(threads), "CUDA_VISIBLE_DEVICES": "", **AS_ROOT}, None)
    return read_json(next(line for line in output.splitlines() if line.startswith("{")))["us"]


def compare(case, batch, processes, cores, repeat):
    pairs = [(microseconds(case, batch, 1, cores), microseconds(case, batch, processes, cores // processes)) for _ in range(repeat)]
    ratio = statistics.median(one / several for one, several in pairs)
    one, several = (statistics.median(column) for column in zip(*pairs))
    print(f"{case} b{batch}: 1 process, {cores} threads {one:.0f} us; {processes} processes, {cores // processes} threads each "
          f"{several:.0f} us; speed {ratio:.3f} of one process (goal {GOAL})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--cores", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if not shutil.which("mpirun"):
        raise SystemExit("bench_ranks.py: there is no mpirun (Debian: apt-get install openmpi-bin).")
    try:
        for case, batch in CASES:
            compare(case, batch, options.processes, options.cores, options.repeat)
        output, _ = watch([*MPIRUN, "-n", options.processes, ROOT / "build" / "bench" / "all_reduce", 100000], AS_ROOT, None)
        print(output.strip())
    except Failed as failed:
        raise SystemExit(f"bench_ranks.py: {failed}") from None


if __name__ == "__main__":
    main()
