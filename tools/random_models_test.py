"""Tests of what random_models does without Keras: programs as text, small programs, the summary."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "random_models"))
import choose  # noqa: E402
import random_models  # noqa: E402
import source  # noqa: E402
import summary  # noqa: E402

DENSE = {"id": "n2", "class": "layers.Dense", "args": {"units": 3, "kernel_regularizer": source.obj("keras.regularizers.L2", l2=0.1)}, "on": "n1"}
INPUT = {"id": "n1", "input": {"shape": [4]}, "data": "X"}


def program(nodes, outputs, **graph):
    return {"seed": 5, "policy": "float32", "named": True, "y": ["Y"] * len(outputs), "compile": {"optimizer": "sgd", "loss": "mse"},
            "fit": {"batch_size": 4, "epochs": 2, "before": 1},
            "graph": {"nodes": nodes, "inputs": ["n1"], "outputs": outputs, **graph}}


class Source(unittest.TestCase):
    def test_a_functional_model(self):
        again = {"id": "n3", "again": "n2", "on": "n1"}
        text = source.snippet(program([INPUT, DENSE, again, {"id": "n4", "code": "n2 + n3"}], ["n4"]))
        self.assertIn("n2_layer = layers.Dense(units=3, kernel_regularizer=keras.regularizers.L2(l2=0.1), name='n2')\nn2 = n2_layer(n1)\n"
                      "n3 = n2_layer(n1)\nn4 = n2 + n3\nmodel = keras.Model(n1, n4, name='model')", text)
        compile(text, "snippet", "exec")

    def test_outputs_by_name_take_targets_by_name(self):
        text = source.snippet(program([INPUT, DENSE], {"price": "n2"}, dict_inputs=True))
        self.assertIn("x = {'n1': X}\ny = {'price': Y}", text)
        self.assertIn("keras.Model({'n1': n1}, {'price': n2}, name='model')", text)

    def test_a_stack_with_a_model_inside(self):
        inner = {"nodes": [INPUT, DENSE], "inputs": ["n1"], "outputs": ["n2"], "sequential": True}
        lines = source.graph_lines({"nodes": [{"id": "n5", "inner": inner, "on": "n4"}], "inputs": ["n4"], "outputs": ["n5"]}, "model", False)
        self.assertTrue(lines[0].startswith("n5_layer = keras.Sequential([keras.Input(shape=[4]), layers.Dense(units=3"))
        self.assertEqual(lines[1], "n5 = n5_layer(n4)")


    def test_a_layer_of_a_stack_that_learns_from_the_data_first(self):
        normal = {"id": "n2", "class": "layers.Normalization", "args": {"axis": -1}, "on": "n1", "adapt": "X"}
        text = source.snippet(program([INPUT, normal, {**DENSE, "id": "n3", "on": "n2"}], ["n3"], sequential=True))
        self.assertIn("n2_layer = layers.Normalization(axis=-1, name='n2')\nn2_layer.adapt(X)\n"
                      "model = keras.Sequential([keras.Input(shape=[4]), n2_layer, layers.Dense(units=3", text)
        compile(text, "snippet", "exec")


class Choices(unittest.TestCase):
    def test_a_seed_always_draws_the_same(self):
        drawn = [[d.int(0, 99), d.real(0, 1), d.pick("abc"), d.some({"a": [1], "b": [2]}, 0.5)] for d in (choose.Draw(7), choose.Draw(7))]
        self.assertEqual(*drawn)
        self.assertEqual(list(random_models.seeds_of("3-5,9")), [3, 4, 5, 9])


class Summary(unittest.TestCase):
    RESULTS = [{"seed": 1, "outcome": "agrees", "columns": {"predict": 0, "history": 0, "weights": 0, "state": 0, "back": 0}},
               {"seed": 2, "outcome": "refused", "stage": "train", "message": "no", "columns": {"predict": 0}, "cause": "train: no"},
               {"seed": 3, "outcome": "differs", "stage": "state", "message": "state by 1.0", "cause": "state: Dense",
                "columns": {"predict": 0, "history": 0, "weights": 0, "state": 1, "back": 0}}]

    def test_a_column_counts_what_got_so_far(self):
        lines = summary.table(self.RESULTS).splitlines()[2:]
        self.assertEqual([line.split("|")[1:4] for line in lines],
                         [[" predict ", " 3 ", " 3 "], [" history ", " 3 ", " 2 "], [" weights ", " 2 ", " 2 "], [" state ", " 2 ", " 1 "],
                          [" back ", " 2 ", " 2 "], [" all ", " 3 ", " 1 "]])

    def test_the_last_line_of_a_seed_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.jsonl"
            path.write_text("".join(json.dumps(dict(r, seed=1)) + "\n" for r in self.RESULTS))
            self.assertEqual(summary.load(path)[1]["stage"], "state")


if __name__ == "__main__":
    unittest.main()
