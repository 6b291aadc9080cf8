"""Commands on model files. The files are made of the recipe here; tools/keras_roundtrip has Keras's."""
import json
import zipfile

from program import ProgramTest, npy_bytes, read_npy


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
        """What convert makes of the trained model, by itself; whole models can be trained on."""
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


    def test_an_optimizer_without_state_starts_afresh(self):
        done = self.run_program("train", "model.keras", "--x", "x.npy", "--y", "y.npy", "--save",
                                "trained.keras")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("starts afresh", done.stderr)
        done = self.run_program("train", "trained.keras", "--x", "x.npy", "--y", "y.npy")
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
        for name in ("bytes", "floats"):
            self.succeed("predict", "model.keras", "--x", f"{name}.npy", "--out", f"{name}_out.npy")
        self.assertEqual(read_npy(self.folder / "bytes_out.npy"),
                         read_npy(self.folder / "floats_out.npy"))

    def test_summary_and_plan(self):
        self.assertEqual(self.succeed_json("summary", "model.keras")["params"], 4 * 8 + 8 + 8 * 3 + 3)
        plan = self.succeed_json("plan", "model.keras", "--batch-size", 8)
        self.assertEqual(plan["batch_size"], 8)
        self.assertGreater(plan["total"], 0)

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
        self.refuse("summary", "text.keras", says="is no model file")
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
        self.refuse("train", "model.keras", "--x", "x.npy", says="--y was given 0 times")
        self.write("short.npy", npy_bytes([0] * 3, (3,), "<i8"))
        self.refuse("train", "model.keras", *self.data(y="short.npy"), says="3")

    def test_a_place_that_cannot_be_written(self):
        self.refuse("train", "model.keras", *self.data("absent.npy"), "--save", "no/folder/m.keras",
                    says="no/folder/m.keras")

    def test_a_kind_of_file_that_cannot_be_saved(self):
        """Said before data is read."""
        for name, says in [("m.txt", '"m.txt" is no kind of file'), ("m", '"m" is no kind of file'),
                           ("m.json", "hold nothing that was trained")]:
            self.refuse("train", "model.keras", *self.data("absent.npy"), "--save", name, says=says)
        self.refuse("convert", "absent.keras", "m.txt", says='"m.txt" is no kind of file')

    def test_options_of_recipes(self):
        self.refuse("train", "model.keras", *self.data(), "--set", "fit.epochs=3",
                    says="--set is not for model files")
        self.refuse("train", "recipe.toml", "--x", "x.npy", says="--x is not for recipes")
