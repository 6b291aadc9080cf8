"""What ranks agree on during training, which metrics they report, and how they refuse different data."""
import json
import random
import unittest

from distribution_test import ADAM, ARRAYS, DENSE, PLAIN, RECIPE, TIMEOUT_S, WIDE, DistributionTest
from program import PROGRAM, changed_program, npy_bytes

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
                self.run_unit_tests(ranks, "Ranks.*:InterruptedRanks.*:CacheOnDevice.IsInHostMemoryIfARankRunsOutOfMemory")

    def test_calls_that_join_the_others(self):
        """Each is the first call of a program; "2 processes" is said where it joins."""
        for name in ("TrainOnBatchJoinsTheOthers", "PredictJoinsTheOthers"):
            self.run_unit_tests(2, "RanksAlone." + name)

    def test_orders_of_sums_that_differ(self):
        for name in ("AddInTheSameOrderOrNotAtAll", "AddInTheSameOrderInALastStep"):
            self.run_unit_tests(2, "RanksAlone." + name)

    def test_a_loss_that_is_not_a_number_ends_all(self):
        """Each rank has a terminal here, and draws its progress line by its own clock."""
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

    def test_only_the_first_writes_what_is_asked_for(self):
        """Every rank is given its own file names."""
        self.write("run.sh", f'rank=$OMPI_COMM_WORLD_RANK; "{PROGRAM}" train recipe.toml --quiet --save model$rank.keras --history h$rank.json &&\n'
                             f'echo > done$rank\n')
        status, _, errors = self.run_ranks(2, "run.sh", program="sh")
        self.assertEqual(status, 0, errors)
        self.write("run.sh", f'exec "{PROGRAM}" predict model0.keras --x x.npy --out p$OMPI_COMM_WORLD_RANK.npy\n')
        status, _, errors = self.run_ranks(2, "run.sh", program="sh")
        self.assertEqual(status, 0, errors)
        files = self.files()
        self.assertTrue({"done0", "done1", "model0.keras", "h0.json", "p0.npy"} <= set(files), files)
        self.assertFalse({"model1.keras", "h1.json", "p1.npy"} & set(files), files)

    def test_one_that_hangs_before_the_first_step(self):
        status, _, errors = self.run_ranks(2, "--gtest_filter=RanksThatHang.*", program=UNIT_TESTS, STOKER_DISTRIBUTION_TIMEOUT="3")
        self.assertNotEqual(status, 0)
        self.assertRegex(errors, r"stoker: rank 1 on host \S+ did not arrive within 3 s: rank 0 on host \S+ waits before its first step \(call \d+\)")


class Differences(DistributionTest):
    def assert_refused(self, first, second, says, program_of_second=PROGRAM):
        """Ranks 0 and 1 with these arguments."""
        self.write("run.sh", f'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec "{PROGRAM}" {first}; else exec "{program_of_second}" {second}; fi\n')
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

    def test_of_callbacks(self):
        """Ranks may have separate folders."""
        stopping = 'epochs = 1\ncallbacks = [{class_name = "EarlyStopping", monitor = "val_loss", patience = %d}, ' \
            '{class_name = "CSVLogger", filename = "%s"}]'
        for name, patience, log in [("recipe.toml", 1, "log.csv"), ("same.toml", 1, "other.csv"), ("other.toml", 2, "log.csv")]:
            self.write(name, (RECIPE % (DENSE, ADAM, PLAIN, 16)).replace("epochs = 3", stopping % (patience, log)))
        self.assert_refused("train recipe.toml --quiet", "train other.toml --quiet", "the list of callbacks of rank 1 is not that of rank 0")
        self.write("run.sh", f'[ "$OMPI_COMM_WORLD_RANK" = 0 ] && r=recipe.toml || r=same.toml; exec "{PROGRAM}" train $r --quiet\n')
        status, _, errors = self.run_ranks(2, "run.sh", program="sh")
        self.assertEqual(status, 0, errors)

    def test_of_files_of_an_unknown_number_of_rows(self):
        rows = "a,b,c,d,label\n" + "1,2,3,4,0\n4,3,2,1,1\n" * 20
        for folder, text in [("one", rows), ("two", rows), ("other", rows + "1,2,3,4,2\n")]:
            (self.folder / folder).mkdir()
            self.write(f"{folder}/data.csv", text)
            self.write(f"{folder}.toml", (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace(ARRAYS, f'[data]\ntrain = "{folder}/data.csv"\n'))
        self.assert_refused("train one.toml --quiet", "train other.toml --quiet", "the training data of rank 1 is not that of rank 0")
        self.write("run.sh", f'[ "$OMPI_COMM_WORLD_RANK" = 0 ] && r=one.toml || r=two.toml; exec "{PROGRAM}" train $r --quiet\n')
        status, _, errors = self.run_ranks(2, "run.sh", program="sh")
        self.assertEqual(status, 0, errors)

    def test_of_batch_sizes(self):
        """The ranks notice that before they choose one together."""
        self.assert_refused("train recipe.toml --quiet --batch-size auto", "train recipe.toml --quiet --batch-size 16",
                            "the training data of rank 1 is not that of rank 0")

    def test_of_versions(self):
        version = self.succeed("--version").split(" ", 1)[1].rstrip("\n")
        other = "9" + version[1:]
        changed_program(self.folder / "other", version, other)
        self.assert_refused("train recipe.toml --quiet", "train recipe.toml --quiet",
                            f'the version of rank 1 is not that of rank 0: "{other}" instead of "{version}".', self.folder / "other")

    def test_of_what_is_evaluated(self):
        self.write_other_samples()
        self.run_ranks(1, "train", "recipe.toml", "--quiet", "--save", "model.keras")
        self.assert_refused("evaluate model.keras --x x.npy --y y.npy", "evaluate model.keras --x other.npy --y y.npy",
                            "the data of rank 1 is not that of rank 0")


if __name__ == "__main__":
    unittest.main()
