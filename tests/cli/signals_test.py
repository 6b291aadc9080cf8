"""If `stoker train` is ended early, everything is saved."""
import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest, npy_bytes, read_safetensors

OUTPUTS = ["best.safetensors", "history.json", "last.safetensors", "log.csv", "recipe.toml", "run.json"]


def heed_signals():
    """Even if the tests themselves ignore signals, because of nohup for example."""
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_DFL)


class Signals(ProgramTest):
    def start(self, *arguments, **options):
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": heed_signals, **options}
        child = subprocess.Popen([PROGRAM, "train", "recipe.toml", *arguments], cwd=self.folder,
                                 text=True, **settings)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def start_endless(self, **options):
        """Waits until some of many epochs are done."""
        self.change("epochs = 2", "epochs = 100000000")
        child = self.start("--quiet", **options)
        while not (self.folder / "out" / "log.csv").exists() and child.poll() is None:
            time.sleep(0.01)
        return child

    def start_long_epoch(self, *arguments, **options):
        """Some steps of the first epoch are done, and many more to come."""
        self.change("batch_size = 16", "batch_size = 1")
        self.change("units = 8", "units = 16384")
        count = 400000  # half a minute of steps, or more
        self.write("x.npy", npy_bytes([0.5, -0.5] * (2 * count), (count, 4)))
        self.write("y.npy", npy_bytes([1, 2] * (count // 2), (count,), "<i8"))
        child = self.start(*arguments, **options)
        self.assertIn("Epoch 1/2", child.stdout.readline())
        while child.poll() is None and not self.steps_on_disk():
            time.sleep(0.01)
        return child

    def steps_on_disk(self):
        """Of the run's record, which is written about once a second."""
        record = self.folder / "out" / "run.json"
        return json.loads(record.read_text())["account"]["steps"] if record.exists() else 0

    def end(self, child, status):
        _, errors = child.communicate(timeout=600)
        self.assertEqual(child.returncode, status, errors)
        self.check_saved()
        return errors

    def check_saved(self):
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), OUTPUTS)
        for name in ("best", "last"):
            self.assertEqual(len(read_safetensors(self.folder / f"out/{name}.safetensors")), 4)

    def read_history(self):
        return json.loads((self.folder / "out/history.json").read_text())

    def test_each_ends_the_training_saved_and_with_its_status(self):
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            with self.subTest(which=which.name):
                self.setUp()
                child = self.start_endless()
                child.send_signal(which)
                self.assertIn("interrupted after", self.end(child, 128 + which))
        self.succeed("evaluate", "recipe.toml", "--weights", "out/last.safetensors")

    def test_a_part_of_an_epoch_is_not_an_epoch(self):
        child = self.start_long_epoch()
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=600)
        self.assertEqual(child.returncode, 130, errors)
        self.check_saved()
        history = self.read_history()
        self.assertEqual(list(history), ["interrupted"])
        part = history["interrupted"]
        self.assertEqual((part["epoch"], part["of"]), (0, 400000))
        self.assertTrue(0 < part["step"] < 400000, part)
        self.assertGreater(part["logs"]["loss"], 0)
        self.assertEqual((self.folder / "out/log.csv").read_text(), "epoch,accuracy,loss\n")
        self.assertIn(f"interrupted after {part['step']} of 400000 steps of epoch 1", errors)
        self.assertIn(" - interrupted\n", output)

    def test_json_says_where(self):
        child = self.start_endless()
        child.send_signal(signal.SIGTERM)
        self.end(child, 143)
        where = self.read_history()["interrupted"]
        self.assertEqual(where["epoch"], len(self.read_history()["loss"]))

    def test_a_reader_that_goes_away_ends_it(self):
        """As in `stoker train | head`."""
        self.change("epochs = 2", "epochs = 100000000")
        child = self.start()
        for _ in range(4):
            child.stdout.readline()
        child.stdout.close()
        child.stdout = None
        errors = self.end(child, 128 + signal.SIGPIPE)
        self.assertNotIn("should not have happened", errors)

    def test_nobody_who_reads_errors_either(self):
        self.change("epochs = 2", "epochs = 100000000")
        reader, writer = os.pipe()
        child = self.start(stdout=writer, stderr=writer)
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        self.end(child, 128 + signal.SIGPIPE)

    def test_a_full_disk_for_its_words_is_no_reason_to_stop(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            child = self.start(stdout=full)
            self.end(child, 0)
        self.assertEqual(len(self.read_history()["loss"]), 2)

    def test_a_closed_terminal_ends_it(self):
        controller, terminal = os.openpty()
        child = self.start_endless(stdout=terminal, stderr=terminal, stdin=terminal,
                                   start_new_session=True)
        os.close(terminal)
        os.close(controller)  # writing fails from here on
        child.send_signal(signal.SIGHUP)  # from the shell, and again from the kernel
        child.send_signal(signal.SIGHUP)
        self.end(child, 128 + signal.SIGHUP)

    def test_under_nohup_a_closed_terminal_does_not_end_it(self):
        child = self.start_endless(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        child.send_signal(signal.SIGHUP)
        child.send_signal(signal.SIGTERM)
        self.end(child, 128 + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
