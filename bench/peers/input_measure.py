"""The common part of the peers of bench_input.py: CASE DATA SECONDS THREADS, one JSON line at the end."""
import json
import os
import sys
import time
from pathlib import Path

SIDE, IMAGE_BATCH, SAMPLE_BATCH, RECORD_BATCH = 224, 64, 32, 256
SAMPLES, SAMPLE_BYTES = 60000, 784
MEAN, STDDEV = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
AREA, ASPECT = (0.08, 1.0), (3 / 4, 4 / 3)


def rate(batches, seconds):
    """Samples in a second, of batches without end; the first tenth of the time is not counted."""
    begin = counted_from = time.perf_counter()
    samples = 0
    for batch in batches:
        samples += len(batch)
        now = time.perf_counter()
        if now - begin < seconds / 10:
            samples, counted_from = 0, now
        if now - begin >= seconds * 1.1:
            return samples / (now - counted_from)
    raise SystemExit("the batches ended")


def files_of(folder):
    return sorted(str(path) for path in Path(folder).rglob("*.jpg"))


def endless(make):
    while True:
        yield from make()


def main(cases):
    """cases: name -> function of (data, threads) that gives batches without end."""
    case, data, seconds, threads = sys.argv[1:]
    if case not in cases:
        raise SystemExit(f"has no such source, only {', '.join(cases)}")
    print(json.dumps({"per_s": rate(cases[case](data, int(threads)), float(seconds))}), flush=True)
    os._exit(0)  # some peers' threads take their time
