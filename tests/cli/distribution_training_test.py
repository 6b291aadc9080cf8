"""What ranks decide together while they train, which metrics they report, and how they refuse each other's data."""
import json
import random
import unittest

from distribution_test import ADAM, ARRAYS, DENSE, PLAIN, RECIPE, TIMEOUT_S, WIDE, DistributionTest
from program import PROGRAM, npy_bytes

UNIT_TESTS = PROGRAM.parent / "stoker_tests"
DIVERGING = '{class_name = "SGD", learning_rate = 1e38}'
TRAIN_DATA = ARRAYS.split("[data.validation]")[0]


class Together(DistributionTest):
    def run_unit_tests(self, ranks, names):
        status, out, errors = self.run_ranks(ranks, f"--gtest_filter={names}", program=UNIT_TESTS)
        self.assertEqual(status, 0, out + errors)
        self.assertNotIn(" 0 tests from", out)
        self.assertIn(f"{ranks} processes", errors)

    def test_own_steps_metrics_and_callbacks(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.run_unit_tests(ranks, "Ranks.*")

    def test_train_on_batch_joins_the_others(self):
        self.run_unit_tests(2, "RanksAlone.*")

    def test_a_loss_that_is_not_a_number_ends_all(self):
        """Each rank has a terminal here, and draws its progress when its own clock says so."""
        draw = random.Random(2)
        labels = [draw.randrange(3) for _ in range(2000)]
        self.write("x.npy", npy_bytes([draw.gauss(0, 1) for _ in range(8000)], (2000, 4)))
        self.write("y.npy", npy_bytes(labels, (2000,), "<i8"))
        recipe = RECIPE % (WIDE, DIVERGING, PLAIN, 4)
        self.write("recipe.toml", recipe.replace(ARRAYS, TRAIN_DATA).replace("epochs = 3", "epochs = 20"))
        status, out, errors = self.run_ranks(2, "train", "recipe.toml", STOKER_DISTRIBUTION_TIMEOUT="20")
        self.assertEqual(status, 1, out + errors)
        self.assertNotIn("MPI_ERR", errors)
        self.assertNotIn("did not arrive", errors)
        self.assertEqual(errors.count("the loss became NaN or infinite"), 1, errors)

    def test_the_record_is_that_of_the_first(self):
        self.write("train.sh", f'out=out$OMPI_COMM_WORLD_RANK; exec "{PROGRAM}" train recipe.toml --quiet --out $out --report $out.html\n')
        status, _, errors = self.run_ranks(2, "train.sh", program="sh")
        self.assertEqual(status, 0, errors)
        self.assertTrue({"out0/run.json", "out0.html"} <= set(self.files()), self.files())
        self.assertEqual([name for name in self.files() if name.startswith("out1")], [])


class Differences(DistributionTest):
    def assert_refused(self, first, second, says):
        """Ranks 0 and 1 with these arguments."""
        self.write("run.sh", f'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec "{PROGRAM}" {first}; else exec "{PROGRAM}" {second}; fi\n')
        process = self.start(2, "run.sh", program="sh", STOKER_DISTRIBUTION_TIMEOUT="20")
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(says, errors)

    def write_other_samples(self):
        self.write("other.npy", npy_bytes([*self.x[:-1], 0.5], (64, 4)))

    def test_of_validation_data(self):
        self.write_other_samples()
        recipe = RECIPE % (DENSE, ADAM, PLAIN, 16)
        self.write("recipe.toml", recipe)
        self.write("other.toml", recipe.replace('[data.validation]\nx = "x.npy"', '[data.validation]\nx = "other.npy"'))
        self.write("without.toml", recipe.replace(ARRAYS, TRAIN_DATA))
        self.assert_refused("train recipe.toml --quiet", "train other.toml --quiet", "the validation data of rank 1 is not that of rank 0")
        self.assert_refused("train recipe.toml --quiet", "train without.toml --quiet", "fit of rank 1 is not that of rank 0")

    def test_of_batch_sizes(self):
        """The ranks find out before they choose one together."""
        self.assert_refused("train recipe.toml --quiet --batch-size auto", "train recipe.toml --quiet --batch-size 16",
                            "the training data of rank 1 is not that of rank 0")

    def test_of_what_is_evaluated(self):
        self.write_other_samples()
        self.run_ranks(1, "train", "recipe.toml", "--quiet", "--save", "model.keras")
        self.assert_refused("evaluate model.keras --x x.npy --y y.npy", "evaluate model.keras --x other.npy --y y.npy",
                            "the data of rank 1 is not that of rank 0")


if __name__ == "__main__":
    unittest.main()
