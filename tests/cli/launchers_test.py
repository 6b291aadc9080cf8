"""The files of examples/launchers: what they start, observed by fakes of srun, mpirun and Ray."""
import importlib.util
import os
import subprocess
import sys
import types
import unittest
from unittest import mock

from program import PROGRAM, ROOT, ProgramTest

try:
    import yaml
except ImportError:
    yaml = None

LAUNCHERS = ROOT / "examples" / "launchers"
TRAINING = ["stoker", "train", "recipe.toml", "--checkpoint", "checkpoints", "--resume"]


class Launchers(ProgramTest):
    def stand_in(self, name, begin=""):
        """A program that records its process, its threads and its arguments."""
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\n{begin}\nprintf "%s\\n" {name} $$ "$STOKER_NUM_THREADS" "$@" > "{self.folder}/started"\n')
        path.chmod(0o755)

    def start(self, *command, **environment):
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, text=True, stderr=subprocess.PIPE,
                                   env={**os.environ, "STOKER_DEVICE": "/cpu:0", "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                                        **environment})
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, errors)
        return process.pid

    def started(self):
        return (self.folder / "started").read_text().splitlines()


class Slurm(Launchers):
    def submit(self, types_of_mpi):
        self.stand_in("srun", f'[ "$1" = --mpi=list ] && {{ echo "MPI plugin types are: {types_of_mpi}" >&2; exit 0; }}')
        self.stand_in("mpirun")
        pid = self.start("sh", LAUNCHERS / "slurm.sbatch", "recipe.toml", "--epochs", 3, SLURM_JOB_NAME="job", SLURM_CPUS_PER_TASK="6",
                         STOKER="/opt/stoker")
        name, own, threads, *words = self.started()
        # The signal before the time limit is sent to the batch script's process alone: srun or mpirun has to be that process.
        self.assertEqual((int(own), threads), (pid, "6"))
        return [name, *words]

    def test_every_task_is_a_rank(self):
        training = ["/opt/stoker", "train", "recipe.toml", "--epochs", "3", "--checkpoint", "checkpoints/job", "--resume"]
        self.assertEqual(self.submit("none pmi2 pmix"), ["srun", "--mpi=pmix", *training])
        self.assertEqual(self.submit("none pmi2"), ["mpirun", "--bind-to", "none", *training])

    def test_signal_before_the_time_limit(self):
        self.assertIn("\n#SBATCH --signal=B:USR1@", (LAUNCHERS / "slurm.sbatch").read_text())


@unittest.skipIf(yaml is None, "no PyYAML here: the Kubernetes files are not read")
class Kubernetes(Launchers):
    def load(self, name):
        job = yaml.safe_load((LAUNCHERS / name).read_text())
        return job["apiVersion"], job["kind"], job["spec"]

    def pod(self, template):
        """The only container of a pod; checks that all of its volumes exist."""
        container, = template["spec"]["containers"]
        volumes = {volume["name"] for volume in template["spec"]["volumes"]}
        self.assertLessEqual({mount["name"] for mount in container.get("volumeMounts", [])}, volumes)
        return container

    def run_training(self, words):
        """Checks that the program accepts this command."""
        self.assertEqual(words[0], "stoker")
        self.start(PROGRAM, *words[1:])

    def test_one_pod(self):
        version, kind, spec = self.load("job.yaml")
        self.assertEqual((version, kind), ("batch/v1", "Job"))
        container = self.pod(spec["template"])
        self.assertIn("/dev/shm", [mount["mountPath"] for mount in container["volumeMounts"]])  # Open MPI's messages
        self.stand_in("mpirun")
        self.run_training(container["command"])
        words = self.started()[3:]
        self.assertEqual(words[:2], ["-n", "4"])
        self.assertEqual(words[words.index(str(PROGRAM)):], [str(PROGRAM), *container["command"][1:]])

    def test_mpi_operator(self):
        version, kind, spec = self.load("mpijob.yaml")
        self.assertEqual((version, kind), ("kubeflow.org/v2beta1", "MPIJob"))
        launcher, worker = (spec["mpiReplicaSpecs"][role] for role in ("Launcher", "Worker"))
        command = self.pod(launcher["template"])["command"]
        self.pod(worker["template"])
        self.assertEqual((launcher["replicas"], command[:3]), (1, ["mpirun", "-n", str(worker["replicas"] * spec["slotsPerWorker"])]))
        self.assertEqual(self.pod(launcher["template"])["args"], TRAINING)
        self.run_training(TRAINING)

    def test_training_operator(self):
        version, kind, spec = self.load("pytorchjob.yaml")
        self.assertEqual((version, kind), ("kubeflow.org/v1", "PyTorchJob"))
        master, worker = (spec["pytorchReplicaSpecs"][role] for role in ("Master", "Worker"))
        self.assertEqual(master["replicas"], 1)
        self.assertEqual(master["template"], worker["template"])
        container = self.pod(master["template"])
        self.assertEqual((container["name"], container["command"]), ("pytorch", TRAINING))  # the operator looks for that name
        self.assertEqual(container["resources"]["limits"]["nvidia.com/gpu"], "1")


def ray_train(machines=()):
    """The script, with a fake Ray that has these machines and records what they run."""
    ran = []

    class Handle:
        def __init__(self, name, options):
            self.run = types.SimpleNamespace(remote=lambda *arguments: ran.append((name, *arguments)) or 7)
            self.options = options

    class Remote:
        def options(self, **options):
            return types.SimpleNamespace(remote=lambda: Handle(options["name"], options))

    ray = types.ModuleType("ray")
    ray.remote = lambda _: Remote()
    ray.init = lambda **_: None
    ray.nodes = lambda: [{"NodeManagerAddress": machine, "Alive": alive} for machine, alive in machines]
    ray.get = lambda value: value
    ray.get_actor = lambda name: Handle(name, {})
    ray.exceptions = types.SimpleNamespace(ActorDiedError=KeyError)
    spec = importlib.util.spec_from_file_location("ray_train", LAUNCHERS / "ray_train.py")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, ray=ray):
        spec.loader.exec_module(module)
    return module, ran


class Ray(unittest.TestCase):
    def test_processes_of_machines(self):
        module, _ = ray_train()
        self.assertEqual(module.slots_of(["a", "b"], 4), [("a", 2), ("b", 2)])
        self.assertEqual(sorted(count for _, count in module.slots_of(["a", "b", "c"], 4)), [1, 1, 2])
        self.assertEqual(module.slots_of(["a", "b", "c"], 1), [("c", 1)])

    def test_mpirun_reaches_machines_by_ray(self):
        module, ran = ray_train([("10.0.0.2", True), ("10.0.0.1", True), ("10.0.0.3", False)])
        self.assertEqual(module.main(["-n", "4", "--cores", "3", "--", "stoker", "train", "recipe.toml"]), 7)
        (machine, words, folder, variables), = ran
        self.assertEqual((machine, folder, variables), ("machine 10.0.0.1", os.getcwd(), {"STOKER_NUM_THREADS": "3"}))
        self.assertEqual(words[-3:], ["stoker", "train", "recipe.toml"])
        self.assertEqual(words[words.index("-n") + 1], "4")
        self.assertEqual(words[words.index("--host") + 1], "10.0.0.1:2,10.0.0.2:2")
        self.assertEqual(words[words.index("plm_rsh_agent") + 1], f"{sys.executable} {LAUNCHERS / 'ray_train.py'} --agent")

    def test_the_agent_runs_what_mpirun_gives_ssh(self):
        module, ran = ray_train()
        self.assertEqual(module.main(["--agent", "10.0.0.2", "orted", "-mca", "x", "1"]), 7)
        self.assertEqual(ran, [("machine 10.0.0.2", "orted -mca x 1", os.getcwd(), {})])


if __name__ == "__main__":
    unittest.main()
