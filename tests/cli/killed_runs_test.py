"""Trainings that are killed, or whose disk fails. tools/kill_runs.py kills more often."""
import json
import random
import resource
import subprocess
import sys
import time
import unittest

from program import PROGRAM, ROOT, ProgramTest, npy_bytes, read_safetensors

sys.path.insert(0, str(ROOT / "tools"))
import kill_runs  # noqa: E402


class KilledRuns(unittest.TestCase):
    def test_end_as_if_they_had_not_been_killed(self):
        for case in kill_runs.cases(PROGRAM.resolve(), ROOT / "no_example", epochs=12):
            with self.subTest(case.name):
                seed = random.randrange(1 << 30)
                kills, wrong = kill_runs.kill_and_compare(case, 3, random.Random(seed))[:2]
                self.assertEqual((kills, wrong), (3, []), f"seed {seed}")


class KilledAccounts(ProgramTest):
    """run.json of a run that is killed while no training step ends."""

    def record(self):
        path = self.folder / "out" / "run.json"
        return json.loads(path.read_text()) if path.exists() else None

    def kill_when(self, wanted, *arguments):
        """Kills the training once its record fulfils a condition, and returns the record on disk."""
        with subprocess.Popen([PROGRAM, "train", "recipe.toml", "--quiet", *arguments], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            while child.poll() is None:
                found = self.record()
                if found and wanted(found):
                    break
                time.sleep(0.02)
            child.kill()
            errors = child.stderr.read()
        self.assertEqual(child.returncode, -9, errors)
        return self.record()

    def parts(self, record):
        return {part["cause"]: part["seconds"] for part in record["account"]["parts"]}

    def test_in_validation(self):
        count = 800_000  # samples; on any machine so many slow steps that the validation goes on until the kill
        self.change("units = 8", "units = 100000")
        self.write("many.npy", npy_bytes([0.5, -0.5] * (2 * count), (count, 4)))
        self.write("labels.npy", npy_bytes([1, 2] * (count // 2), (count,), "<i8"))
        self.change("[model]", '[data.validation]\nx = "many.npy"\ny = "labels.npy"\n\n[model]')
        self.change("batch_size = 16", "batch_size = 1\nsteps_per_epoch = 8")
        found = self.kill_when(lambda record: self.parts(record).get("validation", 0) > 0)
        self.assertEqual((found["state"], found["account"]["steps"]), ("running", 8))
        self.assertAlmostEqual(sum(self.parts(found).values()), found["account"]["wall"], 6)
        self.succeed("report", "out")

    def test_an_earlier_record_is_not_taken_for_this_runs(self):
        self.succeed("train", "recipe.toml", "--quiet")
        self.assertEqual(self.record()["state"], "finished")
        found = self.kill_when(lambda record: record["state"] != "finished", "--epochs", "100000000")
        self.assertEqual(found["state"], "running")


class FullDisk(ProgramTest):
    """Files may not exceed a size, which simulates a full disk."""

    def train(self, largest, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        return subprocess.run([PROGRAM, "train", "recipe.toml", *arguments], cwd=self.folder, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)

    def test_without_room_for_the_record_training_succeeds(self):
        done = self.train(3000, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("Training continues"), 1, done.stderr)
        self.assertIn('run.json": File too large', done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["epochs"], 2)
        self.assertEqual(result["files"], ["best.safetensors", "history.json", "last.safetensors", "log.csv", "recipe.toml"])
        self.assertEqual(len(read_safetensors(self.folder / "out/last.safetensors")), 4)

    def test_without_room_for_the_weights_it_trains_and_then_fails(self):
        done = self.train(200, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("Training continues"), 1, done.stderr)
        self.assertIn('stoker: the last weights are not in "out": cannot write "out/last.safetensors": File too large', done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["epochs"], len(result["history"]["loss"])), (2, 2))
        self.assertNotIn("last.safetensors", result["files"])
        self.assertEqual(list(self.folder.glob("out/.*")), [])
