"""--device, the recipe's device, and devices that are absent or fail; a plugin for tests simulates the GPU."""
import re
import sys
import unittest

from program import PROGRAM, ROOT, ProgramTest, read_safetensors

sys.path.insert(0, str(ROOT / "tools"))
from run_tests import gpu_name  # noqa: E402

BACKENDS = PROGRAM.parent / "test_backends"
FAKE = {"STOKER_BACKEND_PATH": str(BACKENDS / "fake")}


@unittest.skipUnless((BACKENDS / "fake").exists(), "the plugins for tests are not built")
class Devices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = {**FAKE, "STOKER_DEVICE": "/cpu:0"}

    def test_the_tests_find_the_gpu_and_miss_none(self):
        """If they overlooked it, they would run on an emulated one unnoticed."""
        self.assertIsNotNone(gpu_name(PROGRAM.parent, {**FAKE, "STOKER_DEVICE": "/gpu:0"}))
        self.assertIsNone(gpu_name(PROGRAM.parent, {"STOKER_BACKEND_PATH": str(self.folder)}))

    def fails(self, *arguments, says, **environment):
        done = self.run_program(*arguments, **{**self.environment, **environment})
        self.assertEqual(done.returncode, 1, done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)
        return done

    def test_tells_the_instruction_set(self):
        self.assertRegex(self.succeed("devices"), r"\d+ threads, (AVX-512|AVX2|SSE4|SSE2|NEON)")

    def test_lists_all(self):
        text = self.succeed("devices", **self.environment)
        for words in ["Fake GPU 1", "driver 1.2, runtime 3.4", "libfake 5.6", "programs call it /gpu:",
                      "default: /cpu:0"]:
            self.assertIn(words, text)

    def test_lists_all_where_the_wanted_one_is_absent(self):
        text = self.succeed("devices", **{**self.environment, "STOKER_DEVICE": "fake:7"})
        self.assertIn("Fake GPU 1", text)
        self.assertIn('no default: STOKER_DEVICE is "fake:7", which does not exist.', text)

    def test_plugins_that_do_not_fit(self):
        text = self.succeed("devices", STOKER_BACKEND_PATH=str(BACKENDS / "old"))
        self.assertRegex(text, r"has interface version 1, but this program needs version \d+")
        text = self.succeed("devices", STOKER_BACKEND_PATH=str(BACKENDS / "without"))
        self.assertIn("the driver is version 1, and the runtime wants 2.", text)

    def test_device_of_the_command_and_of_the_recipe(self):
        self.succeed("train", "recipe.toml", "--quiet", "--out", "cpu", **self.environment)
        self.succeed("train", "recipe.toml", "--quiet", "--out", "gpu", "--device", "fake:1", **self.environment)
        self.change("seed = ", 'device = "fake:1"\nseed = ')
        self.succeed("train", "recipe.toml", "--quiet", "--out", "recipe", **self.environment)
        weights = [(self.folder / f / "last.safetensors").read_bytes() for f in ("cpu", "gpu", "recipe")]
        self.assertEqual(weights[0], weights[1])
        self.assertEqual(weights[0], weights[2])
        # It did run on that device, since it can fail there.
        self.fails("train", "recipe.toml", says=["step 1 of fit"], STOKER_FAKE_FAIL_AT="1")
        for command in (["evaluate"], ["predict", "--x", "x.npy", "--out", "p.npy"]):
            self.fails(command[0], "recipe.toml", "--weights", "gpu/last.safetensors", *command[1:],
                       says=["illegal memory access"], STOKER_FAKE_FAIL_AT="1")

    def test_a_plan_says_who_else_has_the_memory(self):
        text = self.succeed("plan", "recipe.toml", "--device", "fake:1", **self.environment)
        self.assertRegex(text, r"are free \(process 4711 \(other\) holds 1.0 GB\); all 64 samples fit")

    def test_absent_devices(self):
        self.fails("train", "recipe.toml", "--device", "fake:7", says=['"fake:7"', "/gpu:", "--device"])
        self.fails("train", "recipe.toml", "--device", "gpu zero", says=["is not a device's name"])
        self.fails("bench", "--device", "tpu", "--case", "mlp128", says=['"tpu"', "/cpu:0", "At --device"])
        self.fails("bench", "--case", "mlp128", says=["fake:7", "STOKER_DEVICE"], STOKER_DEVICE="fake:7")
        self.fails("train", "recipe.toml", says=["fake:7", "STOKER_DEVICE"], STOKER_DEVICE="fake:7")
        self.change("seed = ", 'device = "/cpu:5"\nseed = ')
        self.fails("train", "recipe.toml", says=['"/cpu:5"', "recipe.toml:1"])

    def test_a_device_that_fails_in_the_run_spares_what_was_saved(self):
        self.change("epochs = 2", "epochs = 9")  # of four steps, and one behind each that looks at the weights
        done = self.fails("train", "recipe.toml", "--device", "fake:0", STOKER_FAKE_FAIL_AT="22",
                          says=["an illegal memory access was encountered.", "of fit", "what was saved before"])
        failed = int(re.search(r"epoch (\d+)", done.stderr)[1])
        self.assertGreater(failed, 1)
        self.assertEqual(len((self.folder / "out/log.csv").read_text().splitlines()), failed)
        self.assertEqual(len(read_safetensors(self.folder / "out/last.safetensors")), 4)
        self.succeed("evaluate", "recipe.toml", "--weights", "out/last.safetensors")
