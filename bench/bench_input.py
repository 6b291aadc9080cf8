"""Input pipelines: Stoker and its peers, on the same cores; make bench-input.

bench_input.py [--only images,samples,records] [--repeat N] [--seconds S] [--json PATH]
Programs run one at a time, alternately, so that noise affects all of them alike; the median counts.
"""
import argparse
import json
import statistics
from pathlib import Path

import environment
import input_files
import processes
from processes import Failed

PROGRAM = environment.ROOT / "build" / "bench" / "input"
# name -> script, frameworks that it needs
PEERS = {"tf.data": ("input_tfdata.py", ["tensorflow"]), "torch DataLoader": ("input_torch.py", ["torch", "torchvision"]),
         "grain": ("input_grain.py", ["grain", "pillow"]), "SPDL": ("input_spdl.py", ["spdl", "pillow"]),
         "DALI": ("input_dali.py", ["dali"])}
# name -> what it is, who makes its data, who has such a source
CASES = {
    "images": ("JPEG 500x375, random resized crop 224, flip, normalise, batch 64", input_files.images, list(PEERS)),
    "samples": ("samples of 784 bytes in memory, shuffle, batch 32", lambda: None,
                ["tf.data", "torch DataLoader", "grain", "SPDL"]),
    "records": ("TFRecords of 100 bytes, batch 256", input_files.records, ["tf.data"]),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(CASES), help="cases")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--json", type=Path, default=environment.ROOT / "build" / "bench-input.json")
    return parser.parse_args()


def installed(notes):
    """The peers that can be measured; the others are noted with the reason."""
    versions = environment.prepare(sorted({name for _, needs in PEERS.values() for name in needs}))
    for peer, (_, needs) in PEERS.items():
        absent = [name for name in needs if not versions[name]]
        if absent:
            notes.append(f"{peer}: missing, {', '.join(absent)} could not be installed")
    return {peer for peer, (_, needs) in PEERS.items() if all(versions[name] for name in needs)}


def command_of(who, case, data, seconds):
    if who == "stoker":
        return [PROGRAM, case, *([data] if data else []), seconds]
    return [environment.PYTHON, processes.PEERS / PEERS[who][0], case, data or "-", seconds, processes.THREADS]


def measure(case, there, args, notes):
    """who -> samples per second, or None with a note."""
    _, make, sources = CASES[case]
    try:
        data, rates = make(), {}
    except Failed as problem:
        notes.append(f"{case}: {problem}")
        return dict.fromkeys(["stoker", *sources])
    programs = ["stoker", *(peer for peer in sources if peer in there)]
    for _ in range(args.repeat):
        for who in list(programs):
            try:
                rates.setdefault(who, []).append(processes.run(command_of(who, case, data, args.seconds))["per_s"])
            except Failed as problem:
                notes.append(f"{who}, {case}: {problem}")
                programs.remove(who)
            print(".", end="", flush=True)
    print(f" {case}", flush=True)
    return {who: statistics.median(rates[who]) if who in programs else None for who in ["stoker", *sources]}


def as_json(case, rates):
    ours, peers = rates["stoker"], {who: rate for who, rate in rates.items() if who != "stoker"}
    known = [rate for rate in peers.values() if rate]
    return {"case": case, "cores": processes.THREADS, "stoker_per_s": ours, "peers": peers,
            "ratio_to_best": ours / max(known) if ours and known else None}


def print_table(rows):
    for row in rows:
        print(f"\n{CASES[row['case']][0]}; {row['cores']} cores, samples per second")
        for who, rate in [("stoker", row["stoker_per_s"]), *row["peers"].items()]:
            ours = row["stoker_per_s"]
            ratio = f"  stoker is {ours / rate:.2f} times as fast" if who != "stoker" and rate and ours else ""
            print(f"  {who:<17}{f'{rate:,.0f}' if rate else 'missing':>12}{ratio}")


def main():
    args, notes = parse_arguments(), []
    there = installed(notes)
    rows = [as_json(case, measure(case, there, args, notes)) for case in args.only.split(",")]
    print_table(rows)
    print("".join(f"\n{note}" for note in notes))
    temporary = args.json.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=2) + "\n")
    temporary.replace(args.json)
    print(f"\nwritten to {args.json}")


if __name__ == "__main__":
    main()
