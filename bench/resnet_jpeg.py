#!/usr/bin/env python3
"""ResNet-50 in bfloat16 on a GPU, trained from JPEG files: Stoker's fit over an image folder and PyTorch compiled with its
DataLoader on the same files, each compared with its own rate on data in GPU memory.

resnet_jpeg.py [--files N] [--batch B] [--seconds S] [--skip-torch] [--json FILE]
The GPU's busy share is CUPTI's (build/bench/libgpu_busy.so), traced in the runs that are timed."""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from environment import ROOT, last_line

PYTHON = os.environ.get("STOKER_BENCH_PYTHON", sys.executable)
BUILD = ROOT / "build"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=10, help="of PyTorch's steps that are timed")
    parser.add_argument("--skip-torch", action="store_true")
    parser.add_argument("--json", type=Path, default=BUILD / "bench-resnet-jpeg.json")
    return parser.parse_args()


def run(command, traced=False):
    """A program's JSON from stdout and, if it is traced, CUPTI's share from stderr; or {"error": why}."""
    settings = {"CUDA_INJECTION64_PATH": str(BUILD / "bench" / "libgpu_busy.so")} if traced else {}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ, **settings},
                          cwd=ROOT)
    if done.returncode:
        return {"error": last_line(done.stderr)}
    found = {}
    for line in (done.stdout + done.stderr).splitlines():
        if line.startswith("{"):
            found.update(json.loads(line))
    return found


def stoker(args, *more):
    return run([BUILD / "stoker", "bench", "--device", "cuda", "--case", "resnet50", "--batch", args.batch, "--precision",
                "mixed_bfloat16", "--alone", "--unchecked", "--json", *more], traced=True)


def torch(args, folder):
    if args.skip_torch:
        return {"error": "left out"}
    if not importlib.util.find_spec("torch"):
        return {"error": "missing: torch"}
    if not importlib.util.find_spec("PIL") and not importlib.util.find_spec("torchvision"):
        return {"error": "missing: neither Pillow nor torchvision is there to decode JPEG files"}
    return run([PYTHON, ROOT / "bench" / "peers" / "torch_images_peer.py", folder, args.batch, args.seconds,
                os.cpu_count()], traced=True)


def measure(args, folder):
    made = run([BUILD / "bench" / "photographs", folder, args.files])
    if "error" in made:
        raise SystemExit(f"the JPEG files could not be made: {made['error']}")
    resident = stoker(args)
    if "us" in resident:
        resident["images_per_second"] = args.batch / resident["us"] * 1e6
    return {"resident": resident, "files": stoker(args, "--images", folder),
            "pipeline alone": run([BUILD / "bench" / "input", "images", folder, 3]), "torch": torch(args, folder)}


def text(found, key="images_per_second"):
    if "error" in found:
        return found["error"]
    busy = found.get("gpu_busy")
    return f"{found.get(key, 0):>8,.0f} images/s" + (f", GPU busy {busy:.1%}" if busy and key == "images_per_second" else "")


def main():
    args = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(args, folder)
    ours, files, peer = found["resident"], found["files"], found["torch"]
    print(f"Stoker, data on the GPU        {text(ours)}")
    print(f"Stoker, from JPEG files        {text(files)}")
    if "error" not in ours and "error" not in files:
        print(f"  of resident                  {files['images_per_second'] / ours['images_per_second']:.3f}")
    print(f"Stoker's pipeline alone        {text(found['pipeline alone'], 'per_s')}")
    print(f"PyTorch, from JPEG files       {text(peer)}")
    for key in ("resident", "loader_alone") if "error" not in peer else ():
        print(f"  {key.replace('_', ' '):<29}{text(peer, key)}")
    if files.get("account"):
        print(files["account"])
    args.json.write_text(json.dumps(found, indent=2) + "\n")
    print(f"written to {args.json}")


if __name__ == "__main__":
    main()
