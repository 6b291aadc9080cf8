"""Runs one measured program on a fixed pair of cores and reads the JSON line it prints."""
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from environment import PYTHON, ROOT, last_line

THREADS = 2
LIMIT_S = 900
STOKER = ROOT / "build" / "stoker"
PEERS = Path(__file__).resolve().parent / "peers"


class Failed(Exception):
    """A measured program produced no result; the message contains the reason."""


def distinct_cores(count):
    """CPUs on different physical cores, as far as the kernel tells; two threads of one core are not two cores."""
    allowed, chosen = sorted(os.sched_getaffinity(0)), {}
    for cpu in allowed:
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        try:
            core = tuple((topology / name).read_text() for name in ("physical_package_id", "core_id"))
        except OSError:
            core = cpu
        chosen.setdefault(core, cpu)
    return set((list(chosen.values()) if len(chosen) >= count else allowed)[:count])


CORES = distinct_cores(THREADS)


def run(command, **settings):
    """The program's last line as JSON, with `first_line_s` and `peak_rss_mb` as seen from outside."""
    limits = {"OMP_NUM_THREADS": str(THREADS), "STOKER_NUM_THREADS": str(THREADS), "CUDA_VISIBLE_DEVICES": ""}
    output, seen = watch(command, {**limits, **settings}, CORES)
    return {**read_json(last_line(output)), **seen}


def run_on_gpu(command, settings):
    """Every line of the program's that is JSON; all cores and the GPU are its own."""
    output, _ = watch(command, settings, None)
    return [read_json(line) for line in output.splitlines() if line.startswith("{")]


def watch(command, settings, cores):
    """Output of a program that must succeed, and what was seen of it from outside."""
    pin = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    with tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        child = subprocess.Popen(["timeout", str(LIMIT_S), *map(str, command)], stdout=subprocess.PIPE, stderr=errors,
                                 text=True, env={**os.environ, **settings}, preexec_fn=pin)
        first = child.stdout.readline()
        first_line_s = time.perf_counter() - start
        output = first + child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        check(child.returncode, errors.read() or output)
    return output, {"first_line_s": first_line_s, "peak_rss_mb": usage.ru_maxrss / 1024}


def check(status, message):
    if status == 124:
        raise Failed(f"gave up after {LIMIT_S} s")
    if status:
        raise Failed(last_line(message))


def read_json(line):
    try:
        return json.loads(line)
    except ValueError:
        raise Failed(f"printed no JSON but: {line}") from None


def stoker(*arguments):
    if not STOKER.exists():
        raise Failed(f"{STOKER.relative_to(ROOT)} is not built")
    return run([STOKER, "bench", *arguments, "--json"])


def peer(script, arguments, settings):
    return run([PYTHON, PEERS / script, "--threads", THREADS, *arguments], **settings)
