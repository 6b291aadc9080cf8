"""Trainings on two and three processes: the history and the weights of one process, and failures that end them."""
import contextlib
import gzip
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from data_sources_test import png
from program import PROGRAM, ROOT, ProgramTest, changed_program, idx_bytes, npy_bytes, read_npy

PLUGIN = ROOT / "build" / "libstoker_mpi.so"
MIRRORED = PROGRAM.parent / "examples" / "mirrored"
MISSING = None if shutil.which("mpirun") and PLUGIN.exists() else "no MPI here: training on several processes is not tested"
WITHOUT_A_REAL_GPU = unittest.skipIf(os.path.exists("/dev/nvidiactl"), "the ranks would take the real GPU, not the fake ones")
ENVIRONMENT = {"STOKER_NUM_THREADS": "1", "STOKER_DEVICE": "/cpu:0", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "STOKER_DISTRIBUTION_TIMEOUT": "60"}
TOLERANCE = 1e-5
TIMEOUT_S = 600  # of what hangs

ARRAYS = """\
[data.train]
x = "x.npy"
y = "y.npy"
[data.validation]
x = "x.npy"
y = "y.npy"
"""
RECIPE = "seed = 3\n" + ARRAYS + """\
[model]
layers = [%s]
[compile]
optimizer = %s
loss = "sparse_categorical_crossentropy"
metrics = %s
[fit]
epochs = 3
batch_size = %d
[output]
folder = "out"
"""
DENSE = """{class_name = "Input", shape = [4]}, {class_name = "Dense", units = 8, activation = "relu"},
  {class_name = "Dropout", rate = 0.3},
  {class_name = "Dense", units = 3, activation = "softmax", kernel_regularizer = {class_name = "L2", l2 = 0.01}}"""
WIDE = """{class_name = "Input", shape = [4]}, {class_name = "Dense", units = 400, activation = "tanh"}, {class_name = "Dropout", rate = 0.3},
  {class_name = "Dense", units = 400, activation = "tanh"}, {class_name = "Dense", units = 3, activation = "softmax"}"""
NORMALIZED = """{class_name = "Input", shape = [4]}, {class_name = "Dense", units = 8, activity_regularizer = "l2"},
  {class_name = "BatchNormalization", synchronized = true}, {class_name = "GaussianNoise", stddev = 0.2},
  {class_name = "Dense", units = 3, activation = "softmax"}"""
IMAGES = """{class_name = "Input", shape = [4]}, {class_name = "Reshape", target_shape = [2, 2, 1]},
  {class_name = "RandomFlip"}, {class_name = "RandomBrightness", factor = 0.2, value_range = [0, 1]},
  {class_name = "Conv2D", filters = 3, kernel_size = 2, padding = "same"}, {class_name = "Flatten"},
  {class_name = "Dense", units = 3, activation = "softmax"}"""
ADAM, SGD = '"adam"', '{class_name = "SGD", learning_rate = 0.1, momentum = 0.9, global_clipnorm = 0.5}'
ACCUMULATED = '{class_name = "AdamW", learning_rate = 0.01, gradient_accumulation_steps = 2, clipnorm = 1.0, use_ema = true}'
PLAIN, MANY = '["accuracy"]', '["accuracy", "sparse_top_k_categorical_accuracy", "sparse_categorical_crossentropy"]'
RECURRENT = """{class_name = "Input", shape = [4]}, {class_name = "Reshape", target_shape = [2, 2]}, {class_name = "LSTM", units = 5},
  {class_name = "Dense", units = 3, activation = "softmax"}"""
OF_CLASSES = """[{class_name = "AUC"}, {class_name = "F1Score", average = "macro"}, {class_name = "OneHotMeanIoU", num_classes = 3},
  {class_name = "R2Score"}]"""
CALLBACKS = """callbacks = [{class_name = "BackupAndRestore", backup_dir = "backup"}, {class_name = "CSVLogger", filename = "log.csv"},
  {class_name = "ReduceLROnPlateau", monitor = "loss", patience = 1, min_delta = 10.0}, {class_name = "TensorBoard", log_dir = "board"}]"""
# The 64 samples in batches of 20 leave 4, of 21 leave 1, which is fewer than there are ranks.
CASES = {
    "dropout, penalty, uneven last batch": RECIPE % (DENSE, ADAM, PLAIN, 20),
    "last batch of one": RECIPE % (DENSE, ADAM, MANY, 21),
    "synchronized normalization": RECIPE % (NORMALIZED, ADAM, PLAIN, 20),
    "augmentation, clipping": RECIPE % (IMAGES, SGD, PLAIN, 20),
    "accumulation, averages": RECIPE % (DENSE, ACCUMULATED, PLAIN, 16),
    "callbacks, weights of classes, a part of the steps": (RECIPE % (DENSE, ADAM, PLAIN, 16)).replace(
        ARRAYS, ARRAYS.split("[data.validation]")[0]).replace("epochs = 3", CALLBACKS + """
epochs = 2
validation_split = 0.4
steps_per_epoch = 2
class_weight = {"0" = 1.0, "1" = 3.0, "2" = 0.5}"""),
    "recurrent layers, weights of samples, metrics of classes": (RECIPE % (RECURRENT, ADAM, OF_CLASSES, 20)).replace(
        "sparse_categorical_crossentropy", "categorical_crossentropy").replace("y.npy", "one_hot.npy").replace(
        "[data.validation]", 'sample_weight = "weights.npy"\n[data.validation]', 1).replace("epochs = 3", "epochs = 2"),
    "shuffled pipeline": (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace(ARRAYS, """[data]
train = "data.csv"
validation = "data.csv"
[data.pipeline]
shuffle = 100
"""),
}

# 22 pictures in batches of 8 leave 6.
PICTURES = """seed = 3
[data]
train = "pictures"
validation = "pictures"
[data.pipeline]
shuffle = 100
random_resized_crop = 6
random_flip_left_right = true
random_brightness = 0.3
[model]
layers = [{class_name = "Input", shape = [6, 6, 3]}, {class_name = "Rescaling", scale = 0.00392},
  {class_name = "Conv2D", filters = 4, kernel_size = 3}, {class_name = "Flatten"},
  {class_name = "Dense", units = 2, activation = "softmax"}]
[compile]
optimizer = "adam"
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]
[fit]
epochs = 3
batch_size = 8
[output]
folder = "out"
"""


def floats_of(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    values = data[8 + length:]
    return struct.unpack(f"<{len(values) // 4}f", values)


@unittest.skipIf(MISSING, MISSING)
class DistributionTest(ProgramTest):
    def start(self, ranks, *arguments, program=PROGRAM, **environment):
        launcher = ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none"] if ranks > 1 else []
        command = [*launcher, program, *arguments]
        variables = {name: value for name, value in {**os.environ, **ENVIRONMENT, **environment}.items() if value is not None}
        return subprocess.Popen(list(map(str, command)), cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=variables)

    def run_ranks(self, ranks, *arguments, **environment):
        process = self.start(ranks, *arguments, **environment)
        out, errors = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, errors

    def run_json(self, ranks, *arguments):
        status, out, errors = self.run_ranks(ranks, *arguments, "--json")
        self.assertEqual(status, 0, errors)
        return json.loads(out)

    def train(self, ranks, *arguments, out=None):
        """The history and the weights after training."""
        folder = out or f"out{ranks}"
        status, _, errors = self.run_ranks(ranks, "train", "recipe.toml", "--quiet", "--out", folder, *arguments)
        self.assertEqual(status, 0, errors)
        return json.loads((self.folder / folder / "history.json").read_text()), floats_of(self.folder / folder / "last.safetensors")

    def ranks_of(self, process):
        """The processes of the ranks, in their order; none where they end before they are found."""
        while process.poll() is None:
            found = {}
            for status in pathlib.Path("/proc").glob("[0-9]*/environ"):
                try:
                    variables = dict(pair.split("=", 1) for pair in status.read_text(errors="replace").split("\0") if "=" in pair)
                    parent = int((status.parent / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except OSError:
                    continue
                if parent == process.pid and "OMPI_COMM_WORLD_RANK" in variables:
                    found[int(variables["OMPI_COMM_WORLD_RANK"])] = int(status.parent.name)
            if len(found) == 2:
                return found
            time.sleep(0.05)
        return {}

    def wait_for(self, process, files):
        while process.poll() is None and not list(self.folder.glob(files)):
            time.sleep(0.01)

    def assert_close(self, one, other, tolerance=TOLERANCE):
        self.assertEqual(one[0].keys(), other[0].keys())
        for name, values in one[0].items():
            self.assertEqual(len(values), len(other[0][name]), name)
            for a, b in zip(values, other[0][name]):
                self.assertLess(abs(a - b), tolerance, name)
        self.assertLess(max(abs(a - b) for a, b in zip(one[1], other[1])), tolerance)


class SameAsOneProcess(DistributionTest):
    def test_whatever_is_trained(self):
        rows = ["a,b,c,d,label"] + [",".join(map(str, self.x[4 * i:4 * i + 4] + [label])) for i, label in enumerate(self.labels)]
        self.write("data.csv", "\n".join(rows) + "\n")
        self.write("one_hot.npy", npy_bytes([float(i == label) for label in self.labels for i in range(3)], (64, 3)))
        self.write("weights.npy", npy_bytes([0.5 + i % 4 for i in range(64)], (64,)))
        for ranks, (name, recipe) in zip(itertools.cycle([3, 2]), CASES.items()):
            with self.subTest(name, ranks=ranks):
                self.write("recipe.toml", recipe)
                self.assert_close(self.train(1), self.train(ranks))

    def test_callbacks_write_once(self):
        self.write("recipe.toml", CASES["callbacks, weights of classes, a part of the steps"])
        history, _ = self.train(2)
        self.assertAlmostEqual(history["learning_rate"][0], 0.001, places=8)  # of the begin of each epoch
        self.assertEqual(history["learning_rate"][1], history["learning_rate"][0])
        rows = (self.folder / "log.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["epoch", "0", "1"])
        files = self.files()
        self.assertEqual(len([name for name in files if name.startswith("board/train/events.")]), 1, files)
        self.assertFalse([name for name in files if name.startswith("backup/")], files)  # training came to its end

    def test_half_precision(self):
        """The ranks add gradients in half precision: a bit of it, not of float32, is the difference."""
        self.write("recipe.toml", 'dtype_policy = "mixed_float16"\n' + CASES["dropout, penalty, uneven last batch"])
        self.assert_close(self.train(1), self.train(2), tolerance=2e-3)

    def test_model_files_are_trained_evaluated_and_predict(self):
        self.succeed("train", "recipe.toml", "--save", "model.keras", "--epochs", 1)
        for ranks in (1, 2):
            status, out, errors = self.run_ranks(ranks, "train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--epochs", 1, "--json",
                                                 "--save", f"of{ranks}.keras")
            self.assertEqual(status, 0, errors)
        one, two = ([self.run_json(ranks, "evaluate", "of2.keras", "--x", "x.npy", "--y", "y.npy") for ranks in (1, 2)])
        self.assertEqual(one.keys(), two.keys())
        for name, value in one.items():
            self.assertAlmostEqual(value, two[name], delta=TOLERANCE, msg=name)
        for ranks in (1, 2):
            self.run_json(ranks, "predict", f"of{ranks}.keras", "--x", "x.npy", "--out", f"p{ranks}.npy")
        (shape, one), (_, two) = (read_npy(self.folder / f"p{ranks}.npy") for ranks in (1, 2))
        self.assertEqual(shape, (64, 3))
        self.assertLess(max(abs(a - b) for a, b in zip(one, two)), TOLERANCE)
        self.assertFalse([name for name in self.files() if ".tmp" in name])

    def test_what_keras_trains(self):
        """The fits of tests/golden: from Keras's initial weights to its final ones."""
        for ranks in (2, 3):
            status, out, errors = self.run_ranks(ranks, "--gtest_filter=*GoldenFit.*", program=PROGRAM.parent / "stoker_tests")
            self.assertEqual(status, 0, out + errors)
            self.assertIn("8 tests from 1 test suite ran.", out)
            self.assertIn(f"{ranks} processes", errors)

    def test_pictures_of_which_every_rank_makes_its_own(self):
        for name, color in [("blue", (0, 40, 200)), ("red", (200, 0, 40))]:
            (self.folder / "pictures" / name).mkdir(parents=True)
            for i in range(11):
                (self.folder / "pictures" / name / f"{i}.png").write_bytes(png([min(255, c + 15 * i) for c in color]))
        self.write("recipe.toml", PICTURES)
        one = self.train(1)
        for ranks in (2, 3):
            self.assert_close(one, self.train(ranks))
        _, _, errors = self.run_ranks(2, "train", "recipe.toml")
        self.assertEqual(errors.count("input: each of 2 ranks makes its rows of every batch."), 1, errors)

    @unittest.skipUnless(MIRRORED.exists(), "examples/mirrored is not built")
    def test_a_loop_with_a_strategy(self):
        """examples/mirrored, on images whose brightest band is their class."""
        draw = random.Random(1)
        labels = [draw.randrange(10) for _ in range(6000)]
        dark = bytes(value // 4 for value in range(256))
        images = [bytearray(draw.randbytes(784).translate(dark)) for _ in labels]
        for image, label in zip(images, labels):
            image[78 * label:78 * label + 78] = draw.randbytes(78)
        (self.folder / "fashion-mnist").mkdir()
        for name in ("train", "t10k"):
            self.write(f"fashion-mnist/{name}-images-idx3-ubyte.gz", gzip.compress(idx_bytes(b"".join(images), (6000, 28, 28)), 1))
            self.write(f"fashion-mnist/{name}-labels-idx1-ubyte.gz", gzip.compress(idx_bytes(labels, (6000,)), 1))
        printed = []
        for ranks in (1, 2):
            process = self.start(ranks, program=MIRRORED, STOKER_DATASETS=str(self.folder))
            out, errors = process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual([line.split(":")[0] for line in out.splitlines()], ["epoch 1", "epoch 2"], "rank 0 alone prints")
            printed.append([float(line.split()[-1]) for line in out.splitlines()])
        for one, two in zip(*printed):
            self.assertAlmostEqual(one, two, delta=2e-4, msg=str(printed))  # of four digits
        self.assertLess(printed[0][1], printed[0][0])

    def test_says_why_every_rank_makes_whole_batches(self):
        self.write("data.csv", "a,b,c,d,label\n" + "1,2,3,4,0\n4,3,2,1,1\n" * 20)
        self.write("recipe.toml", CASES["shuffled pipeline"])
        status, _, errors = self.run_ranks(2, "train", "recipe.toml")
        self.assertEqual(status, 0, errors)
        self.assertIn("input: each of 2 ranks makes whole batches, since the number of elements of", errors)

    def test_bit_by_bit_in_every_run(self):
        self.write("recipe.toml", CASES["dropout, penalty, uneven last batch"])
        self.assertEqual(self.train(3, out="first"), self.train(3, out="second"))

    def test_only_one_prints_and_writes(self):
        status, out, errors = self.run_ranks(3, "train", "recipe.toml", "--json", "--save", "model.keras")
        self.assertEqual((status, len(out.splitlines())), (0, 1), errors)
        self.assertEqual(json.loads(out)["epochs"], 2)
        self.assertEqual(errors.count("3 processes, as OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE say"), 1, errors)
        self.assertEqual([name for name in self.files() if ".tmp" in name], [])

    def test_the_account_knows_sums_and_waiting(self):
        status, _, errors = self.run_ranks(2, "train", "recipe.toml", "--quiet")
        self.assertEqual(status, 0, errors)
        account = json.loads((self.folder / "out" / "run.json").read_text())["account"]
        parts = {part["cause"]: part["seconds"] for part in account["parts"]}
        self.assertGreater(parts["communication"], 0)
        self.assertAlmostEqual(sum(parts.values()), account["wall"], places=6)

    def test_early_stopping_stops_all(self):
        self.write("recipe.toml", (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace(
            "epochs = 3", 'epochs = 30\ncallbacks = [{class_name = "EarlyStopping", monitor = "val_loss", min_delta = 10.0, patience = 1}]'))
        self.assertEqual(len(self.train(2)[0]["loss"]), len(self.train(1)[0]["loss"]))

    def test_resumes_with_another_number_of_ranks(self):
        # The training has as many steps on every machine, as rounding errors grow with them. They are slow ones, so that the signal
        # finds it in their midst; where it comes too late all the same, the same training is tried again.
        draw = random.Random(2)
        labels = [draw.randrange(3) for _ in range(2000)]
        self.write("x.npy", npy_bytes([draw.gauss(2.0 * (i == label), 1) for label in labels for i in range(4)], (2000, 4)))
        self.write("y.npy", npy_bytes(labels, (2000,), "<i8"))
        recipe = RECIPE % (WIDE, '{class_name = "SGD", learning_rate = 0.01, momentum = 0.9}', PLAIN, 30)  # 20 samples are left
        self.write("recipe.toml", recipe.replace(ARRAYS, ARRAYS.split("[data.validation]")[0]))
        self.assertTrue(any(self.is_interrupted() for _ in range(20)), "every signal came too late")
        self.assert_close(self.train(1, "--epochs", 4, out="whole"),
                          self.train(3, "--epochs", 4, "--checkpoint", "kept", "--resume", out="parts"))

    def is_interrupted(self):
        """Whether two ranks leave a checkpoint if one of them gets a signal before the end."""
        process = self.start(2, "train", "recipe.toml", "--quiet", "--out", "parts", "--checkpoint", "kept", "--checkpoint-freq", 80,
                             "--epochs", 4)
        ranks = self.ranks_of(process)
        self.wait_for(process, "kept/*.safetensors")
        with contextlib.suppress(KeyError, ProcessLookupError):  # it has come to the end
            os.kill(ranks[1], signal.SIGTERM)  # the ranks agree on the step after which they end
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertIn("parts/history.json", self.files(), errors)
        return "interrupted" in json.loads((self.folder / "parts" / "history.json").read_text())


class Ends(DistributionTest):
    def start_endless(self, **environment):
        """Waits until some of many epochs are done. Returns the ranks' processes, too."""
        self.write("recipe.toml", (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace("epochs = 3", "epochs = 100000000"))
        process = self.start(2, "train", "recipe.toml", "--quiet", **environment)
        ranks = self.ranks_of(process)
        self.assertTrue(ranks, "the ranks did not start")
        self.wait_for(process, "out/log.csv")
        return process, ranks

    def test_all_when_one_hangs(self):
        process, ranks = self.start_endless(STOKER_DISTRIBUTION_TIMEOUT="6")
        os.kill(ranks[1], signal.SIGSTOP)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(errors, "rank 1 on host .* did not arrive within 6 s: rank 0 on host .* waits in step [0-9]+ ")

    def test_none_when_all_were_stopped(self):
        """As by Ctrl-Z, or while Slurm gives their cores to another job."""
        process, ranks = self.start_endless(STOKER_DISTRIBUTION_TIMEOUT="6")
        for number, then in ((signal.SIGSTOP, 8), (signal.SIGCONT, 3)):
            for rank in ranks.values():
                os.kill(rank, number)
            time.sleep(then)
        self.assertIsNone(process.poll())
        os.kill(ranks[1], signal.SIGTERM)  # both end after the same step
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertNotIn("did not arrive", errors)
        self.assertIn("interrupted", json.loads((self.folder / "out" / "history.json").read_text()))

    def test_all_when_one_is_killed(self):
        process, ranks = self.start_endless()
        os.kill(ranks[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("rank 1", errors)


class BadInput(DistributionTest):
    def test_ranks_that_do_not_agree(self):
        self.write("short.npy", npy_bytes(self.x[:4 * 40], (40, 4)))
        self.write("short_y.npy", npy_bytes(self.labels[:40], (40,), "<i8"))
        self.write("other.npy", npy_bytes([*self.x[:-1], 0.5], (64, 4)))
        self.write("other.toml", (self.folder / "recipe.toml").read_text().replace("relu", "tanh"))
        for of_rank_1, says in [
                ("recipe.toml --x short.npy --y short_y.npy", 'the training data of rank 1 is not that of rank 0: "40 samples in batches of 16'),
                ("recipe.toml --x other.npy", "the training data of rank 1 is not that of rank 0"),
                ("recipe.toml --seed 5", 'the seed of rank 1 is not that of rank 0: "5" instead of "3"'),
                ("recipe.toml --epochs 7", 'fit of rank 1 is not that of rank 0: "epochs 0 to 7'),
                ("recipe.toml --set fit.shuffle=false", "fit of rank 1 is not that of rank 0"),
                ("other.toml", '"activation": "tanh"')]:
            with self.subTest(of_rank_1):
                self.write("train.sh", 'recipe=recipe.toml; [ "$OMPI_COMM_WORLD_RANK" = 0 ] || recipe="$1"\n'
                                       f'exec "{PROGRAM}" train $recipe --quiet\n')
                status, _, errors = self.run_ranks(2, "train.sh", of_rank_1, program="sh")
                self.assertNotEqual(status, 0)
                self.assertIn(says, errors)
                self.assertFalse(list(self.folder.glob("out/*.safetensors")))

    def test_a_batch_without_a_row_for_each(self):
        status, _, errors = self.run_ranks(3, "train", "recipe.toml", "--batch-size", 2)
        self.assertNotEqual(status, 0)
        self.assertIn("batch_size is 2, but 3 processes divide every batch among them.", errors)

    def test_an_error_of_all_is_said_once(self):
        status, _, errors = self.run_ranks(3, "train", "recipe.toml", "--loss", "no_such_loss")
        self.assertNotEqual(status, 0)
        self.assertEqual(errors.count("no_such_loss"), 1, errors)

    @WITHOUT_A_REAL_GPU
    def test_more_processes_than_gpus(self):
        process = self.start(2, "train", "recipe.toml", STOKER_DEVICE=None, CUDA_VISIBLE_DEVICES=None, STOKER_FAKE_DEVICES="1",
                             STOKER_BACKEND_PATH=str(ROOT / "build" / "test_backends" / "fake"))
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("2 processes of this training are on this machine, but it has 1 GPU.", errors)

    @WITHOUT_A_REAL_GPU
    def test_gpus_of_a_list_that_all_processes_have(self):
        """Slurm and containers set CUDA_VISIBLE_DEVICES to all GPUs of the job."""
        fake = {"STOKER_BACKEND_PATH": str(ROOT / "build" / "test_backends" / "fake"), "STOKER_DEVICE": "", "RANK": "2", "WORLD_SIZE": "3",
                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "9", "LOCAL_RANK": "2"}
        says = "3 processes of this training are on this machine, but it has 2 GPUs."
        done = self.run_program("train", "recipe.toml", STOKER_FAKE_DEVICES="2", CUDA_VISIBLE_DEVICES="0,1", **fake)
        self.assertIn(says, done.stderr)
        done = self.run_program("train", "recipe.toml", STOKER_FAKE_DEVICES="1", CUDA_VISIBLE_DEVICES="2", **fake)
        self.assertNotIn("of this training are on this machine", done.stderr)

    def test_options_that_contradict_the_launcher(self):
        for arguments, says in [(["--processes", 4], "--processes is 4, but this is one of 2 processes already."),
                                (["--apply"], "--apply measures one process, and this is one of 2"),
                                (["--headroom"], "--headroom measures one process, and this is one of 2")]:
            status, _, errors = self.run_ranks(2, "train", "recipe.toml", *arguments)
            self.assertEqual(status, 1)
            self.assertEqual(errors.count(says), 1, errors)
        self.refuse("train", "recipe.toml", "--headroom", "--processes", 2, says="--headroom measures one process, but --processes is 2.")

    def test_tf_config_that_is_wrong(self):
        cluster = '"cluster": {"worker": ["a:1", "b:1"]}'
        at = "At the environment variable TF_CONFIG."
        for text, says in [("{", "TF_CONFIG:1:"),
                           ('{%s, "task": {"type": "worker", "index": "1"}}', f'expected an integer, got a string ("1"). {at}'),
                           ('{%s, "task": {"type": "evaluator", "index": 0}}', f'the task\'s "type" is "evaluator". {at}')]:
            done = self.run_program("train", "recipe.toml", TF_CONFIG=text.replace("%s", cluster))
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)

    def test_variables_that_contradict_each_other(self):
        done = self.run_program("train", "recipe.toml", RANK="0", WORLD_SIZE="2", KERAS_DISTRIBUTION_PROCESS_ID="1",
                                KERAS_DISTRIBUTION_NUM_PROCESSES="2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("say that this is process 1 of 2, but RANK and WORLD_SIZE say process 0 of 2", done.stderr)

    def test_a_launcher_without_mpi(self):
        done = self.run_program("train", "recipe.toml", RANK="0", WORLD_SIZE="2", **ENVIRONMENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("RANK and WORLD_SIZE say that this is process 0 of 2, but Open MPI", done.stderr)
        self.assertIn("start them by mpirun", done.stderr)


class SeveralGpus(DistributionTest):
    @WITHOUT_A_REAL_GPU
    def test_each_process_has_its_own(self):
        self.write("recipe.toml", CASES["dropout, penalty, uneven last batch"])
        alone = self.train(1)
        process = self.start(2, "train", "recipe.toml", "--quiet", "--out", "gpus", STOKER_DEVICE=None, CUDA_VISIBLE_DEVICES=None,
                             STOKER_FAKE_DEVICES="2", STOKER_BACKEND_PATH=str(ROOT / "build" / "test_backends" / "fake"))
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_close(alone, (json.loads((self.folder / "gpus" / "history.json").read_text()),
                                  floats_of(self.folder / "gpus" / "last.safetensors")))


class Launch(DistributionTest):
    def test_processes_of_train(self):
        self.write("recipe.toml", CASES["dropout, penalty, uneven last batch"])
        alone = self.train(1)
        done = self.run_program("train", "recipe.toml", "--quiet", "--out", "both", "--processes", "2", **ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 processes", done.stderr)
        self.assert_close(alone, (json.loads((self.folder / "both" / "history.json").read_text()),
                                  floats_of(self.folder / "both" / "last.safetensors")))

    def test_prints_json_of_its_processes_on_stdout(self):
        """With --json stdout is redirected to stderr: the processes get the original stdout."""
        done = self.run_program("train", "recipe.toml", "--processes", "2", "--json", "--epochs", "1", **ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["epochs"], 1)
        done = self.run_program("train", "recipe.toml", "--processes", "2", "--json", "--loss", "no_such_loss", **ENVIRONMENT)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no_such_loss", json.loads(done.stdout)["error"])
        self.write("train.sh", '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || more="--loss no_such_loss"\n'
                               f'exec "{PROGRAM}" train recipe.toml --json $more\n')
        status, out, errors = self.run_ranks(2, "train.sh", program="sh")  # an error of rank 1 alone
        self.assertEqual(status, 1, errors)
        self.assertIn("no_such_loss", json.loads(out)["error"])
        done = self.run_program("launch", "-n", "1", "--json", "--", "echo", "{}", **ENVIRONMENT)
        self.assertEqual(json.loads(done.stdout), {}, done.stderr)

    def test_what_apply_keeps_is_trained_by_all(self):
        """The ranks do not repeat the trials: each would measure other times."""
        self.write("mpirun", f'#!/bin/sh\nwhile [ "$1" != "{PROGRAM}" ]; do shift; done\nprintf "%s\\n" "$@" > words\n')
        (self.folder / "mpirun").chmod(0o755)
        done = self.run_program("train", "recipe.toml", "--processes", "2", "--apply", **ENVIRONMENT,
                                PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        tried = [line for line in done.stderr.splitlines() if line.startswith("apply: ")]
        self.assertTrue(tried, done.stderr)
        kept = [line.split(":")[1].split(" = ") for line in tried if line.endswith(": kept")]  # also after one that was not
        sets = [word for key, value in kept for word in ("--set", f"{key.strip()}={value}")]
        self.assertEqual((self.folder / "words").read_text().splitlines(),
                         [str(PROGRAM), "train", "recipe.toml", "--processes", "2", *sets])

    def test_a_signal_ends_all_saved(self):
        """However long that takes: after SIGTERM mpirun itself would kill its processes after a second."""
        self.write("recipe.toml", (RECIPE % (DENSE, ADAM, PLAIN, 20)).replace("epochs = 3", "epochs = 100000000"))
        for which in (signal.SIGTERM, signal.SIGINT):
            process = self.start(1, "train", "recipe.toml", "--quiet", "--processes", 2, "--out", which.name)
            self.wait_for(process, f"{which.name}/log.csv")
            process.send_signal(which)
            _, errors = process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode, 128 + which, errors)
            self.assertEqual(errors.count("stoker: interrupted after"), 1, errors)
            self.assertIn("interrupted", json.loads((self.folder / which.name / "history.json").read_text()))

    def test_the_status_is_that_of_the_processes(self):
        done = self.run_program("launch", "-n", "2", "--", "sh", "-c", "exit 7", **ENVIRONMENT)
        self.assertEqual(done.returncode, 7, done.stderr)

    def test_no_mpirun(self):
        done = self.run_program("launch", "-n", "2", "--", "true", PATH="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn('"mpirun" cannot be started: No such file or directory. Hint: several processes find each other through MPI', done.stderr)


class WithoutThePlugin(ProgramTest):
    def test_the_missing_file_is_named(self):
        """A program whose build folder is elsewhere, beside a folder with the CPU's plugin alone."""
        build = str(PROGRAM.parent)
        changed_program(self.folder / "stoker", build, build[:-1] + "_")
        (self.folder / "plugins").mkdir()
        (self.folder / "plugins" / "libstoker_cpu.so").symlink_to(PROGRAM.parent / "libstoker_cpu.so")
        environment = {**os.environ, **ENVIRONMENT, "STOKER_BACKEND_PATH": str(self.folder / "plugins"), "RANK": "0", "WORLD_SIZE": "2"}
        done = subprocess.run([self.folder / "stoker", "train", "recipe.toml"], cwd=self.folder, text=True, capture_output=True,
                              timeout=TIMEOUT_S, env=environment)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "stoker: there is no libstoker_mpi.so, without which several processes cannot train together: none of "
                         + ", ".join(f"{folder}/libstoker_mpi.so" for folder in (self.folder / "plugins", self.folder, build[:-1] + "_"))
                         + " exists. Hint: install MPI (Debian: apt-get install openmpi-bin libopenmpi-dev) and build again.\n")
        self.assertNotIn("out", self.files())


class LaunchWithoutMpi(ProgramTest):
    """On GPUs, here fake ones, `stoker launch` starts the processes itself."""

    def start(self, ranks, script):
        # As torchrun's agent and srun leave them: they would contradict the ranks.
        others = {"TORCHELASTIC_USE_AGENT_STORE": "True", "PMI_RANK": "0", "PMI_SIZE": "1"}
        fake = {"STOKER_BACKEND_PATH": str(ROOT / "build" / "test_backends" / "fake"), "STOKER_FAKE_DEVICES": "1", "STOKER_DEVICE": ""}
        return subprocess.Popen([PROGRAM, "launch", "-n", str(ranks), "--", "/bin/sh", "-c", script], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **others, **fake, "PATH": "/nonexistent"})

    def finish(self, process):
        out, errors = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, errors

    def test_every_process_knows_its_rank(self):
        names = ["RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_USE_AGENT_STORE", "PMI_RANK"]
        status, out, errors = self.finish(self.start(3, "echo " + ",".join(f"${name}" for name in names) + " $MASTER_PORT"))
        self.assertEqual((status, errors), (0, ""))
        lines = sorted(line.split() for line in out.splitlines())
        self.assertEqual([line[0] for line in lines], [f"{rank},{rank},3,3,127.0.0.1,," for rank in range(3)])
        port, = {line[1] for line in lines}
        self.assertTrue(0 < int(port) < 65536)

    def test_one_that_fails_ends_the_others(self):
        """Also one that does not exit on SIGTERM because it waits for the one that failed."""
        process = self.start(3, "case $RANK in 0) trap '' TERM; while :; do /bin/sleep 600; done;; 1) exit 7;; 2) exec /bin/sleep 600;; esac")
        status, _, errors = self.finish(process)
        self.assertEqual(status, 7)
        self.assertEqual(errors, "stoker: rank 1 exited with status 7. The other ranks are terminated.\n")
        status, _, errors = self.finish(self.start(2, "[ $RANK = 0 ] || kill -9 $$; exec /bin/sleep 600"))
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertEqual(errors, "stoker: rank 1 was ended by signal 9 (Killed). The other ranks are terminated.\n")

    def test_a_signal_reaches_all(self):
        """They exit by themselves, one later than the other."""
        process = self.start(2, "trap '/bin/sleep $RANK; echo $RANK > ended$RANK; exit 3' TERM; echo > began$RANK; while :; do /bin/sleep 0.1; done")
        while len(list(self.folder.glob("began*"))) < 2 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        status, _, errors = self.finish(process)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertNotIn("stoker", errors)
        self.assertEqual([name for name in self.files() if name.startswith("ended")], ["ended0", "ended1"])
