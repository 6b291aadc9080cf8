#!/usr/bin/env python3
"""Microseconds a training step on a GPU: Stoker's fit compared with PyTorch, JAX and Keras, in one run.

The peers run under the Python that runs this (or STOKER_BENCH_PYTHON), each once for all cases; what it cannot import is
reported missing. PyTorch and JAX run the bare step on batches in GPU memory; Stoker and Keras run fit."""
import argparse
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import bench
import cases
import environment
import processes
import report

PYTHON = os.environ.get("STOKER_BENCH_PYTHON", sys.executable)


@dataclass(frozen=True)
class Peer:
    name: str
    modules: tuple
    script: str
    mode: str = ""
    settings: dict = field(default_factory=dict)


PEERS = [
    Peer("torch-eager", ("torch",), "torch_cuda_peer.py", "eager"),
    Peer("torch-compile", ("torch",), "torch_cuda_peer.py", "compile"),
    Peer("torch-graph", ("torch",), "torch_cuda_peer.py", "graph"),
    Peer("jax-jit", ("jax",), "jax_cuda_peer.py", "jit"),
    Peer("jax-scan", ("jax",), "jax_cuda_peer.py", "scan"),
    Peer("keras-jax", ("jax", "keras"), "keras_peer.py",
         settings={"KERAS_BACKEND": "jax", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}),
]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases to run, like mlp128,cnn128:256:bf16")
    parser.add_argument("--peer", default="", help=f"peers to run, of {', '.join(peer.name for peer in PEERS)}")
    parser.add_argument("--skip-peers", action="store_true", help="measure Stoker alone")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of a peer, of which the median counts")
    parser.add_argument("--stoker", type=Path, default=environment.ROOT / "build" / "stoker")
    parser.add_argument("--json", type=Path, default=environment.ROOT / "build" / "bench_cuda.json")
    return parser.parse_args()


def chosen_peers(args):
    wanted = bench.split(args.peer)
    for name in wanted:
        if name not in [peer.name for peer in PEERS]:
            raise SystemExit(f"unknown peer {name}; the peers are {', '.join(peer.name for peer in PEERS)}")
    return [] if args.skip_peers else [peer for peer in PEERS if not wanted or peer.name in wanted]


def version_of(modules):
    """Versions of the packages that a peer needs, or None if one of them cannot be imported."""
    text = f"import {', '.join(modules)}; print(', '.join(f'{{m.__name__}} {{m.__version__}}' for m in [{', '.join(modules)}]))"
    done = subprocess.run([PYTHON, "-c", text], capture_output=True, text=True,
                          env={**os.environ, "KERAS_BACKEND": "jax", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
    return environment.last_line(done.stdout) if done.returncode == 0 else None


def measure_ours(stoker, case, notes):
    precision = ["--precision", "mixed_bfloat16"] if case.precision == "bf16" else []
    command = [stoker, "bench", "--device", "cuda", "--case", case.name, "--batch", case.batch, "--json", *precision]
    found = bench.attempt(notes, f"stoker, {case.label}", lambda: processes.run_on_gpu(command, {}))
    time = report.Time.of(found[-1]) if found else None
    print(f"{case.label}: stoker {report.text(time)}", flush=True)
    return report.Row(case, time, device="cuda")


def measure_peer(peer, rows, repeat, notes):
    mode = ["--mode", peer.mode] if peer.mode else []
    command = [PYTHON, processes.PEERS / peer.script, "--device", "cuda", "--repeat", repeat, *mode,
               "--cases", ",".join(row.case.key for row in rows)]
    found = bench.attempt(notes, peer.name, lambda: processes.run_on_gpu(command, peer.settings)) or []
    results = {result["case"]: result for result in found}
    for row in rows:
        result = results.get(row.case.key, {"error": "no result"})
        if "error" in result:
            notes.append(f"{peer.name}, {row.case.label}: {result['error']}")
        row.peers[peer.name] = report.Time.of(result) if "us" in result else None
        print(f"{row.case.label}: {peer.name} {report.text(row.peers[peer.name])}", flush=True)


def main():
    args = parse_arguments()
    measured = cases.select(bench.split(args.only), cases.CUDA_CASES)
    peers, notes = chosen_peers(args), []
    versions = {peer.name: version_of(peer.modules) for peer in peers}
    for modules in dict.fromkeys(versions.values()):
        print(f"  {modules}")
    missing = [name for name, version in versions.items() if not version]
    rows = [measure_ours(args.stoker, case, notes) for case in measured]
    for peer in peers:
        if peer.name not in missing:
            measure_peer(peer, rows, args.repeat, notes)
    report.print_table(rows, [peer.name for peer in peers], missing, None)
    report.print_notes(notes)
    bench.write_json(args.json, rows)


if __name__ == "__main__":
    main()
