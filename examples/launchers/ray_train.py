#!/usr/bin/env python3
"""Starts a training on the machines of a Ray cluster:

    python ray_train.py -n 4 -- build/stoker train recipe.toml

Ray lists the machines, reserves their cores for the training and starts the processes: for mpirun, which the first
actor runs, an actor on each machine replaces ssh. MPI connects the processes to a group. Program and data must be at
the same place on all machines."""
import argparse
import os
import shlex
import subprocess
import sys

import ray

NAMESPACE = "stoker"


@ray.remote
class Machine:
    """Runs commands on its machine."""

    def run(self, command, folder, variables):
        return subprocess.run(command, shell=isinstance(command, str), cwd=folder, env={**os.environ, **variables}).returncode


def name_of(address):
    return f"machine {address}"


def addresses():
    return sorted(node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"])


def slots_of(machines, processes):
    """[(address, processes there)], in numbers as equal as possible; machines without any are left out."""
    each = [processes * (i + 1) // len(machines) - processes * i // len(machines) for i in range(len(machines))]
    return [(machine, count) for machine, count in zip(machines, each) if count > 0]


def mpirun(slots, command):
    agent = f"{sys.executable} {os.path.abspath(__file__)} --agent"
    hosts = ",".join(f"{machine}:{count}" for machine, count in slots)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "-n", str(sum(count for _, count in slots)), "--host", hosts, "--bind-to", "none",
            "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, *command]


def train(processes, command, cores):
    ray.init(address="auto", namespace=NAMESPACE, log_to_driver=True)
    slots = slots_of(addresses(), processes)
    machines = [Machine.options(name=name_of(machine), num_cpus=cores * count, resources={f"node:{machine}": 0.001}).remote()
                for machine, count in slots]
    return ray.get(machines[0].run.remote(mpirun(slots, command), os.getcwd(), {"STOKER_NUM_THREADS": str(cores)}))


def agent(machine, words):
    """As `ssh MACHINE WORDS…`, for mpirun."""
    ray.init(address="auto", namespace=NAMESPACE, log_to_driver=False, logging_level="error")
    try:
        return ray.get(ray.get_actor(name_of(machine)).run.remote(" ".join(words), os.getcwd(), {}))
    except ray.exceptions.ActorDiedError:  # mpirun has ended, and with it the training
        return 0


def main(arguments):
    if arguments[:1] == ["--agent"]:
        return agent(arguments[1], arguments[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--processes", type=int, required=True)
    parser.add_argument("--cores", type=int, default=1, help="of each process")
    parser.add_argument("command", nargs="+", help="after --")
    options = parser.parse_args(arguments)
    print(f"on Ray: {shlex.join(options.command)}", flush=True)
    return train(options.processes, options.command, options.cores)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
