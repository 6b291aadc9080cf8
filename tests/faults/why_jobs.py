#!/usr/bin/env python3
"""Small PyTorch and JAX programs, each slow for a planted cause, and the answer of `stoker why PID` to each.

why_jobs.py [--python PYTHON] [--program build/stoker] [--seconds 6] [--out build/why_jobs.json] [--samples FOLDER] [JOB...]
Each job runs alone, on the first GPU, until it has been watched. Prints a table {job, planted, named} and writes it as JSON. A job
whose framework or GPU is not there is skipped, with the reason. Exit status 1: fewer than eight in ten of those that ran were named.
"""
import argparse
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

TORCH = """
import math, os, sys, time
import torch
from torch import nn
if not torch.cuda.is_available():
    sys.exit("SKIP: torch.cuda.is_available() is False")
device = torch.device("cuda:0")

def cores():
    count = len(os.sched_getaffinity(0))
    try:
        quota, period = open("/sys/fs/cgroup/cpu.max").read().split()
        count = min(count, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return count

def mlp(width=128, inputs=784):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)).to(device)

def forever(step):
    for i in range(10**9):
        step()
        if i == 20:
            torch.cuda.synchronize()
            print("ready", flush=True)

def slow_sample(loops):
    total = 0.0
    for i in range(loops):
        total += math.sqrt(i) * 1e-9
    return total

class SlowData(torch.utils.data.Dataset):
    def __init__(self, loops):
        self.loops = loops
    def __len__(self):
        return 10**7
    def __getitem__(self, i):
        return torch.full((784,), slow_sample(self.loops)), i % 10

def train_on(loader, model=None):
    model = model or mlp(1024)
    optimizer = torch.optim.Adam(model.parameters())
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
        if i == 3:
            torch.cuda.synchronize()
            print("ready", flush=True)
"""

JAX = """
import math, os, sys, time
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
"""

# name → (causes that count as named, the first is the planted one; program)
JOBS = {
    "torch_loader_starved": (["input_cpu"], TORCH + """
if __name__ == "__main__":
    train_on(torch.utils.data.DataLoader(SlowData(60_000), batch_size=64, num_workers=cores(), prefetch_factor=2))
"""),
    "torch_one_worker": (["few_workers"], TORCH + """
if __name__ == "__main__":
    train_on(torch.utils.data.DataLoader(SlowData(10_000), batch_size=64, num_workers=1))
"""),
    "torch_python_loop": (["one_thread"], TORCH + """
model, x, y = mlp(), torch.randn(32, 784, device=device), torch.randint(0, 10, (32,), device=device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def step():
    slow_sample(20_000)   # bookkeeping in Python, in the loop
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
forever(step)
"""),
    "torch_batch_1": (["small_kernels", "one_thread"], TORCH + """
layers = [nn.Conv2d(3, 64, 3, padding=1)]
for _ in range(16):
    layers += [nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1)]
model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).to(device)
x, y = torch.randn(1, 3, 32, 32, device=device), torch.zeros(1, dtype=torch.long, device=device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def step():
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
forever(step)
"""),
    "torch_item_every_step": (["one_thread"], TORCH + """
model, x, y = mlp(), torch.randn(32, 784, device=device), torch.randint(0, 10, (32,), device=device)
optimizer = torch.optim.Adam(model.parameters())
losses = []
def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    del losses[:-100]
forever(step)
"""),
    "torch_second_process": (["shared"], TORCH + """
import multiprocessing
def work(tell):
    a = torch.randn(4096, 4096, device=device)
    for i in range(10**9):
        b = a @ a
        if i % 50 == 0:
            torch.cuda.synchronize()
        if i == 100 and tell:
            print("ready", flush=True)
if __name__ == "__main__":
    import subprocess
    if len(sys.argv) > 1:
        work(False)
    # Not a descendant: started outside this program's process tree.
    other = subprocess.run(["sh", "-c", f"{sys.executable} {__file__} other >/dev/null 2>&1 & echo $!"], capture_output=True, text=True)
    print("other", other.stdout.strip(), flush=True)
    time.sleep(8)
    work(True)
"""),
    "torch_pageable_copies": (["copies"], TORCH + """
x = torch.randn(64 * 1024 * 1024)   # 256 MB in pageable memory
scale = torch.ones((), device=device)
def step():
    (x.to(device) * scale).sum()
forever(step)
"""),
    "torch_well_fed": (["busy"], TORCH + """
a = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
def step():
    for _ in range(20):
        torch.mm(a, a)
    torch.cuda.synchronize()
forever(step)
"""),
    "jax_tiny_kernels": (["one_thread", "small_kernels"], JAX + """
import jax, jax.numpy as jnp
if jax.default_backend() != "gpu":
    sys.exit(f"SKIP: JAX computes on {jax.default_backend()}")
x = jnp.ones((32, 32))
for i in range(10**9):
    x = jnp.tanh(x) * 0.5 + 0.1
    if i == 200:
        x.block_until_ready()
        print("ready", flush=True)
"""),
    "jax_input_bound": (["few_workers"], JAX + """
import multiprocessing
def produce(queue):
    import numpy
    while True:
        total = 0.0
        for i in range(300_000):
            total += math.sqrt(i)
        queue.put(numpy.full((256, 784), total, numpy.float32))
if __name__ == "__main__":
    queue = multiprocessing.get_context("fork").Queue(4)
    worker = multiprocessing.get_context("fork").Process(target=produce, args=(queue,), daemon=True)
    worker.start()   # before JAX starts its threads
    import jax, jax.numpy as jnp
    if jax.default_backend() != "gpu":
        worker.terminate()
        sys.exit(f"SKIP: JAX computes on {jax.default_backend()}")
    weights = jnp.ones((784, 784))
    step = jax.jit(lambda w, x: w + 1e-9 * (x @ w).mean())
    for i in range(10**9):
        weights = step(weights, queue.get())
        if i == 10:
            weights.block_until_ready()
            print("ready", flush=True)
"""),
}


class Job:
    """One program of JOBS, in its own process group."""

    def __init__(self, python, source, folder):
        script = pathlib.Path(folder) / "job.py"
        script.write_text(source)
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([python, str(script)], stdout=subprocess.PIPE, stderr=self.errors, text=True, start_new_session=True)
        self.other = None

    def wait_ready(self, seconds):
        """None: it runs; else why not."""
        deadline = time.time() + seconds
        while time.time() < deadline:
            if not select.select([self.process.stdout], [], [], 0.5)[0]:
                continue
            line = self.process.stdout.readline().strip()
            if line == "ready":
                return None
            if line.startswith("other "):
                self.other = int(line.split()[1])
            if not line and self.process.poll() is not None:
                self.errors.seek(0)
                told = self.errors.read().strip().splitlines() or [f"exit status {self.process.returncode}"]
                return told[-1]
        return f"not ready after {seconds} s"

    def end(self):
        for pid in [self.process.pid, *([self.other] if self.other else [])]:
            try:
                os.killpg(os.getpgid(pid), signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()


def watch(arguments, name):
    planted, source = JOBS[name]
    with tempfile.TemporaryDirectory() as folder:
        job = Job(arguments.python, source, folder)
        try:
            failed = job.wait_ready(arguments.ready_seconds)
            if failed:
                return {"job": name, "planted": planted, "named": None, "skipped": failed}
            time.sleep(2)  # past the start
            command = [arguments.program, "why", str(job.process.pid), "--seconds", str(arguments.seconds), "--json"]
            if arguments.samples:
                pathlib.Path(arguments.samples).mkdir(parents=True, exist_ok=True)
                command += ["--record", str(pathlib.Path(arguments.samples) / f"{name}.json")]
            told = subprocess.run(command, capture_output=True, text=True)
        finally:
            job.end()
    answer = json.loads(told.stdout or '{"error": "no answer"}')
    if "causes" not in answer:
        return {"job": name, "planted": planted, "named": None, "error": answer.get("error", told.stderr)}
    first = answer["causes"][0]
    return {"job": name, "planted": planted, "named": first["cause"], "right": first["cause"] in planted,
            "also": [cause["cause"] for cause in answer["causes"][1:]], "sentence": first["sentence"],
            "at_most": first["at_most"], "notes": answer["notes"], "figures": answer["figures"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; default: all")
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch and JAX")
    parser.add_argument("--program", default=os.environ.get("STOKER_PROGRAM", str(ROOT / "build" / "stoker")))
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--ready-seconds", type=float, default=120, help="how long a job may take to start")
    parser.add_argument("--out", default=str(ROOT / "build" / "why_jobs.json"))
    parser.add_argument("--samples", help="a folder for the samples of each job")
    arguments = parser.parse_args()
    unknown = [job for job in arguments.jobs if job not in JOBS]
    if unknown:
        parser.error(f"there is no job {unknown[0]}; there are {', '.join(JOBS)}")
    results = []
    print(f"{'job':24} {'planted':16} {'named first':16}")
    for name in arguments.jobs or JOBS:
        result = watch(arguments, name)
        results.append(result)
        told = result["named"] or f"skipped: {result.get('skipped') or result.get('error')}"
        print(f"{name:24} {result['planted'][0]:16} {told:16} {'' if result.get('right', True) else 'WRONG: ' + result['sentence']}", flush=True)
        pathlib.Path(arguments.out).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(arguments.out).write_text(json.dumps(results, indent=1) + "\n")
    ran = [result for result in results if result["named"]]
    right = sum(result["right"] for result in ran)
    print(f"{right} of {len(ran)} causes named first, {len(results) - len(ran)} skipped; {arguments.out}")
    return 1 if not ran or right < 0.8 * len(ran) else 0


if __name__ == "__main__":
    sys.exit(main())
