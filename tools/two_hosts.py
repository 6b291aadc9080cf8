#!/usr/bin/env python3
"""Two "hosts" on one machine: network namespaces with a link between them that delays and loses packets, a rank on each.

    sudo tools/two_hosts.py [build/stoker]

Trains a small recipe there by mpirun, compares it with one process, then simulates failures: a rank is killed or
stopped, the link goes down, the disk of rank 0 is full, a rank starts late. Prints a table of the time from the fault
to the end, and of the message. Needs root, ip (iproute2), /dev/net/tun and Open MPI. Not a part of `make test`."""
import ctypes
import fcntl
import heapq
import json
import os
import pathlib
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "stoker"
MARK = f"STOKER_TWO_HOSTS_{os.getpid()}"
HOSTS = {"10.77.0.1": "stoker-a", "10.77.0.2": "stoker-b"}
TIMEOUT_S = 5
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "STOKER_NUM_THREADS": "1",
               "STOKER_DEVICE": "/cpu:0", "STOKER_DISTRIBUTION_TIMEOUT": str(TIMEOUT_S), MARK: "1"}
# mpirun calls this instead of ssh. Every host has its own name.
AGENT = """#!/bin/sh
host=$1; shift
case $host in 10.77.0.1) name=stoker-a;; *) name=stoker-b;; esac
exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"
"""
RECIPE = """\
seed = 3
[data.train]
x = "x.npy"
y = "y.npy"
[model]
layers = [{class_name = "Input", shape = [32]}, {class_name = "Dense", units = 64, activation = "relu"},
  {class_name = "Dropout", rate = 0.2}, {class_name = "Dense", units = 3, activation = "softmax"}]
[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]
[fit]
epochs = %d
batch_size = 50
"""


def shell(*words, check=True):
    return subprocess.run(list(map(str, words)), check=check, capture_output=True, text=True)


class Link:
    """Carries the packets of the two hosts' TUN devices, as tc's netem does where a kernel has it."""

    def __init__(self):
        self.delay_s, self.loss = 0.0, 0.0
        self.ends = [tun_of(name) for name in HOSTS.values()]
        for address, name in HOSTS.items():
            shell("ip", "-n", name, "address", "add", f"{address}/24", "dev", "stoker0")
            self.switch(name, "up")
            shell("ip", "-n", name, "link", "set", "lo", "up")
        threading.Thread(target=self.carry, daemon=True).start()

    def switch(self, name, state):
        shell("ip", "-n", name, "link", "set", "stoker0", state)

    def carry(self):
        under_way, count = [], 0  # (when it arrives, its number, where, packet)
        while True:
            wait = max(0, under_way[0][0] - time.monotonic()) if under_way else 1
            for end in select.select(self.ends, [], [], wait)[0]:
                packet, count = os.read(end, 65536), count + 1
                if random.random() >= self.loss:
                    other = self.ends[1 - self.ends.index(end)]
                    heapq.heappush(under_way, (time.monotonic() + self.delay_s, count, other, packet))
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, end, packet = heapq.heappop(under_way)
                try:
                    os.write(end, packet)
                except OSError:
                    pass  # the device is down


def tun_of(name):
    """A TUN device in that namespace, whose packets are read and written here."""
    set_interface, no_header, new_network = 0x400454ca, 0x1001, 0x40000000
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as here, open(f"/run/netns/{name}") as there:
        if libc.setns(there.fileno(), new_network) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        try:
            end = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(end, set_interface, struct.pack("16sH22x", b"stoker0", no_header))
        finally:
            libc.setns(here.fileno(), new_network)
    return end


def make_hosts():
    remove_hosts()
    for name in HOSTS.values():
        shell("ip", "netns", "add", name)
    return Link()


def kill_all():
    for name in HOSTS.values():
        for process in shell("ip", "netns", "pids", name, check=False).stdout.split():
            os.kill(int(process), signal.SIGKILL)


def remove_hosts():
    for name in HOSTS.values():
        shell("ip", "netns", "delete", name, check=False)


def write_data(folder):
    draw = random.Random(1)
    labels = [draw.randrange(3) for _ in range(330)]
    x = [draw.gauss(2.0 * (i % 3 == label), 1) for label in labels for i in range(32)]

    def npy(values, shape, kind, code):
        header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)

    (folder / "x.npy").write_bytes(npy(x, (330, 32), "<f4", "f"))
    (folder / "y.npy").write_bytes(npy(labels, (330,), "<i8", "q"))
    (folder / "agent.sh").write_text(AGENT)
    (folder / "agent.sh").chmod(0o755)


class Training:
    """mpirun in the first namespace, a rank on each host."""

    def __init__(self, folder, epochs, out="out", before="", *options):
        (folder / "recipe.toml").write_text(RECIPE % epochs)
        words = ["ip", "netns", "exec", "stoker-a", "unshare", "--uts", "sh", "-c", 'hostname stoker-a; exec "$@"', "sh",
                 "mpirun", "--host", "10.77.0.1:1,10.77.0.2:1", "-n", 2, "--mca", "plm", "rsh", "--mca", "plm_rsh_agent",
                 folder / "agent.sh", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.0.0/24",
                 "--mca", "oob_tcp_if_include", "10.77.0.0/24", "-x", MARK,
                 *(word for name in ENVIRONMENT if name.startswith("STOKER") and name != MARK for word in ("-x", name)),
                 "sh", "-c", f'{before} exec "$@"', "sh", PROGRAM, "train", "recipe.toml", "--quiet", "--out", out, *options]
        self.out = folder / out
        self.process = subprocess.Popen(list(map(str, words)), cwd=folder, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env={**os.environ, **ENVIRONMENT}, start_new_session=True)

    def wait_for(self, name):
        while self.process.poll() is None and not list(self.out.parent.glob(name)):
            time.sleep(0.02)

    def rank(self, number):
        for _ in range(500):
            for place in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    variables = (place / "environ").read_bytes().split(b"\0")
                    program = os.readlink(place / "exe")
                except OSError:
                    continue
                if program == str(PROGRAM.resolve()) and f"{MARK}=1".encode() in variables \
                        and f"OMPI_COMM_WORLD_RANK={number}".encode() in variables:
                    return int(place.name)
            time.sleep(0.02)
        raise SystemExit(f"rank {number} did not start:\n{self.end()[1]}")

    def end(self):
        """(status, output)."""
        try:
            output, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            kill_all()
            output, _ = self.process.communicate()
            output += "\n(still running after 60 s)"
        return self.process.returncode, output


def history(folder):
    return json.loads((folder / "history.json").read_text())


def largest_difference(one, other):
    return max(abs(a - b) for name in one for a, b in zip(one[name], other[name]))


def said(output):
    """The first message that a user reads."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wanted = [line for line in lines if (line.startswith("stoker: ") and "processes, as" not in line) or "exited on signal" in line
              or line.startswith("error")]
    return (wanted or lines[-1:] or ["(nothing)"])[0]


def report(fault, status, seconds, text):
    print(f"| {fault} | {status} | {seconds:.1f} s | {text} |", flush=True)


def equal_to_one_process(folder, link, delay_ms, loss):
    (folder / "recipe.toml").write_text(RECIPE % 3)
    shell("env", *(f"{k}={v}" for k, v in ENVIRONMENT.items()), "sh", "-c", f'cd {folder} && "$0" train recipe.toml --quiet --out one', PROGRAM)
    link.delay_s, link.loss = delay_ms / 1000, loss
    begin = time.monotonic()
    status, output = Training(folder, 3, "both").end()
    took = time.monotonic() - begin
    difference = largest_difference(history(folder / "one"), history(folder / "both")) if status == 0 else output
    report(f"none; {delay_ms} ms delay, {100 * loss:g} % loss", status, took, f"largest difference to one process: {difference}")


def with_fault(folder, name, fault, *options, wait="kept/*.safetensors", out="faulty"):
    shutil.rmtree(folder / "kept", ignore_errors=True)
    training = Training(folder, 1000000, out, "", "--checkpoint", "kept", *options)
    training.wait_for(wait)
    begin = fault(training) or time.monotonic()
    status, output = training.end()
    report(name, status, time.monotonic() - begin, said(output))
    return output


def kill(training, number, which):
    os.kill(training.rank(number), which)


def while_writing(training):
    """Rank 1 dies while a file of rank 0 is half written."""
    rank = training.rank(1)
    while training.process.poll() is None and not list(training.out.parent.glob("kept/*tmp*")):
        pass
    os.kill(rank, signal.SIGKILL)


def resumes(folder):
    """Resumes with one process from the ranks' checkpoint."""
    (folder / "recipe.toml").write_text(RECIPE % 1000000)
    done = subprocess.run(["timeout", "-s", "TERM", "3", PROGRAM, "train", "recipe.toml", "--out", "after", "--checkpoint", "kept", "--resume"],
                          cwd=folder, text=True, capture_output=True, env={**os.environ, **ENVIRONMENT})
    text = done.stdout + done.stderr
    found = [line for line in text.splitlines() if "esum" in line or "goes on" in line or line.startswith("Epoch")]
    return (found or text.splitlines()[-1:] or [""])[0]


def full_disk(folder):
    small = folder / "small"
    small.mkdir()
    shell("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small)
    try:
        (small / "filler").write_bytes(b"x" * 40000)
        begin = time.monotonic()
        status, output = Training(folder, 20, "small/out").end()
        report("rank 0's disk is full", status, time.monotonic() - begin, said(output))
    finally:
        shell("umount", small)


def late_start(folder):
    begin = time.monotonic()
    status, output = Training(folder, 3, "late", f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then sleep {2 * TIMEOUT_S}; fi;').end()
    report(f"rank 1 starts {2 * TIMEOUT_S} s late (limit {TIMEOUT_S} s)", status, time.monotonic() - begin, said(output))


def main():
    global PROGRAM
    if len(sys.argv) > 1:
        PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0:
        raise SystemExit("two_hosts.py: needs root for network namespaces.")
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        link = make_hosts()
        write_data(folder)
        print("| fault | status | ended after | said |\n|---|---|---|---|", flush=True)
        equal_to_one_process(folder, link, 0, 0)
        equal_to_one_process(folder, link, 2, 0.01)
        link.delay_s, link.loss = 0.0005, 0.001
        with_fault(folder, "rank 1 is killed", lambda t: kill(t, 1, signal.SIGKILL))
        with_fault(folder, "rank 0 is killed", lambda t: kill(t, 0, signal.SIGKILL))
        with_fault(folder, "rank 1 is killed while rank 0 writes a checkpoint", while_writing)
        print(f"  resumed with one process: {resumes(folder)}", flush=True)
        with_fault(folder, f"rank 1 is stopped (limit {TIMEOUT_S} s)", lambda t: kill(t, 1, signal.SIGSTOP))
        full_disk(folder)
        late_start(folder)
        with_fault(folder, f"the link goes down (limit {TIMEOUT_S} s)", lambda _: link.switch("stoker-b", "down"))
    finally:
        remove_hosts()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
