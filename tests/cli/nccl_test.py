"""Two ranks on the emulated GPU whose captured steps reduce by an emulated NCCL: the history and the weights of one process."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

from distribution_test import ADAM, ARRAYS, DENSE, PLAIN, RECIPE, floats_of
from program import PROGRAM, ROOT, ProgramTest

EMULATOR = PROGRAM.parent / "emulator"
MISSING = None if (EMULATOR / "libnccl.so.2").exists() else "the CUDA backend is not built"
NO_MPI = None if shutil.which("mpirun") and (ROOT / "build" / "libstoker_mpi.so").exists() else "no MPI here"
ENVIRONMENT = {"STOKER_CUDA_LIBRARIES": str(EMULATOR), "STOKER_CACHE_DIR": str(EMULATOR / "cache"), "STOKER_DEVICE": "/gpu:0",
               "NVIDIA_TF32_OVERRIDE": "0", "STOKER_NUM_THREADS": "1", "STOKER_DISTRIBUTION_TIMEOUT": "100",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "NCCL_MULTI_RANK_GPU_ENABLE": "1"}
# 64 samples in batches of 20 leave 4; three epochs are graphs of one and of two steps.
TRAINING = (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace(ARRAYS, ARRAYS.split("[data.validation]")[0])
IN_STEPS = "sums over ranks are a part of the recorded steps, by NCCL 2.30.0"
BY_HOST = "sums over ranks go through the host's memory, between pieces of a step: "


@unittest.skipIf(MISSING, MISSING)
class Nccl(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("recipe.toml", TRAINING)

    def start(self, folder, *launcher, **environment):
        command = [*launcher, PROGRAM, "train", "recipe.toml", "--quiet", "--out", folder]
        return subprocess.Popen(list(map(str, command)), cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, **ENVIRONMENT, **environment})

    def finish(self, *processes):
        """Their output."""
        said = [process.communicate(timeout=600)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * len(processes), said)
        return "".join(said)

    def results(self, folder):
        history = json.loads((self.folder / folder / "history.json").read_text())
        return [value for values in history.values() for value in values] + list(floats_of(self.folder / folder / "last.safetensors"))

    def assert_as_alone(self, folder):
        self.finish(self.start("alone"))
        alone, together = self.results("alone"), self.results(folder)
        self.assertEqual(len(alone), len(together))
        self.assertLess(max(abs(a - b) for a, b in zip(alone, together)), 1e-5)

    @unittest.skipIf(NO_MPI, NO_MPI)
    def test_two_ranks_of_mpi(self):
        said = self.finish(self.start("out", "mpirun", "-n", 2, "--oversubscribe", "--bind-to", "none"))
        self.assertIn(IN_STEPS, said)
        self.assertNotIn("runs \"all_reduce\"", said)
        self.assert_as_alone("out")

    def test_two_ranks_without_mpi(self):
        both = [self.start("out", STOKER_NCCL_ID_FILE="id", RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank))
                for rank in range(2)]
        said = self.finish(*both)
        self.assertIn("2 processes, as RANK and WORLD_SIZE say, by NCCL 2.30.0 and a file", said)
        self.assertIn(IN_STEPS, said)
        self.assert_as_alone("out")
        self.assertFalse([name for name in self.files() if name.startswith("id")])

    def start_by_address(self, port, **environment):
        return [self.start("out", RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                           **environment) for rank in range(2)]

    def free_port(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            return other.getsockname()[1]

    def compile_kernels(self):
        """Two ranks find all kernels of the training in the cache: one that compiled would be late for longer than a short limit."""
        self.finish(*self.start_by_address(self.free_port()))
        shutil.rmtree(self.folder / "out")

    def test_two_ranks_of_a_launcher_that_names_an_address(self):
        port = self.free_port()
        said = self.finish(*self.start_by_address(port))
        self.assertIn(f"2 processes, as RANK and WORLD_SIZE say, by NCCL 2.30.0 and 127.0.0.1:{port}", said)
        self.assertIn(IN_STEPS, said)
        self.assert_as_alone("out")

    def test_processes_of_train_without_mpirun(self):
        tools = self.folder / "tools"  # of the emulator's compiler
        tools.mkdir()
        for name in ("as", "ld"):
            (tools / name).symlink_to(shutil.which(name))
        done = self.run_program("train", "recipe.toml", "--quiet", "--out", "out", "--processes", 2, **ENVIRONMENT, PATH=str(tools))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 processes, as RANK and WORLD_SIZE say, by NCCL 2.30.0 and 127.0.0.1:", done.stderr)
        self.assertIn(IN_STEPS, done.stderr)
        self.assert_as_alone("out")

    def test_a_port_that_another_program_has(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            first, second = self.start_by_address(other.getsockname()[1], STOKER_DISTRIBUTION_TIMEOUT="5")
            other.settimeout(600)
            connection, _ = other.accept()
            connection.close()
            said = [process.communicate(timeout=600)[1] for process in (first, second)]
        self.assertEqual([first.returncode, second.returncode], [1, 1], said)
        self.assertIn("Another program uses the port; MASTER_PORT can name another one", said[0])
        self.assertIn("did not answer rank 1", said[1])

    def test_a_rank_that_hangs(self):
        """Rank 0 waits in a sum inside a step, or for a message between them: neither has its own time limit."""
        self.compile_kernels()
        self.write("recipe.toml", TRAINING.replace("epochs = 3", "epochs = 100000000"))
        first, second = self.start_by_address(self.free_port(), STOKER_DISTRIBUTION_TIMEOUT="6")
        while not (self.folder / "out" / "log.csv").exists() and first.poll() is None:
            time.sleep(0.05)
        os.kill(second.pid, signal.SIGSTOP)
        said = first.communicate(timeout=600)[1]
        second.kill()
        second.communicate()
        self.assertEqual(first.returncode, 1)
        self.assertRegex(said, "stoker: rank 0 on host .* in step [0-9]+: no answer from another rank within 6 s")

    @unittest.skipIf(NO_MPI, NO_MPI)
    def test_a_rank_of_mpi_that_hangs(self):
        """MPI is in none of its calls here, so its own time limit does not apply."""
        self.compile_kernels()
        self.write("recipe.toml", TRAINING.replace("epochs = 3", "epochs = 100000000"))
        self.write("train.sh", f'echo $$ > pid$OMPI_COMM_WORLD_RANK; exec "{PROGRAM}" train recipe.toml --quiet --out out\n')
        process = subprocess.Popen(["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none", "sh", "train.sh"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **ENVIRONMENT, "STOKER_DISTRIBUTION_TIMEOUT": "6"})
        while not (self.folder / "out" / "log.csv").exists() and process.poll() is None:
            time.sleep(0.05)
        os.kill(int((self.folder / "pid1").read_text()), signal.SIGSTOP)
        said = process.communicate(timeout=600)[1]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(said, "rank 1 on host .* did not arrive within 6 s|rank 0 on host .* in step [0-9]+: no answer from another rank within 6 s")

    def test_a_group_of_one(self):
        self.assertIn(IN_STEPS, self.finish(self.start("out", STOKER_GROUP_OF_ONE="1")))
        self.assert_as_alone("out")

    def test_a_plan_measures_the_steps_of_a_rank(self):
        done = self.run_program("plan", "recipe.toml", "--processes", 2, "--json", **ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(IN_STEPS, done.stderr)
        plan = json.loads(done.stdout)
        self.assertNotEqual(plan["seconds_of_part"], plan["seconds_of_part_without_sums"])

    @unittest.skipIf(NO_MPI, NO_MPI)
    def test_by_the_host_where_nccl_does_not(self):
        cases = {"ranks 0 and 1 share the GPU 0000:00:00.0, and NCCL 2.29.7 needs one GPU per rank.": {"STOKER_EMULATED_NCCL": "22907"},
                 "NCCL 2.30.0 allows that if NCCL_MULTI_RANK_GPU_ENABLE=1.": {"NCCL_MULTI_RANK_GPU_ENABLE": "0"},
                 "libnccl.so.2 is NCCL 2.8.4, and 2.9.0 or newer is needed.": {"STOKER_EMULATED_NCCL": "2804"}}
        for why, environment in cases.items():
            with self.subTest(why):
                said = self.finish(self.start("out", "mpirun", "-n", 2, "--oversubscribe", "--bind-to", "none", **environment))
                self.assertIn(BY_HOST, said)
                self.assertIn(why, said)
        self.assert_as_alone("out")

    def test_without_a_gpu(self):
        process = self.start("out", STOKER_NCCL_ID_FILE="id", RANK="0", WORLD_SIZE="2", STOKER_DEVICE="/cpu:0")
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1)
        self.assertIn("STOKER_NCCL_ID_FILE is set, but /cpu:0 is no GPU that NCCL serves.", errors)
