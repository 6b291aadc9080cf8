"""Data that a path names: train --data, the commands data and pack, recipes with [data.pipeline]."""
import gzip
import io
import json
import struct
import tarfile
import zlib

from program import ProgramTest, idx_bytes

MODEL = """\
seed = 3
[data]
image_size = 8
[[model.layers]]
class_name = "Input"
shape = [8, 8, 3]
[[model.layers]]
class_name = "Rescaling"
scale = 0.00392
[[model.layers]]
class_name = "Flatten"
[[model.layers]]
class_name = "Dense"
units = 2
activation = "softmax"
[compile]
optimizer = {class_name = "Adam", learning_rate = 0.05}
loss = "sparse_categorical_crossentropy"
metrics = ["accuracy"]
[fit]
epochs = 6
batch_size = 4
verbose = 0
[output]
folder = "out"
"""

TABLE_MODEL = """\
[[model.layers]]
class_name = "Input"
shape = [2]
[[model.layers]]
class_name = "Dense"
units = 1
[compile]
optimizer = {class_name = "Adam", learning_rate = 0.1}
loss = "mse"
[fit]
epochs = 60
verbose = 0
[output]
folder = "out"
"""


def png(color, side=12):
    """A PNG file of one color."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes(color) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Images(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("images.toml", MODEL)
        for part, count in [("train", 8), ("val", 3)]:
            for name, color in [("blue", (0, 0, 200)), ("red", (200, 0, 0))]:
                folder = self.folder / part / name
                folder.mkdir(parents=True)
                for i in range(count):
                    (folder / f"{i}.png").write_bytes(png([min(255, c + 5 * i) for c in color]))

    def test_a_folder_is_learnt(self):
        result = self.succeed_json("train", "images.toml", "--data", "train", "--validation-data", "val")
        self.assertEqual(result["history"]["val_accuracy"][-1], 1)
        self.assertLess(result["history"]["loss"][-1], result["history"]["loss"][0])

    def test_validation_needs_the_classes_of_the_training(self):
        for part, name in [("train", "green"), ("val", "amber")]:
            folder = self.folder / part / name
            folder.mkdir()
            (folder / "0.png").write_bytes(png((0, 200, 0)))
        self.refuse("train", "images.toml", "--data", "train", "--validation-data", "val",
                    says='"val" has the classes of "train" without green and with amber')
        (self.folder / "train" / "amber").mkdir()
        (self.folder / "val" / "green").mkdir()
        self.succeed("train", "images.toml", "--data", "train", "--validation-data", "val",
                     "--set", "model.layers.3.units=4")

    def test_images_have_the_size_of_the_models_input(self):
        self.write("sizeless.toml", MODEL.replace("image_size = 8", ""))
        losses = [self.succeed_json("train", recipe, "--data", "train")["history"]["loss"]
                  for recipe in ("images.toml", "sizeless.toml")]
        self.assertEqual(losses[0], losses[1])

    def test_a_packed_file_trains_as_its_folder_does(self):
        packed = self.succeed_json("pack", "train", "train.stk")
        self.assertEqual((packed["samples"], packed["element"]), (16, "(uint8(None,), int32())"))
        sized = self.succeed_json("pack", "train", "sized.stk", "--image-size", "8")
        self.assertEqual(sized["element"], "(uint8(8, 8, 3), int32())")
        losses = [self.succeed_json("train", "images.toml", "--data", data)["history"]["loss"]
                  for data in ("train", "train.stk", "sized.stk")]
        self.assertEqual(losses[0], losses[1])
        self.assertAlmostEqual(losses[0][-1], losses[2][-1], places=3)

    def test_stages_of_a_recipe_are_used(self):
        self.write("stages.toml", MODEL.replace("[data]\nimage_size = 8", """[data]
train = "train"
validation = "val"
[data.pipeline]
shuffle = 100
random_resized_crop = 8
random_flip_left_right = true
rescale = 1.0"""))
        result = self.succeed_json("train", "stages.toml")
        self.assertEqual(result["history"]["val_accuracy"][-1], 1)
        self.refuse("train", "stages.toml", "--set", "data.pipeline.random_flop=1",
                    says='no stage "random_flop"')
        for cache in ("true", '"kept"'):
            self.refuse("train", "stages.toml", "--set", f"data.pipeline.cache={cache}", says="in the first epoch")

    def test_a_recipe_takes_a_shard_and_caches_in_a_file(self):
        self.write("shard.toml", MODEL.replace("[data]\nimage_size = 8", """[data]
train = "train"
validation = "val"
[data.pipeline]
resize = 8
shard = {num_shards = 2, index = 1}
cache = "kept"
rescale = 1.0"""))
        losses, written = [], []
        for _ in range(2):
            losses.append(self.succeed_json("train", "shard.toml")["history"]["loss"])
            written.append((self.folder / "kept").stat().st_mtime_ns)
        self.assertEqual((losses[0], written[0]), (losses[1], written[1]))
        shown = {name: self.succeed_json("data", name)["samples"] for name in ("kept", "kept.validation", "train", "val")}
        self.assertEqual((shown["kept"] * 2, shown["kept.validation"] * 2), (shown["train"], shown["val"]))
        self.refuse("train", "shard.toml", "--set", "data.pipeline.shard={num_shards = 2, index = 2}", says="index 2 of 2")
        self.refuse("train", "shard.toml", "--set", "data.pipeline.shard={index = 2}", says="num_shards")

    def test_data_says_what_is_there(self):
        shown = self.succeed_json("data", "train", "--image-size", "8", "--sheet", "sheet.png")
        self.assertEqual((shown["kind"], shown["samples"], shown["whole"]), ("image folder", 16, True))
        self.assertEqual(shown["classes"], [{"name": "blue", "samples": 8}, {"name": "red", "samples": 8}])
        self.assertEqual((self.folder / "sheet.png").read_bytes()[:4], b"\x89PNG")
        text = self.succeed("data", "train", "--image-size", "8")
        for words in ["train: image folder, 16 samples", "class 1: red, 8 samples", "samples/s"]:
            self.assertIn(words, text)

    def test_data_needs_no_size_of_images(self):
        (self.folder / "train" / "red" / "large.png").write_bytes(png((200, 0, 0), 17))
        shown = self.succeed_json("data", "train", "--sheet", "sheet.png")
        self.assertEqual((shown["samples"], shown["sample"]), (17, "(uint8(None, None, 3), int32())"))
        self.assertEqual((self.folder / "sheet.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("images: 12 to 17 pixels high, 12 to 17 wide", self.succeed("data", "train"))
        self.succeed("pack", "train", "train.stk")
        self.assertIn("12 to 17 pixels high", self.succeed("data", "train.stk"))

    def test_wrong_data_is_refused_with_its_name(self):
        self.refuse("data", "absent", says='no file or folder "absent"')
        self.write("notes.docx", "x")
        self.refuse("data", "notes.docx", says="not a kind of data")
        self.write("train/red/0.png", png((1, 2, 3))[:60])
        self.refuse("data", "train", "--image-size", "8", says="train/red/0.png")
        self.refuse("pack", "train", "sized.stk", "--image-size", "8", says="train/red/0.png")


class Shards(ProgramTest):
    """A tar file of images whose sizes differ, with classes."""

    def setUp(self):
        super().setUp()
        self.write("images.toml", MODEL)
        self.members = [(f"{i:03}", png([200, 0, 0] if i % 2 else [0, 0, 200], 9 + i % 4), str(i % 2)) for i in range(12)]
        self.write_shard()

    def write_shard(self):
        with tarfile.open(self.folder / "some.tar", "w") as tar:
            for key, image, label in self.members:
                for ending, content in [("png", image), ("cls", label.encode())]:
                    member = tarfile.TarInfo(f"{key}.{ending}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))

    def test_shards_train_and_are_packed_as_files(self):
        losses = self.succeed_json("train", "images.toml", "--data", "some.tar")["history"]["loss"]
        self.assertLess(losses[-1], losses[0])
        packed = self.succeed_json("pack", "some.tar", "some.stk")
        self.assertEqual((packed["samples"], packed["element"]), (12, "(uint8(None,), int64())"))
        for source in ("some.tar", "some.stk"):
            self.assertIn("9 to 12 pixels high", self.succeed("data", source))

    def test_packed_files_of_one_length_are_images(self):
        self.members = [(key, *self.members[0][1:]) for key in ("000", "001", "002")]
        self.write_shard()
        self.succeed("pack", "some.tar", "same.stk")
        self.assertIn("images: all 9 x 9", self.succeed("data", "same.stk"))

    def test_errors_name_the_sample(self):
        self.members[5] = ("005", self.members[5][1][:50], "1")
        self.write_shard()
        self.refuse("data", "some.tar", says=["005.png", "element 5"])
        self.members[5] = ("005", self.members[4][1], "one")
        self.write_shard()
        self.refuse("data", "some.tar", says='"005.cls" is not a class number: "one"')


class Tables(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("table.toml", TABLE_MODEL)
        rows = [(i % 5, i % 3, 2 * (i % 5) - (i % 3)) for i in range(60)]
        self.write("table.csv", "a,b,price\n" + "".join("%d,%d,%d\n" % row for row in rows))

    def test_columns_are_learnt(self):
        losses = self.succeed_json("train", "table.toml", "--data", "table.csv", "--target", "price")["history"]["loss"]
        self.assertLess(losses[-1], 0.05 * losses[0])

    def test_data_shows_columns_of_strings(self):
        self.write("people.csv", "age,city,label\n" + "".join(f"{20 + i},Rome,{i % 2}\n" for i in range(8)))
        self.assertEqual(self.succeed_json("data", "people.csv")["batch"],
                         "({age: int64(8,), city: string(8,)}, int64(8,))")

    def test_a_column_that_is_not_there_is_named(self):
        self.refuse("data", "table.csv", "--target", "prise", says=['no column "prise"', '"price"'])

    def test_pack_keeps_the_columns(self):
        packed = self.succeed_json("pack", "table.csv", "table.stk", "--target", "price")
        self.assertEqual(packed["samples"], 60)
        shown = json.loads(self.succeed("data", "table.stk", "--json"))
        self.assertEqual((shown["kind"], shown["samples"]), ("packed file", 60))
        losses = self.succeed_json("train", "table.toml", "--data", "table.stk")["history"]["loss"]
        self.assertLess(losses[-1], 0.05 * losses[0])

    def test_a_table_without_a_known_target_asks_for_one(self):
        self.refuse("train", "table.toml", "--data", "table.csv", says=["only a, b, price", "--target"])


class Digits(ProgramTest):
    """IDX files with MNIST's names: images of one value, which is their class."""

    def setUp(self):
        super().setUp()
        self.write("digits.toml", MODEL.replace("shape = [8, 8, 3]", "shape = [8, 8]"))
        self.labels = [i % 2 for i in range(16)]
        images = b"".join(bytes([250 * label]) * 64 for label in self.labels)
        self.write("train-images-idx3-ubyte", idx_bytes(images, (16, 8, 8)))
        self.write("train-labels-idx1-ubyte", idx_bytes(self.labels, (16,)))

    def test_labels_lie_beside_images(self):
        shown = self.succeed_json("data", "train-images-idx3-ubyte")
        self.assertEqual((shown["kind"], shown["samples"], shown["batch"]), ("IDX", 16, "(uint8(16, 8, 8), uint8(16,))"))
        losses = self.succeed_json("train", "digits.toml", "--data", "train-images-idx3-ubyte")["history"]["loss"]
        self.assertLess(losses[-1], losses[0])

    def test_they_may_be_compressed(self):
        for name in ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"]:
            (self.folder / f"{name}.gz").write_bytes(gzip.compress((self.folder / name).read_bytes()))
            (self.folder / name).unlink()
        self.assertEqual(self.succeed_json("data", "train-images-idx3-ubyte.gz")["samples"], 16)
        self.write("train-labels-idx1-ubyte", idx_bytes(self.labels, (16,)))
        (self.folder / "train-labels-idx1-ubyte.gz").unlink()
        self.assertEqual(self.succeed_json("data", "train-images-idx3-ubyte.gz")["batch"], "(uint8(16, 8, 8), uint8(16,))")
        self.refuse("train", "digits.toml", "--data", "train-labels-idx1-ubyte", says="not named as a file of images")

    def test_training_needs_labels(self):
        (self.folder / "train-labels-idx1-ubyte").unlink()
        self.refuse("train", "digits.toml", "--data", "train-images-idx3-ubyte",
                    says=['"train-images-idx3-ubyte" has no labels', '"train-labels-idx1-ubyte"'])
        self.assertEqual(self.succeed_json("data", "train-images-idx3-ubyte")["batch"], "uint8(16, 8, 8)")


class Texts(ProgramTest):
    """A folder of texts with a sub-folder per class."""

    def test_data_says_what_is_there(self):
        for name, count in [("neg", 3), ("pos", 5)]:
            (self.folder / "reviews" / name).mkdir(parents=True)
            for i in range(count):
                (self.folder / "reviews" / name / f"{i}.txt").write_text(f"{name} {i}")
        shown = self.succeed_json("data", "reviews")
        self.assertEqual((shown["kind"], shown["samples"]), ("text folder", 8))
        self.assertEqual(shown["classes"], [{"name": "neg", "samples": 3}, {"name": "pos", "samples": 5}])
        self.assertEqual(shown["batch"], "(string(8,), int32(8,))")
