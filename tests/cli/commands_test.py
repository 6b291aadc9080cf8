"""Every command does what its help says."""
import json
import shutil
import signal
import subprocess
import zipfile

from program import PROGRAM, ProgramTest, idx_bytes, npy_bytes, read_npy, read_safetensors

OUTPUTS = ["best.safetensors", "history.json", "last.safetensors", "log.csv", "recipe.toml", "run.json"]


class Train(ProgramTest):
    def test_learns_and_saves(self):
        result = self.succeed_json("train", "recipe.toml", "--set", "fit.epochs=40")
        self.assertGreater(result["test"]["accuracy"], 0.9)
        self.assertEqual(result["epochs"], 40)
        self.assertGreater(result["samples_per_second"], 0)
        self.assertIn("step", result["account"])
        self.assertEqual(sorted(result["files"]), OUTPUTS)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), OUTPUTS)

    def test_history_and_log_agree(self):
        self.succeed("train", "recipe.toml", "--quiet")
        history = json.loads((self.folder / "out/history.json").read_text())
        self.assertEqual([len(values) for values in history.values()], [2, 2])
        rows = (self.folder / "out/log.csv").read_text().splitlines()
        self.assertEqual(rows[0], "epoch," + ",".join(history))
        for row, loss in zip(rows[1:], history["loss"]):
            self.assertEqual(float(row.split(",")[-1]), loss)

    def test_history_has_what_not_every_epoch_has(self):
        self.succeed("train", "recipe.toml", "--quiet", "--set", "fit.validation_split=0.25", "--set",
                     "fit.validation_freq=2")
        history = json.loads((self.folder / "out/history.json").read_text())
        self.assertEqual([len(history["loss"]), len(history["val_loss"])], [2, 1])
        self.assertGreater(history["val_loss"][0], 0)
        rows = (self.folder / "out/log.csv").read_text().splitlines()
        self.assertEqual(rows[0], "epoch,accuracy,loss,val_accuracy,val_loss")
        self.assertEqual([row.count(",") for row in rows], [4, 4, 4])

    def test_the_best_epoch_is_the_one_where_a_metric_that_grows_is_largest(self):
        self.succeed("train", "recipe.toml", "--quiet", "--set", "fit.epochs=3", "--set", "output.monitor=score", "--set",
                     'compile.metrics=[{class_name="SparseCategoricalAccuracy", name="score"}]')
        history = json.loads((self.folder / "out/history.json").read_text())["score"]
        self.assertGreater(history[2], max(history[:2]))
        weights = [(self.folder / "out" / name).read_bytes() for name in ("best.safetensors", "last.safetensors")]
        self.assertEqual(*weights)

    def test_the_last_weights_are_those_that_were_tested(self):
        result = self.succeed_json("train", "recipe.toml", "--set", "fit.epochs=6", "--set",
                                   'compile.optimizer={class_name="SGD", learning_rate=0.5, use_ema=true}')
        tested = self.succeed_json("evaluate", "recipe.toml", "--weights", "out/last.safetensors")
        self.assertAlmostEqual(tested["loss"], result["test"]["loss"], places=5)

    def test_says_accuracy_pace_and_time(self):
        text = self.succeed("train", "recipe.toml")
        for words in ["Epoch 2/2", "test accuracy: ", "samples/s", "saved in out", "s = compile "]:
            self.assertIn(words, text)

    def test_quiet_shows_the_result_only(self):
        text = self.succeed("train", "recipe.toml", "--quiet")
        self.assertNotIn("Epoch", text)
        self.assertIn("test accuracy: ", text)

    def test_resolved_recipe_gives_the_same_training(self):
        first = self.succeed_json("train", "recipe.toml", "--set", "model.layers.1.units=5",
                                  "--set", "compile.optimizer={class_name=\"SGD\", momentum=0.5}")
        again = self.succeed_json("train", "out/recipe.toml", "--out", "again")
        self.assertEqual(first["history"], again["history"])
        weights = [(self.folder / f / "last.safetensors").read_bytes() for f in ("out", "again")]
        self.assertEqual(*weights)

    def test_mixed_precision(self):
        for policy in ("mixed_float16", "mixed_bfloat16"):
            chosen = ("--set", f"dtype_policy={policy}")
            result = self.succeed_json("train", "recipe.toml", "--set", "fit.epochs=40", *chosen)
            self.assertGreater(result["test"]["accuracy"], 0.9)
            weights = read_safetensors(self.folder / "out/last.safetensors")
            self.assertEqual({tensor["dtype"] for tensor in weights.values()}, {"F32"})
            self.succeed("predict", "recipe.toml", "--weights", "out/last.safetensors", "--x", "x.npy",
                         "--out", "y_pred.npy", *chosen)
            self.assertEqual(read_npy(self.folder / "y_pred.npy")[0], (64, 3))
        self.refuse("train", "recipe.toml", "--set", "dtype_policy=mixed_float61", says="mixed_float16")

    def test_validation_chooses_the_best(self):
        self.change("epochs = 2", "epochs = 3\nvalidation_split = 0.25")
        result = self.succeed_json("train", "recipe.toml")
        self.assertEqual(len(result["history"]["val_loss"]), 3)

    def test_callbacks(self):
        self.change("epochs = 2", "epochs = 50\ncallbacks = [{class_name = \"EarlyStopping\", "
                    "monitor = \"loss\", patience = 1, min_delta = 100.0}]")
        self.assertEqual(self.succeed_json("train", "recipe.toml")["epochs"], 2)

    def test_a_killed_training_goes_on_exactly(self):
        """Whenever it is killed, and with the callbacks' states: the 60th epoch is the last."""
        self.change("epochs = 2", """epochs = 100
callbacks = [
  {class_name = "BackupAndRestore", backup_dir = "backup"},
  {class_name = "ReduceLROnPlateau", monitor = "loss", patience = 7, min_delta = 100.0},
  {class_name = "EarlyStopping", monitor = "loss", patience = 59, min_delta = 100.0},
]""")
        self.change("units = 8", "units = 2048")
        self.change("batch_size = 16", "batch_size = 1")
        # Seven epochs fill the pipe that nobody reads any more: the training cannot come to its end before the kill.
        name = "a" * 10_000
        self.change('metrics = ["accuracy"]', f'metrics = ["accuracy", {{class_name = "SparseCategoricalAccuracy", name = "{name}"}}]')
        names = ("history.json", "log.csv", "best.safetensors", "last.safetensors")
        self.assertEqual(self.succeed_json("train", "recipe.toml")["epochs"], 60)
        whole = [(self.folder / "out" / name).read_bytes() for name in names]
        shutil.rmtree(self.folder / "out")
        for rows in (5, 15, 25):
            self.kill_after(rows)
        self.assertEqual(self.succeed_json("train", "recipe.toml")["epochs"], 60)
        self.assertEqual([(self.folder / "out" / name).read_bytes() for name in names], whole)
        self.assertFalse((self.folder / "backup").exists())
        self.assertEqual(list(self.folder.rglob(".*.tmp")), [])

    def kill_after(self, rows):
        """Kills a training as soon as it begins the epoch after so many."""
        with subprocess.Popen([PROGRAM, "train", "recipe.toml"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE) as program:
            while (line := program.stdout.readline()) and not line.startswith(f"Epoch {rows + 1}/"):
                pass
            program.kill()
        self.assertEqual(program.returncode, -signal.SIGKILL)

    def test_talkative_callbacks_do_not_spoil_json(self):
        self.change("epochs = 2", "epochs = 9\ncallbacks = [{class_name = \"EarlyStopping\", "
                    "monitor = \"loss\", min_delta = 100.0, verbose = 1}]")
        self.assertLess(self.succeed_json("train", "recipe.toml")["epochs"], 9)

    def test_nan_ends_the_training_with_status_1(self):
        self.write("x.npy", npy_bytes([float("nan")] * 256, (64, 4)))
        self.change(', activation = "relu"', "")
        done = self.run_program("train", "recipe.toml", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("NaN or infinite in epoch 1", done.stderr)
        self.assertIn("no finite weights were saved", done.stderr)
        self.assertNotIn("TerminateOnNaN", done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([result["loss_is_finite"], result["epochs"]], [False, 1])
        self.assertEqual(result["history"]["loss"], [None])
        self.assertFalse(list(self.folder.glob("out/*.safetensors")))

    def explode(self):
        """From the third epoch on the rate is so large that everything becomes infinite."""
        self.change("epochs = 2", "epochs = 9\nshuffle = false")
        self.change('optimizer = "adam"', """optimizer = {class_name = "SGD", learning_rate = {class_name = "PiecewiseConstantDecay", \
boundaries = [8], values = [0.01, 1e38]}}""")
        self.change(', activation = "relu"', "")

    def test_nan_leaves_the_last_finite_weights(self):
        self.succeed("train", "recipe.toml", "--quiet", "--set", "fit.shuffle=false", "--set", "compile.optimizer=sgd")
        self.explode()
        done = self.run_program("train", "recipe.toml", "--save", "last.npz", "--checkpoint", "points")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("-nan", done.stdout)
        self.assertIn("weights of epoch 2, the last finite ones", done.stderr)
        self.assertLess(len((self.folder / "out/log.csv").read_text().splitlines()), 6)
        self.succeed("train", "recipe.toml", "--quiet", "--epochs", "2", "--save", "two.npz", "--out", "two")
        for name in ("best", "last"):
            self.assertEqual((self.folder / f"out/{name}.safetensors").read_bytes(),
                             (self.folder / f"two/{name}.safetensors").read_bytes())
        self.assertEqual((self.folder / "last.npz").read_bytes(), (self.folder / "two.npz").read_bytes())
        text = self.run_program("train", "recipe.toml", "--checkpoint", "points", "--resume").stdout
        self.assertIn("resumed from points/latest.safetensors: epoch 3", text)

    def test_other_files_give_the_same_training(self):
        expected = self.succeed_json("train", "recipe.toml")["history"]
        with zipfile.ZipFile(self.folder / "data.npz", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("x.npy", (self.folder / "x.npy").read_bytes())
        rows = ["a,b,c,d,label"]
        for i, label in enumerate(self.labels):
            rows.append(",".join(repr(v) for v in self.x[4 * i:4 * i + 4]) + f",{label}")
        self.write("data.csv", "\n".join(rows) + "\n")
        self.write("labels.gz", self.gzipped(idx_bytes(self.labels, (64,))))
        sets = ["--set", "data.train.x=\"data.npz:x\"", "--set", "data.train.y=\"labels.gz\""]
        self.assertEqual(self.succeed_json("train", "recipe.toml", *sets)["history"], expected)
        sets = ["--set", "data.train.x={file=\"data.csv\", columns=[0,1,2,\"d\"]}", "--set",
                "data.train.y={file=\"data.csv\", columns=[-1], dtype=\"int64\"}"]
        result = self.succeed_json("train", "recipe.toml", *sets)["history"]
        for one, other in zip(result["loss"], expected["loss"]):
            self.assertAlmostEqual(one, other, places=5)

    def test_one_hot_and_reshape(self):
        self.write("x.npy", npy_bytes(self.x, (64, 2, 2)))
        self.change("[data.train]", "[data]\nx = {reshape = [-1, 4]}\ny = {one_hot = 3}\n\n[data.train]")
        self.change("sparse_categorical", "categorical")
        self.assertIn("accuracy", self.succeed_json("train", "recipe.toml")["test"])

    def test_several_inputs_outputs_and_a_shared_layer(self):
        layers = """layers = [
  {class_name = "Input", shape = [4], name = "left"},
  {class_name = "Input", shape = [4], name = "right"},
  {class_name = "Dense", units = 8, name = "shared", inputs = "left"},
  {layer = "shared", inputs = "right", name = "shared_right"},
  {class_name = "Concatenate", inputs = ["shared", "shared_right"], name = "both"},
  {class_name = "Dense", units = 3, activation = "softmax", name = "class"},
  {class_name = "Dense", units = 1, inputs = "both", name = "size"},
]
outputs = ["class", "size"]"""
        text = (self.folder / "recipe.toml").read_text()
        begin, end = text.index("layers = ["), text.index("]\n\n[compile]") + 1
        text = text[:begin] + layers + text[end:]
        text = text.replace('x = "x.npy"', 'x = ["x.npy", "x.npy"]')
        text = text.replace('y = "y.npy"', 'y = ["y.npy", "y.npy"]')
        text = text.replace('loss = "sparse_categorical_crossentropy"',
                            'loss = ["sparse_categorical_crossentropy", "mse"]')
        text = text.replace('metrics = ["accuracy"]', 'metrics = [["accuracy"], ["mae"]]')
        self.write("recipe.toml", text)
        result = self.succeed_json("train", "recipe.toml")
        self.assertLessEqual({"class_loss", "size_loss", "class_accuracy", "size_mae"},
                             set(result["test"]))
        params = self.succeed_json("summary", "recipe.toml")["params"]
        self.assertEqual(params, (4 * 8 + 8) + (16 * 3 + 3) + (16 + 1))
        self.succeed("predict", "recipe.toml", "--weights", "out/last.safetensors", "--x", "x.npy",
                     "--x", "x.npy", "--out", "y.npz")
        with zipfile.ZipFile(self.folder / "y.npz") as file:
            self.assertEqual(len(file.namelist()), 2)



class OtherCommands(ProgramTest):
    def test_evaluate_gives_what_train_saw(self):
        trained = self.succeed_json("train", "recipe.toml")
        seen = self.succeed_json("evaluate", "recipe.toml", "--weights", "out/last.safetensors",
                                 "--batch", "16")
        self.assertEqual(seen, trained["test"])

    def test_evaluate_takes_the_part_of_the_data_that_fit_used(self):
        split = ("--set", "fit.validation_split=0.25")
        trained = self.succeed_json("train", "recipe.toml", *split)["history"]
        seen = {part: self.succeed_json("evaluate", "recipe.toml", "--weights", "out/last.safetensors", "--data", part, *split)
                for part in ("train", "validation", "test")}
        self.assertAlmostEqual(seen["validation"]["loss"], trained["val_loss"][-1], places=5)
        self.assertAlmostEqual((3 * seen["train"]["loss"] + seen["validation"]["loss"]) / 4, seen["test"]["loss"], places=5)
        self.refuse("evaluate", "recipe.toml", "--weights", "out/last.safetensors", "--data", "validation",
                    says=["no validation data", "fit.validation_split"])

    def test_evaluate_does_not_take_the_test_data_of_a_data_set_for_validation(self):
        text = (self.folder / "recipe.toml").read_text()
        begin, end = text.index("[data.train]"), text.index("[model]")
        self.succeed("train", "recipe.toml", "--quiet")
        self.write("recipe.toml", text[:begin] + '[data]\ndataset = "fashion_mnist"\n\n' + text[end:])
        self.refuse("evaluate", "recipe.toml", "--weights", "out/last.safetensors", "--data", "validation",
                    says="no validation data")

    def test_predict(self):
        self.succeed("train", "recipe.toml", "--quiet")
        result = self.succeed_json("predict", "recipe.toml", "--weights", "out/last.safetensors",
                                   "--x", "x.npy", "--out", "y_pred.npy")
        self.assertEqual(result, {"out": "y_pred.npy", "shapes": [[64, 3]]})
        shape, values = read_npy(self.folder / "y_pred.npy")
        self.assertEqual(shape, (64, 3))
        for i in range(64):
            self.assertAlmostEqual(sum(values[3 * i:3 * i + 3]), 1, places=5)

    def test_summary(self):
        text = self.succeed("summary", "recipe.toml")
        self.assertIn("dense", text)
        found = self.succeed_json("summary", "recipe.toml")
        self.assertEqual(found["params"], 4 * 8 + 8 + 8 * 3 + 3)
        self.assertEqual([layer["class_name"] for layer in found["layers"]], ["Dense", "Dense"])

    def test_plan(self):
        plan = self.succeed_json("plan", "recipe.toml")
        parts = ["parameters", "gradients", "optimizer", "activations", "workspace", "inputs", "other", "context"]
        self.assertEqual(plan["total"], sum(plan[part] for part in parts))
        self.assertEqual(plan["parameters"], 4 * (4 * 8 + 8 + 8 * 3 + 3))
        self.assertEqual(plan["batch_size"], 16)
        self.assertEqual(plan["largest_batch"], 64)
        self.assertTrue(plan["fits"])
        larger = self.succeed_json("plan", "recipe.toml", "--batch-size", "64")
        self.assertGreater(larger["activations"], plan["activations"])
        self.assertEqual(larger["optimizer"], plan["optimizer"])
        self.assertIn("all 64 samples fit in one batch", self.succeed("plan", "recipe.toml"))

    def test_plan_for_several_processes(self):
        arguments = ("plan", "recipe.toml", "--processes", "8")
        plan = self.succeed_json(*arguments, "--bandwidth", "2")
        self.assertEqual(plan["reduced_bytes"], 4 * (4 * 8 + 8 + 8 * 3 + 3))
        self.assertEqual((plan["processes"], plan["batch_size"], plan["bandwidth"]), (8, 16, 2e9))
        self.assertAlmostEqual(plan["seconds_of_communication"], 2 * 7 * (10e-6 + 268 / 8 / 2e9))
        self.assertGreater(min(plan[f"seconds_of_{what}"] for what in ("one", "part", "part_without_sums")), 0)
        together = plan["seconds_of_part"] + plan["seconds_of_communication"]
        self.assertAlmostEqual(plan["seconds_together"], together)
        self.assertAlmostEqual(plan["efficiency"], plan["seconds_of_one"] / together / 8)
        self.assertEqual((plan["latency"], plan["faster_on_one"]), (10e-6, plan["seconds_of_one"] < together))
        self.assertIn("This network is faster on one process", self.succeed(*arguments, "--bandwidth", "1e-6"))
        self.refuse(*arguments, "--batch-size", "4", says="a batch of 4 has no row for each of 8 processes")
        self.refuse(*arguments, "--machines", "9", says="8 processes cannot be on 9 machines")
        self.refuse("plan", "recipe.toml", "--machines", "2", says="--machines is given, but --processes is 1.")
        self.refuse("plan", "recipe.toml", "--bandwidth", "2", says="--bandwidth is given, but --processes is 1.")

    def test_plan_without_data(self):
        self.change('[data.train]\nx = "x.npy"\ny = "y.npy"\n\n', "")
        self.assertGreater(self.succeed_json("plan", "recipe.toml")["largest_batch"], 64)

    def test_auto_batch(self):
        self.change("batch_size = 16", 'batch_size = "auto"\nrecompute = "auto"')
        text = self.succeed("train", "recipe.toml")
        self.assertIn("batch_size 32: ", text)
        self.assertIn("test accuracy: ", text)
        self.assertEqual(self.succeed_json("plan", "recipe.toml")["batch_size"], 32)

    def test_devices(self):
        found = self.succeed_json("devices")
        self.assertEqual(found["devices"][0]["kind"], "CPU")
        self.assertGreater(found["devices"][0]["cores"], 0)
        self.assertTrue(found["devices"][0]["backend_file"].endswith("libstoker_cpu.so"))
        for failure in found["failed"]:
            self.assertTrue(failure["reason"])
        self.assertIn("libstoker_cpu.so", self.succeed("devices"))

    def test_version_and_help(self):
        self.assertRegex(self.succeed("--version"), r"stoker \d+\.\d+")
        text = self.succeed("--help")
        for command in ("train", "predict", "evaluate", "summary", "plan", "devices", "bench", "Examples"):
            self.assertIn(command, text)
        self.assertIn("--set", self.succeed("train", "--help"))

    def test_bench_threads(self):
        rows = self.succeed_json("bench", "--case", "mlp128", "--batch", "1", "--threads", "1")["results"]
        self.assertEqual([(row["case"], row["batch"], row["threads"]) for row in rows], [("mlp128", 1, 1)])
        self.assertGreater(rows[0]["us"], 0)

    def test_bench_startup(self):
        self.assertEqual(self.succeed_json("bench", "--startup"), {"first_step": "done"})
