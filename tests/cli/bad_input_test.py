"""Bad input gives a clear message and the right exit status, and leaves no files."""
import json
import os
import unittest

from program import ProgramTest, idx_bytes, npy_bytes


class BadRecipe(ProgramTest):
    def expect(self, old, new, says):
        self.change(old, new)
        self.refuse("train", "recipe.toml", says=says)

    def test_unknown_table(self):
        self.expect("[compile]", "[compil]", ['no key "compil"', 'did you mean "compile"?', "recipe.toml:"])

    def test_unknown_fit_key(self):
        self.expect("epochs = 2", "epoch = 2", ['"epoch"', 'did you mean "epochs"?', "recipe.toml:24"])

    def test_unknown_data_key(self):
        self.expect('x = "x.npy"', 'xs = "x.npy"', ['"xs"', "recipe.toml:4"])

    def test_unknown_layer_argument(self):
        self.expect("units = 8", "unit = 8", ["Dense", '"units"', "recipe.toml:14"])

    def test_unknown_layer(self):
        self.expect('"Dense", units = 8', '"Dens", units = 8', ['unknown layer "Dens"', '"Dense"'])

    def test_unknown_activation(self):
        self.expect('"relu"', '"rellu"', ['"rellu"', 'did you mean "relu"?', "recipe.toml:14"])

    def test_unknown_loss(self):
        self.expect('"sparse_categorical_crossentropy"', '"sparse_categorical_crossentrpy"',
                    ["unknown loss", 'did you mean "sparse_categorical_crossentropy"?'])

    def test_unknown_optimizer(self):
        self.expect('"adam"', '"adan"', ['unknown optimizer "adan"', 'did you mean "Adam"?', "recipe.toml:19"])

    def test_unknown_optimizer_argument(self):
        self.expect('"adam"', '{class_name = "Adam", learning_rat = 0.1}', ['"learning_rate"', "recipe.toml:19"])

    def test_unknown_metric(self):
        self.expect('["accuracy"]', '["acuracy"]', ['"acuracy"', 'did you mean'])

    def test_unknown_callback(self):
        self.expect("epochs = 2", 'callbacks = [{class_name = "EarlyStoping"}]',
                    ['"EarlyStoping"', 'did you mean "EarlyStopping"?'])

    def test_unknown_data_set(self):
        self.change('[data.train]\nx = "x.npy"\ny = "y.npy"\n\n[data.test]\nx = "x.npy"\ny = "y.npy"',
                    '[data]\ndataset = "fashion_mnst"')
        self.refuse("train", "recipe.toml", says='did you mean "fashion_mnist"?')

    def test_unknown_key_of_set(self):
        self.refuse("train", "recipe.toml", "--set", "fit.epoch=3",
                  says=['"epoch"', 'did you mean "epochs"?', "--set fit.epoch=3"])
        self.refuse("train", "recipe.toml", "--set", "nothing", says="sets nothing")
        self.refuse("train", "recipe.toml", "--set", "model.layers.9.units=3", says="list of 3")

    def test_wrong_kind_of_value(self):
        self.expect("epochs = 2", 'epochs = "two"', ["an integer", '"two"', "recipe.toml:24"])

    def test_ranges(self):
        self.expect("batch_size = 16", "batch_size = 0", ["batch_size must be positive", "recipe.toml:25"])

    def test_words_instead_of_numbers(self):
        self.expect("batch_size = 16", 'batch_size = "many"', ['"many"', '"auto"', "recipe.toml:25"])

    def test_plan(self):
        self.refuse("plan", "recipe.toml", "--batch-size", "0", says="--batch-size: expected a whole number from 1 on, got 0", status=2)
        self.refuse("plan", "nothing.toml", says="nothing.toml")
        self.refuse("plan", "recipe.toml", "--device", "/cpu:9", says=["/cpu:9", "--device"])
        self.change('x = "x.npy"', 'x = "none.npy"')
        self.refuse("plan", "recipe.toml", says="none.npy")
        self.change("[compile]", "[compil]")
        self.refuse("plan", "recipe.toml", says='did you mean "compile"?')

    def test_shapes_in_the_model(self):
        self.change("units = 3", "units = 3, name = \"classes\"")
        self.expect('{class_name = "Input", shape = [4]}', '{class_name = "Input", shape = [4, 2, 1, 5, 6]},\n'
                    '  {class_name = "Conv2D", filters = 2, kernel_size = 3}', ["[conv2d]", "(None, 4, 2, 1, 5, 6)",
                                                                                "recipe.toml:14"])

    def test_input_shape(self):
        self.expect("shape = [4]", "shape = [0]", ["dimension of 0", "recipe.toml:13"])

    def test_out_of_memory(self):
        self.expect("units = 8", "units = 100000000000", "memory")

    def test_model_without_input(self):
        self.expect('  {class_name = "Input", shape = [4]},\n', "", ["does not say what it takes", "Input"])

    def test_toml(self):
        self.write("recipe.toml", "[model\nlayers = 3\n")
        self.refuse("train", "recipe.toml", says=["not TOML", "recipe.toml:1"])
        self.refuse("train", "absent.toml", says="absent.toml")

    def test_errors_in_json(self):
        done = self.refuse("train", "absent.toml", "--json", says="absent.toml")
        self.assertIn("absent.toml", json.loads(done.stdout)["error"])


class BadData(ProgramTest):
    def expect(self, says):
        self.refuse("train", "recipe.toml", says=says)

    def test_missing_file(self):
        (self.folder / "x.npy").unlink()
        self.expect(['no file "x.npy"', "recipe.toml:4"])

    def test_shape_does_not_fit_the_model(self):
        self.write("x.npy", npy_bytes([0.5] * 320, (64, 5)))
        self.expect(["(None, 4)", "(64, 5)"])

    def test_lengths_differ(self):
        self.write("y.npy", npy_bytes(self.labels[:60], (60,), "<i8"))
        self.expect(["x has 64 samples", "60"])

    def test_empty(self):
        self.write("x.npy", npy_bytes([], (0, 4)))
        self.write("y.npy", npy_bytes([], (0,), "<i8"))
        self.expect("empty")

    def test_label_out_of_range(self):
        self.labels[17] = 3
        self.write("y.npy", npy_bytes(self.labels, (64,), "<i8"))
        self.expect(["sample 17 has label 3", "classes 0 to 2"])

    def test_truncated_npy(self):
        self.write("x.npy", (self.folder / "x.npy").read_bytes()[:-10])
        self.expect("x.npy")

    def test_corrupt_npy(self):
        self.write("x.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': broken")
        self.expect("x.npy")

    def test_corrupt_npz(self):
        self.write("x.npz", b"PK\x03\x04" + bytes(100))
        self.change('x = "x.npy"', 'x = "x.npz:x"')
        self.expect("x.npz")

    def test_truncated_idx_and_gz(self):
        whole = idx_bytes(self.labels, (64,))
        for content in (whole[:-5], self.gzipped(whole)[:-12], self.gzipped(whole[:-5])):
            self.write("labels.idx", content)
            self.refuse("train", "recipe.toml", "--set", "data.train.y=\"labels.idx\"", says="labels.idx")

    def test_csv(self):
        self.write("x.csv", "1,2,3,4\n1,2,oops,4\n")
        self.refuse("train", "recipe.toml", "--set", "data.train.x=\"x.csv\"", says=["x.csv:2", "oops"])


class BadOutput(ProgramTest):
    def test_folder_is_a_file(self):
        self.write("out", "taken")
        self.refuse("train", "recipe.toml", says='"out')

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_unwritable(self):
        (self.folder / "out").mkdir(mode=0o500)
        self.refuse("train", "recipe.toml", says='"out')

    def test_kernel_folder(self):
        self.refuse("train", "recipe.toml", "--out", "/proc/stoker", says="/proc/stoker")

    def test_weights_do_not_fit(self):
        self.succeed("train", "recipe.toml", "--quiet")
        self.refuse("evaluate", "recipe.toml", "--weights", "out/last.safetensors", "--set",
                  "model.layers.1.units=9", says=["(4, 9)", "(4, 8)"])
        self.refuse("predict", "recipe.toml", "--weights", "x.npy", "--x", "x.npy", "--out", "p.npy", says="x.npy")

    def test_predict_cannot_write(self):
        self.succeed("train", "recipe.toml", "--quiet")
        self.refuse("predict", "recipe.toml", "--weights", "out/last.safetensors", "--x", "x.npy",
                  "--out", "absent/p.npy", says="absent/p.npy")

    def test_usage(self):
        self.refuse(status=2, says="stoker: ")
        self.refuse("trian", "recipe.toml", status=2, says='did you mean "train"?')
        self.refuse("train", "recipe.toml", "--ste", "a=1", status=2, says='did you mean "--set"?')
        self.refuse("train", status=2, says="model is required")
        self.refuse("train", "recipe.toml", "--nonsense", status=2, says="--nonsense")
        self.refuse("bench", "--case", "mlp1", says=["mlp1", "mlp128"])
        self.refuse("bench", "--threads", "0", status=2, says=["--threads", "0", "1024"])


class BadEnvironment(ProgramTest):
    def test_number_of_threads(self):
        for bad in ["two", "0", "-1", "2x", "100000"]:
            done = self.run_program("train", "recipe.toml", STOKER_NUM_THREADS=bad)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f'STOKER_NUM_THREADS is "{bad}". Hint: a number from 1 to 1024', done.stderr)
        self.succeed("train", "recipe.toml", STOKER_NUM_THREADS="1")
