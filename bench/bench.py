#!/usr/bin/env python3
"""Microseconds a training step: Stoker and its peers, case by case in one run, with ratios, floors and start-up."""
import argparse
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import cases
import environment
import processes
import report
from processes import Failed


@dataclass(frozen=True)
class Peer:
    name: str
    framework: str
    script: str
    arguments: tuple = ()
    settings: dict = field(default_factory=dict)
    startup: bool = False


PEERS = [
    Peer("keras-tensorflow", "tensorflow", "keras_peer.py", settings={"KERAS_BACKEND": "tensorflow"}, startup=True),
    Peer("keras-tensorflow-spe8", "tensorflow", "keras_peer.py", ("--steps-per-execution", 8),
         {"KERAS_BACKEND": "tensorflow"}),
    Peer("keras-jax", "jax", "keras_peer.py", settings={"KERAS_BACKEND": "jax"}),
    Peer("torch-eager", "torch", "torch_peer.py", startup=True),
    Peer("torch-compile", "torch", "torch_peer.py", ("--mode", "compile")),
]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    names = ", ".join(peer.name for peer in PEERS)
    parser.add_argument("--only", default="", help="cases to run, like mlp128,cnn28:1024")
    parser.add_argument("--skip-peers", action="store_true", help="measure Stoker alone")
    parser.add_argument("--peer", default="", help=f"peers to run, of {names}")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of a peer, of which the median counts")
    parser.add_argument("--json", type=Path, default=environment.ROOT / "build" / "bench.json")
    return parser.parse_args()


def chosen_peers(args):
    if args.skip_peers:
        return []
    wanted = split(args.peer)
    for name in wanted:
        if name not in [peer.name for peer in PEERS]:
            raise SystemExit(f"unknown peer {name}; the peers are {', '.join(peer.name for peer in PEERS)}")
    return [peer for peer in PEERS if not wanted or peer.name in wanted]


def split(text):
    return [word for word in text.split(",") if word]


def attempt(notes, who, measure):
    """The measurement, or None and a note: omissions always have a reason."""
    try:
        return measure()
    except Failed as problem:
        print(f"  {who}: {problem}", flush=True)
        notes.append(f"{who}: {problem}")
        return None


def measure_case(case, peers, repeat, notes):
    """One row: ours first, then every peer, each in a process of its own."""
    place = ["--case", case.name, "--batch", case.batch]
    ours = attempt(notes, f"stoker, {case.label}", lambda: processes.stoker("--device", "cpu", *place))
    row = report.Row(case, report.Time.of(ours))
    print(f"{case.label}: stoker {report.text(row.ours)}", flush=True)
    for peer in peers:
        arguments = ["--cases", case.key, "--repeat", repeat, *peer.arguments]
        result = attempt(notes, f"{peer.name}, {case.label}",
                         lambda: processes.peer(peer.script, arguments, peer.settings))
        row.peers[peer.name] = report.Time.of(result)
        print(f"{case.label}: {peer.name} {report.text(row.peers[peer.name])}", flush=True)
    return row


def measure_startup(peers, notes):
    """Process start to first step done, and peak memory, of mlp128."""
    found = {"stoker": attempt(notes, "stoker, start-up", lambda: processes.stoker("--startup"))}
    for peer in peers:
        if peer.startup:
            found[peer.name] = attempt(notes, f"{peer.name}, start-up",
                                       lambda: processes.peer(peer.script, ["--startup"], peer.settings))
    return found


def write_json(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w") as file:
        json.dump([row.as_json() for row in rows], file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    print(f"\nwritten to {path}")


def main():
    args = parse_arguments()
    measured = cases.select(split(args.only))
    peers, notes = chosen_peers(args), []
    versions = environment.prepare(sorted({peer.framework for peer in peers})) if peers else {}
    report.print_setting(versions, processes.CORES)
    missing = [peer.name for peer in peers if not versions[peer.framework]]
    peers = [peer for peer in peers if versions[peer.framework]]

    floors = attempt(notes, "stoker, floors", lambda: processes.stoker("--floors"))
    rows = [measure_case(case, peers, args.repeat, notes) for case in measured]
    for row in rows:
        row.peers.update({name: None for name in missing})
    startup = measure_startup(peers, notes)

    startup.update({peer.name: None for peer in PEERS if peer.startup and peer.name in missing})
    columns = [peer.name for peer in peers] + missing
    report.print_table(rows, columns, missing, floors)
    report.print_floors(rows, floors)
    report.print_startup(startup, missing)
    report.print_notes(notes)
    write_json(args.json, rows)


if __name__ == "__main__":
    main()
