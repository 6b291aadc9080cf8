"""stoker why, top and doctor on real small processes, without a GPU and with a fake NVML."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, ProgramTest

FAKE = PROGRAM.parent / "fake_nvidia" / "libfake_nvidia.so"
WAITS = "import os; r, w = os.pipe(); os.read(r, 1)"
WORKS = "while True: pass"
READY = "print('ready', flush=True)\n"


class Why(ProgramTest):
    def setUp(self):
        super().setUp()
        self.libraries = self.folder / "libraries"
        self.libraries.mkdir()
        self.environment = {"STOKER_CUDA_LIBRARIES": str(self.libraries), "STOKER_CUDA_LIBRARIES_ONLY": "1",
                            "STOKER_FAKE_NVIDIA": str(self.folder / "answers")}

    def give_gpu(self, **answers):
        if not FAKE.exists():
            self.skipTest("the fake NVML is not built")
        shutil.copy(FAKE, self.libraries / "libnvidia-ml.so.1")
        self.write("answers", "".join(f"{key} {value}\n" for key, value in answers.items()))

    def start(self, source):
        """A process in which Python's start-up is complete."""
        process = subprocess.Popen([sys.executable, "-c", READY + source], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process

    def why(self, *arguments):
        done = self.run_program("why", *arguments, "--json", **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def watch(self, pid, *arguments):
        return self.why(pid, "--seconds", "0.4", "--interval", "0.05", *arguments)

    def watch_a_clear_case(self, pid):
        """Until the process had a core almost all the time, or waited for one: what is between may have no name."""
        for _ in range(100):
            answer = self.watch(pid)
            figures = answer["figures"]
            if figures["main_busy"] > 0.85 or figures.get("core_wait", 0) > 0.35 or figures.get("cpu_throttled", 0) > 0.1:
                break
        return answer

    def first(self, answer, *others):
        """The first cause but these, and but that other programs fill the memory of this machine."""
        return next(cause for cause in answer["causes"] if cause["cause"] not in ("memory_soon", *others))

    def test_without_a_gpu_it_says_so_first_and_tells_of_the_cpu(self):
        answer = self.watch(self.start(WAITS).pid)
        self.assertTrue(answer["subject"].startswith("No GPU is watched (there is no NVIDIA driver"), answer["subject"])
        self.assertEqual(self.first(answer, "cpu_quota")["cause"], "asleep")  # its container may have used up a quota

    def test_a_process_on_a_gpu(self):
        process = self.start(WORKS)
        self.give_gpu(process=process.pid, busy=14, gpm_2=9)
        answer = self.watch_a_clear_case(process.pid)
        self.assertIn("on GPU 0 (Fake H200)", answer["subject"])
        self.assertIn(self.first(answer)["cause"], ("one_thread", "cores_taken", "cpu_quota"))  # as this machine is
        self.assertAlmostEqual(self.first(answer)["at_most"], 1 / 0.14, 3)
        self.assertAlmostEqual(answer["figures"]["sm_active"], 0.09)

    def test_a_process_beside_the_gpu(self):
        self.give_gpu()
        self.assertEqual(self.first(self.watch(self.start(WORKS).pid))["cause"], "no_gpu_used")

    def test_a_recording_gives_the_same_answer(self):
        first = self.watch(self.start(WAITS).pid, "--record", "samples.json")
        again = self.why("--recording", "samples.json")
        self.assertEqual(again["causes"], first["causes"])
        text = (self.folder / "samples.json").read_text()
        self.write("samples.json", text.replace('"version":1,', '"version":9,').replace('"version": 1,', '"version": 9,'))
        self.refuse("why", "--recording", "samples.json", says="a recording of version 9, and this program reads version 1")

    def test_samples_that_cannot_be_written_do_not_cost_the_answer(self):
        answer = self.watch(self.start(WAITS).pid, "--record", "/proc/absent/samples.json")
        self.assertEqual(answer["causes"][0]["cause"], "asleep")
        self.assertTrue(any(note.startswith("The samples are not recorded: ") for note in answer["notes"]), answer["notes"])

    def test_an_interval_longer_than_the_time_to_watch(self):
        self.assertTrue(self.why(self.start(WAITS).pid, "--seconds", "0.4", "--interval", "60")["causes"])

    def test_a_command_has_its_own_status_and_output(self):
        source = "import time; print('result'); end = time.time() + 2.5\nwhile time.time() < end: pass\nraise SystemExit(7)"
        done = self.run_program("why", "--interval", "0.05", "--", sys.executable, "-c", source, **self.environment)
        self.assertEqual((done.returncode, done.stdout), (7, "result\n"))
        self.assertIn("WHY", done.stderr)

    def kernels(self, *lines):
        """The answer for a command that itself writes the library's output."""
        if not (PROGRAM.parent / "libstoker-inject.so").exists():
            self.skipTest("libstoker-inject.so is not built: there is no CUPTI here")
        source = ("import os, time; assert os.environ['CUDA_INJECTION64_PATH'].endswith('libstoker-inject.so')\n"
                  f"open(os.environ['STOKER_INJECT_FILE'], 'a').write({chr(10).join(lines)!r})\nend = time.time() + 2.5\nwhile time.time() < end: pass")
        done = self.run_program("why", "--kernels", "--interval", "0.05", "--", sys.executable, "-c", source, **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_the_kernels_of_a_command(self):
        window = {"pid": 1, "seconds": 2, "kernels": 1000, "kernel_seconds": 0.5, "busy_seconds": 0.6, "median_kernel": 4e-6, "median_gap": 9e-6,
                  "copies": 10, "copy_seconds": 0.1, "copied_bytes": 400, "pageable_bytes": 300, "dropped": 2, "without_time": 0,
                  "longest": [{"name": "sgemm", "count": 500, "seconds": 0.4}]}
        text = self.kernels(json.dumps(window), json.dumps({**window, "kernel_seconds": 1.5}), '{"pid": 1, "seco')
        for words in ("2 windows of 2.0 s", "a kernel ran 50.0 % of the time", "500 kernels a second", "of 4.0 us with 9.0 us between them",
                      "75 % of their bytes", "4 records were dropped", "20.0 %  sgemm x 1000"):
            self.assertIn(words, text)
        self.assertIn("not traced: another profiler holds CUPTI", self.kernels('{"refused": "another profiler holds CUPTI"}'))
        self.assertIn("not traced: the command ended, or used no GPU", self.kernels())
        text = self.kernels(json.dumps(window), '{"refused": "another profiler holds CUPTI"}')  # of its children
        self.assertIn("a kernel ran 25.0 % of the time", text)
        self.assertIn("not traced all the time: another profiler holds CUPTI", text)

    def test_the_kernels_of_a_process_that_runs_already(self):
        self.refuse("why", "--kernels", "1", says="--kernels needs a command")

    def test_a_command_that_ends_at_once(self):
        done = self.run_program("why", "--", "sh", "-c", "exit 3", **self.environment)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_ctrl_c_ends_the_command_and_answers(self):
        command = [PROGRAM, "why", "--interval", "0.05", "--", sys.executable, "-c", READY + WAITS]
        watch = subprocess.Popen(command, env={**os.environ, **self.environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
        watch.stdout.readline()
        time.sleep(3)  # for some samples, also where the program is late
        os.killpg(watch.pid, signal.SIGINT)
        told = watch.communicate(timeout=600)[1]
        self.assertEqual(watch.returncode, 130, told)
        self.assertIn("WHY", told)

    def test_a_process_that_ends_meanwhile(self):
        process = self.start("import time; time.sleep(6)")
        answer = self.why(process.pid, "--seconds", "20", "--interval", "0.05")
        # The test has not waited for it, so it is a zombie.
        self.assertTrue(any(note.startswith("It ended after") for note in answer["notes"]), answer["notes"])

    def test_what_is_no_process(self):
        self.refuse("why", "999999999", says=["there is no process 999999999", "container"])
        self.refuse("why", says="which process?")
        self.refuse("why", "--", "no_such_program", says=['"no_such_program" cannot be started', "number of a process"])
        self.refuse("why", "1", "--seconds", "0", says="--seconds", status=2)
        done = self.refuse("why", "--seconds", "0", "--", "python", "--lr", "3", says="--seconds", status=2)
        self.assertNotIn("--lr", done.stderr)  # the command's own

    def test_the_demonstration_needs_nothing(self):
        demo = self.why("--demo")["demo"]
        self.assertEqual([answer["causes"][0]["cause"] for answer in demo], ["few_workers", "one_thread", "busy"])

    def test_top_has_one_line_per_process(self):
        process = self.start(WORKS)
        self.give_gpu(process=process.pid, busy=14)
        done = self.run_program("top", "--seconds", "0.5", "--json", **self.environment)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([(row["gpu"], row["pid"]) for row in rows], [(0, process.pid)])
        self.assertTrue(rows[0]["reason"])
        text = self.run_program("top", "--seconds", "0.5", **self.environment).stdout
        self.assertRegex(text, rf"(?m)^ *0 +{process.pid} .*14 %")

    def test_top_shows_unused_gpus_and_machines_without(self):
        self.give_gpu()
        self.assertIn("nobody", self.run_program("top", "--seconds", "0.5", **self.environment).stdout)
        (self.libraries / "libnvidia-ml.so.1").unlink()
        self.start(WORKS)
        text = self.run_program("top", "--seconds", "3", **self.environment).stdout
        self.assertIn("No GPU is watched", text)
        self.assertGreaterEqual(len(text.splitlines()), 3)

    def test_doctor(self):
        arguments = ("doctor", "--no-measure", "--no-frameworks")
        self.give_gpu(fails_nvmlInit_v2=18)
        done = self.run_program(*arguments, **self.environment)
        if not os.path.exists("/dev/nvidiactl"):
            self.assertEqual(done.returncode, 0, done.stdout)  # nothing to be wrong about: there is no card
        self.give_gpu()
        done = self.run_program(*arguments, "--json", **self.environment)
        findings = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
        self.assertEqual(findings["driver"]["state"], "ok")
        self.assertEqual(findings["CUDA driver"]["state"], "wrong")  # NVML alone was given
        self.assertTrue(findings["CUDA driver"]["mend"])
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
