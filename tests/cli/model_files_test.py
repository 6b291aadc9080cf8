"""Commands on model files. The files are made of the recipe here; tools/keras_roundtrip has Keras's."""
import json
import zipfile

from program import ProgramTest, npy_bytes, npy_strings, read_npy


class ModelFile(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("convert", "recipe.toml", "model.keras")

    def train(self, *more, model="model.keras", save="trained.keras"):
        return self.succeed_json("train", model, "--x", "x.npy", "--y", "y.npy", "--batch-size", 16,
                                 "--save", save, "--history", "history.json", *more)

    def config(self, path="model.keras"):
        with zipfile.ZipFile(self.folder / path) as archive:
            return json.loads(archive.read("config.json"))

    def rewrite(self, path, change):
        """The archive again, with another config.json."""
        with zipfile.ZipFile(self.folder / "model.keras") as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        config = json.loads(members["config.json"])
        change(config)
        members["config.json"] = json.dumps(config).encode()
        with zipfile.ZipFile(self.folder / path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)


class Train(ModelFile):
    def test_learns_saves_and_tells(self):
        result = self.train("--epochs", 30)
        self.assertGreater(result["history"]["accuracy"][-1], 0.9)
        history = json.loads((self.folder / "history.json").read_text())
        self.assertEqual(sorted(history), ["accuracy", "loss"])
        self.assertEqual(len(history["loss"]), 30)
        evaluated = self.succeed_json("evaluate", "trained.keras", "--x", "x.npy", "--y", "y.npy")
        self.assertLess(evaluated["loss"], history["loss"][0])

    def test_goes_on_where_it_was(self):
        """Two runs of one epoch are one run of two: weights, optimizer and counts are in the file."""
        order = ("--shuffle", "false")
        self.train("--epochs", 2, *order)
        whole = self.weights("trained.keras")
        self.train("--epochs", 1, *order)
        (self.folder / "trained.keras").rename(self.folder / "half.keras")
        self.train("--epochs", 1, *order, model="half.keras")
        self.assertEqual(self.weights("trained.keras"), whole)

    def test_saves_in_every_kind_of_file(self):
        """Files that convert makes of the trained model; whole models can be trained further."""
        more = ("--epochs", 1, "--seed", 5)
        self.train(*more)
        for name in ("s.h5", "s.hdf5", "s.keras"):
            self.train(*more, save=name)
            self.assertEqual(self.weights(name), self.weights("trained.keras"), name)
            done = self.run_program("train", name, "--x", "x.npy", "--y", "y.npy")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)  # with the optimizer's state
        for name in ("s.weights.h5", "s.safetensors", "s.npz"):
            self.train(*more, save=name)
            self.succeed("convert", "trained.keras", "by_convert_" + name)
            self.assertEqual((self.folder / name).read_bytes(),
                             (self.folder / ("by_convert_" + name)).read_bytes(), name)

    def weights(self, path):
        self.succeed("convert", path, "weights.npz")
        with zipfile.ZipFile(self.folder / "weights.npz") as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def test_settings_given_go_before_the_files(self):
        self.train("--epochs", 1, "--optimizer", "sgd", "--learning-rate", 0.5, "--metric",
                   "accuracy", "--metric", "sparse_categorical_crossentropy", "--loss",
                   "sparse_categorical_crossentropy")
        settings = self.config("trained.keras")["compile_config"]
        self.assertEqual(settings["optimizer"]["class_name"], "SGD")
        self.assertEqual(settings["optimizer"]["config"]["learning_rate"], 0.5)
        self.assertEqual(settings["metrics"], ["accuracy", "sparse_categorical_crossentropy"])

    def test_options_are_keys_of_a_recipe(self):
        """Both spellings for both kinds of file, and a recipe that names the model file."""
        want = self.train("--epochs", 3, "--seed", 5)["history"]
        self.assertEqual(self.train("--set", "fit.epochs=3", "--set", "seed=5")["history"], want)
        text = (self.folder / "recipe.toml").read_text()
        begin, end = text.index("[model]"), text.index("[fit]")
        self.write("named.toml", text[:begin] + '[model]\nfile = "model.keras"\n\n' + text[end:])
        for options in (("--epochs", 3), ("--set", "fit.epochs=3")):
            result = self.succeed_json("train", "named.toml", "--seed", 5, *options)
            self.assertEqual(result["history"], want)
        self.assertEqual(self.succeed_json("evaluate", "named.toml", "--weights", "out/last.safetensors", "--batch", 16),
                         result["test"])
        self.refuse("train", "named.toml", "--set", "model.name=a", says='"model" has no key "name"')

    def test_callbacks_and_an_output_folder(self):
        result = self.train("--epochs", 50, "--out", "out", "--callbacks",
                            '{class_name = "EarlyStopping", monitor = "loss", min_delta = 100.0, patience = 1}',
                            "--callbacks", '{"class_name": "CSVLogger", "filename": "own.csv"}', "--callbacks", "TerminateOnNaN")
        self.assertEqual(result["epochs"], 2)
        self.assertEqual(result["files"], ["best.safetensors", "history.json", "last.safetensors", "log.csv", "recipe.toml", "run.json"])
        self.assertEqual(len((self.folder / "own.csv").read_text().splitlines()), 3)
        self.assertEqual(json.loads((self.folder / "out/history.json").read_text()),
                         json.loads((self.folder / "history.json").read_text()))
        self.refuse("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--callbacks", "EarlyStoping",
                    says=["--callbacks", 'did you mean "EarlyStopping"?'])

    def test_chooses_a_batch_size(self):
        text = self.succeed("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--batch-size", "auto")
        self.assertIn("batch_size 32: ", text)

    def test_says_before_training_that_nothing_will_be_saved(self):
        data = ("--x", "x.npy", "--y", "y.npy")
        text = self.succeed("train", "model.keras", *data)
        self.assertLess(text.index("nothing will be saved"), text.index("Epoch 1/1"))
        self.assertNotIn("nothing will be saved", self.succeed("train", "model.keras", *data, "--save", "m.keras"))

    def test_quiet_shows_the_result(self):
        text = self.succeed("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--quiet", "--save", "m.keras")
        self.assertRegex(text, r"^epoch 1 accuracy: 0\.\d+ - loss: \d")
        self.assertIn("saved m.keras", text)

    def test_nan_does_not_overwrite_the_saved_model(self):
        self.train()
        good = (self.folder / "trained.keras").read_bytes()
        self.write("x.npy", npy_bytes([float("nan")] * 256, (64, 4)))
        done = self.run_program("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--save", "trained.keras")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual((self.folder / "trained.keras").read_bytes(), good)

    def test_a_checkpoint_is_not_started_over(self):
        """A run that was interrupted leaves its checkpoint, which only --resume takes; the end removes it."""
        self.train("--epochs", 4, "--seed", 5)
        whole = self.weights("trained.keras")
        more = ("--seed", 5, "--checkpoint", "points", "--checkpoint-freq", 2)
        done = self.run_program("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--batch-size", 16, "--epochs", 4,
                                "--save", "trained.keras", *more, "--callbacks",
                                '{class_name = "CSVLogger", filename = "/dev/full"}')
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(list(self.folder.glob("points/*")), done.stderr)
        self.refuse("train", "model.keras", "--x", "x.npy", "--y", "y.npy", *more, says=["points", "--resume"])
        result = self.train("--epochs", 4, *more, "--resume")
        self.assertRegex(result["resumed"], "resumed from points/latest.safetensors: epoch 1, batch 3|epoch 1, batch 5|epoch 2")
        self.assertEqual(self.weights("trained.keras"), whole)
        self.assertFalse((self.folder / "points").exists())
        done = self.run_program("train", "model.keras", "--x", "x.npy", "--y", "y.npy", *more, "--resume", "--quiet")
        self.assertIn('no checkpoint in "points": training begins at the start', done.stderr)
        self.refuse("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--resume", says="--checkpoint FOLDER")

    def test_validates(self):
        result = self.train("--epochs", 2, "--validation-split", 0.25)
        self.assertEqual(sorted(result["history"]), ["accuracy", "loss", "val_accuracy", "val_loss"])
        result = self.train("--epochs", 1, "--validation-x", "x.npy", "--validation-y", "y.npy")
        self.assertIn("val_loss", result["history"])

    def test_weighs(self):
        self.write("w.npy", npy_bytes([0.0] * 64, (64,)))
        result = self.train("--epochs", 1, "--sample-weight", "w.npy")
        self.assertEqual(result["history"]["loss"], [0.0])
        result = self.train("--epochs", 1, "--class-weight", '{"0": 0, "1": 0, "2": 0}')
        self.assertEqual(result["history"]["loss"], [0.0])

    def test_a_seed_makes_runs_equal(self):
        first = self.train("--epochs", 2, "--seed", 5)["history"]
        self.assertEqual(self.train("--epochs", 2, "--seed", 5)["history"], first)


    def test_an_optimizer_without_state_needs_no_warning(self):
        for model in ("model.keras", "trained.keras"):
            done = self.run_program("train", model, "--x", "x.npy", "--y", "y.npy", "--save",
                                    "trained.keras")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")


class Others(ModelFile):
    def test_predict(self):
        self.succeed("predict", "model.keras", "--x", "x.npy", "--out", "p.npy", "--batch-size", 10)
        shape, values = read_npy(self.folder / "p.npy")
        self.assertEqual(shape, (64, 3))
        self.assertAlmostEqual(sum(values[:3]), 1, places=5)

    def test_inputs_of_other_types(self):
        self.write("bytes.npy", npy_bytes([1, 2, 3, 4] * 2, (2, 4), "|u1"))
        self.write("floats.npy", npy_bytes([1, 2, 3, 4] * 2, (2, 4)))
        names = ["bytes", "floats"]
        for descr in ("<i2", "<u2", "<u4", "<u8"):
            names.append(descr[1:])
            self.write(f"{names[-1]}.npy", npy_bytes([1, 2, 3, 4] * 2, (2, 4), descr))
        for name in names:
            self.succeed("predict", "model.keras", "--x", f"{name}.npy", "--out", f"{name}_out.npy")
            self.assertEqual(read_npy(self.folder / f"{name}_out.npy"),
                             read_npy(self.folder / "bytes_out.npy"))

    def test_summary_and_plan(self):
        self.assertEqual(self.succeed_json("summary", "model.keras")["params"], 4 * 8 + 8 + 8 * 3 + 3)
        plan = self.succeed_json("plan", "model.keras", "--batch-size", 8)
        self.assertEqual(plan["batch_size"], 8)
        self.assertGreater(plan["total"], 0)

    def test_a_plan_for_another_loss_and_optimizer(self):
        plans = [self.succeed_json("plan", "model.keras", "--loss", "mse", "--optimizer", name)
                 for name in ("sgd", "adam")]
        self.assertLess(plans[0]["optimizer"], plans[1]["optimizer"])

    def test_what_does_not_train_does_not_warn_of_the_optimizers_state(self):
        self.succeed("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--save", "trained.keras")
        for name in ("model.keras", "trained.keras"):
            for command in (["summary", name], ["plan", name], ["convert", name, "other.keras"],
                            ["convert", name, "w.npz"],
                            ["evaluate", name, "--x", "x.npy", "--y", "y.npy"]):
                done = self.run_program(*command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_weights_in_every_kind_of_file_are_the_same(self):
        self.succeed("predict", "model.keras", "--x", "x.npy", "--out", "p.npy")
        for name in ("w.weights.h5", "w.safetensors", "w.npz"):
            self.succeed("convert", "model.keras", name)
            self.succeed("convert", "model.keras", "description.json")
            self.succeed("convert", "description.json", "again.keras", "--weights", name)
            self.succeed("predict", "again.keras", "--x", "x.npy", "--out", "q.npy")
            self.assertEqual(read_npy(self.folder / "p.npy"), read_npy(self.folder / "q.npy"), name)


class BadInput(ModelFile):
    def setUp(self):
        super().setUp()
        self.train("--epochs", 1)  # else its optimizer has no state yet, of which train warns
        (self.folder / "trained.keras").rename(self.folder / "model.keras")

    def data(self, x="x.npy", y="y.npy"):
        return ("--x", x, "--y", y)

    def test_a_file_that_is_no_model(self):
        self.write("text.keras", "hello")
        self.refuse("summary", "text.keras", says="is not a model file")
        self.refuse("summary", "absent.keras", says="absent.keras")

    def test_a_truncated_file(self):
        content = (self.folder / "model.keras").read_bytes()
        self.write("half.keras", content[:len(content) // 2])
        self.refuse("predict", "half.keras", "--x", "x.npy", "--out", "p.npy", says="half.keras")

    def test_everything_unsupported_is_named_before_data_is_read(self):
        def change(config):
            config["config"]["layers"][1]["class_name"] = "Lambda"
            config["config"]["layers"][2]["class_name"] = "Danse"
            config["compile_config"]["loss"] = "no_such_loss"
        self.rewrite("strange.keras", change)
        self.refuse("train", "strange.keras", *self.data("absent.npy", "absent.npy"),
                    says=["Lambda", "Danse", "no_such_loss"])

    def test_a_loss_of_somebody_else(self):
        """Commands that need no loss work, and convert keeps it; the others say how to give one."""
        loss = {"module": "builtins", "class_name": "function", "config": "asymmetric", "registered_name": "function"}
        metric = {"module": "mine", "class_name": "Worst", "config": {}, "registered_name": "mine>Worst"}

        def change(config):
            config["compile_config"]["loss"] = loss
            config["compile_config"]["metrics"] = [metric]
        self.rewrite("theirs.keras", change)
        self.assertIn("dense", self.succeed("summary", "theirs.keras"))
        self.assertIn("asymmetric", self.refuse("train", "theirs.keras", *self.data("absent.npy"),
                                                says=["--loss", "--metric", "{.compile = false}"]).stderr)
        self.refuse("evaluate", "theirs.keras", *self.data("absent.npy"), says=["mine>Worst", "--loss"])
        self.assertGreater(self.succeed_json("plan", "theirs.keras")["total"], 0)
        self.succeed("convert", "theirs.keras", "again.keras")
        self.assertEqual(self.config("again.keras")["compile_config"]["loss"], loss)
        self.assertEqual(self.config("again.keras")["compile_config"]["metrics"], [metric])
        for name in ("again.h5", "again.json", "again.weights.h5", "theirs.safetensors"):
            self.succeed("convert", "theirs.keras", name)
        self.succeed("convert", "again.keras", "again.safetensors")
        self.assertEqual((self.folder / "again.safetensors").read_bytes(),
                         (self.folder / "theirs.safetensors").read_bytes())
        self.succeed("convert", "again.json", "from_json.keras")
        self.assertEqual(self.config("from_json.keras")["compile_config"]["loss"], loss)
        self.succeed("train", "theirs.keras", *self.data(), "--loss", "sparse_categorical_crossentropy",
                     "--metric", "accuracy")

    def test_an_optimizer_of_somebody_else(self):
        def change(config):
            config["compile_config"]["optimizer"] = {"module": "mine", "class_name": "Fast", "config": {},
                                                     "registered_name": "mine>Fast"}
        self.rewrite("theirs.keras", change)
        self.succeed("summary", "theirs.keras")
        self.assertIn("its state is not kept", self.run_program("convert", "theirs.keras", "again.keras").stderr)
        self.assertEqual(self.config("again.keras")["compile_config"]["optimizer"]["class_name"], "Fast")
        self.refuse("plan", "theirs.keras", says="--optimizer")

    def test_weights_of_another_shape(self):
        def change(config):
            config["config"]["layers"][1]["config"]["units"] = 9
        self.rewrite("other.keras", change)
        self.refuse("summary", "other.keras",
                    says=["layers/dense/vars/0", "float32(4, 9)", "float32(4, 8)"])

    def test_not_compiled(self):
        def change(config):
            config["compile_config"] = {}
        self.rewrite("plain.keras", change)
        self.refuse("train", "plain.keras", *self.data("absent.npy"), says=["loss", "--loss"])
        self.succeed("train", "plain.keras", *self.data(), "--loss",
                     "sparse_categorical_crossentropy", "--optimizer", "sgd")

    def test_options_are_checked_before_the_file_is_read(self):
        for option, wrong, says in [("--optimizer", "foo", ['unknown optimizer "foo"', "known are: Adadelta", "SGD"]),
                                    ("--optimizer", "adan", ['did you mean "Adam"?']),
                                    ("--optimizer", '{"class_name": "SGD", "config": {"momentun": 1}}', ['did you mean "momentum"?']),
                                    ("--loss", "no_such_loss", ['unknown loss "no_such_loss"']),
                                    ("--metric", "acuracy", ['"acuracy"'])]:
            done = self.refuse("train", "absent.keras", *self.data(), option, wrong, says=[option, *says])
            self.assertNotIn("absent.keras", done.stderr)

    def test_data_that_does_not_fit(self):
        self.write("wide.npy", npy_bytes([0.0] * 10, (2, 5)))
        self.refuse("predict", "model.keras", "--x", "wide.npy", "--out", "p.npy",
                    says=["wide.npy", "(2, 5)", "(None, 4)"])
        self.refuse("train", "model.keras", *self.data(), "--x", "x.npy", says="1 input,")
        self.refuse("train", "model.keras", "--x", "x.npy", says='"data.train.y" is missing')
        self.write("short.npy", npy_bytes([0] * 3, (3,), "<i8"))
        self.refuse("train", "model.keras", *self.data(y="short.npy"), says="3")

    def test_a_place_that_cannot_be_written(self):
        self.refuse("train", "model.keras", *self.data("absent.npy"), "--save", "no/folder/m.keras",
                    says="no/folder/m.keras")

    def test_a_kind_of_file_that_cannot_be_saved(self):
        """Reported before data is read."""
        for name, says in [("m.txt", '"m.txt" is not a file type'), ("m", '"m" is not a file type'),
                           ("m.json", "hold nothing that was trained")]:
            self.refuse("train", "model.keras", *self.data("absent.npy"), "--save", name, says=says)
        self.refuse("convert", "absent.keras", "m.txt", says='"m.txt" is not a file type')

    def test_options_of_the_other_kind(self):
        """train has the same options for both; the other commands name an option that the kind of file does not have."""
        self.refuse("evaluate", "model.keras", *self.data(), "--set", "fit.epochs=3",
                    says="--set is not for model files")
        self.refuse("evaluate", "recipe.toml", "--x", "x.npy", says="--x is not for recipes")


class Values(ModelFile):
    def setUp(self):
        super().setUp()
        self.train("--epochs", 1)  # trained.keras, with the optimizer's state

    def test_strings_are_no_numbers(self):
        self.write("s.npy", npy_strings([f"{x:.4f}" for x in self.x], (64, 4)))
        says = ["takes float32", "(64, 4) holds strings", "x.astype('float32')"]
        self.refuse("train", "trained.keras", "--x", "s.npy", "--y", "y.npy", "--save", "t.keras", says=says)
        self.refuse("evaluate", "trained.keras", "--x", "s.npy", "--y", "y.npy", says=says)
        self.refuse("predict", "trained.keras", "--x", "s.npy", "--out", "p.npy", says=says)
        self.write("labels.npy", npy_strings([str(label) for label in self.labels], (64,)))
        self.refuse("train", "trained.keras", "--x", "x.npy", "--y", "labels.npy", "--save", "t.keras",
                    says=["targets must be numbers", "holds strings"])
        self.change('x = "x.npy"', 'x = {file = "s.npy", dtype = "float32"}')
        self.refuse("train", "recipe.toml", says="an array of strings, of shape (64, 4), cannot become float32")

    def test_ids_without_a_row_are_refused(self):
        self.change('{class_name = "Input", shape = [4]},', '{class_name = "Input", shape = [4], dtype = "int32"},\n'
                    '  {class_name = "Embedding", input_dim = 10, output_dim = 2}, {class_name = "Flatten"},')
        self.succeed("convert", "recipe.toml", "ids.keras")
        ids = [i % 10 for i in range(256)]
        self.write("x.npy", npy_bytes(ids, (64, 4), "<i8"))
        self.succeed("train", "ids.keras", "--x", "x.npy", "--y", "y.npy", "--save", "t.keras")
        for wrong in (10, -1, 2**40):
            ids[9] = wrong
            self.write("x.npy", npy_bytes(ids, (64, 4), "<i8"))
            says = [f"sample 2 of input 0 has id {wrong}", "rows 0 to 9"]
            self.refuse("train", "t.keras", "--x", "x.npy", "--y", "y.npy", "--save", "u.keras", says=says)
            self.refuse("predict", "t.keras", "--x", "x.npy", "--out", "p.npy", says=says)
            self.refuse("train", "recipe.toml", says=says)

    def test_hints_name_what_works(self):
        base = ("train", "trained.keras", "--x", "x.npy", "--y", "y.npy")
        for share in ("1", "1.5", "-0.1"):
            self.refuse(*base, "--validation-split", share, status=2,
                        says=f"expected a number from 0 up to, but not including, 1, got {share}")
        refused = self.refuse(*base, "--save", "o.xyz", says=".keras and .h5 hold a model")
        self.assertNotIn(".json", refused.stderr)
        self.refuse("convert", "trained.keras", "o.xyz", says=".json its description")
        self.write("bad.keras", b"no archive")
        self.refuse("summary", "bad.keras", says='".h5" files of Keras 2 or 3')
        self.write("empty.npy", b"")
        self.refuse("predict", "trained.keras", "--x", "empty.npy", "--out", "p.npy", says="is empty: it has 0 bytes")
        self.write("object.npy", npy_bytes([], (0,)).replace(b"'<f4'", b"'|O' "))
        self.refuse("predict", "trained.keras", "--x", "object.npy", "--out", "p.npy",
                    says=["astype('float32') for numbers", "astype('U') for strings"])
