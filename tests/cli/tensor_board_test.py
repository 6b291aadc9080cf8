"""What the TensorBoard callback writes, read by TensorBoard itself; skipped where Python has no tensorboard."""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

from program import ProgramTest

PYTHON = os.environ.get("STOKER_KERAS_PYTHON", sys.executable)
READ = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.graph import keras_util
events = EventAccumulator(sys.argv[1], size_guidance={"tensors": 0})
events.Reload()
tags = events.Tags()
graph = events.Graph()
keras = events.Tensors("keras")[0].tensor_proto.string_val[0].decode()
by_plugin = {tag: events.SummaryMetadata(tag).plugin_data.plugin_name for tag in tags["tensors"]}
print(json.dumps({"plugins": by_plugin, "nodes": {node.name: [node.op, list(node.input)] for node in graph.node},
                  "layers": [node.name for node in keras_util.keras_model_to_graph_def(json.loads(keras)).node]}))
"""


def has_tensorboard():
    if PYTHON == sys.executable:
        return importlib.util.find_spec("tensorboard") is not None
    return subprocess.run([PYTHON, "-c", "import tensorboard"], capture_output=True).returncode == 0


@unittest.skipUnless(has_tensorboard(), f"{PYTHON} has no tensorboard: pip install tensorboard")
class TensorBoard(ProgramTest):
    def test_it_reads_scalars_histograms_and_graphs(self):
        self.succeed("train", "recipe.toml", "--callbacks", '{class_name = "TensorBoard", log_dir = "logs", histogram_freq = 1}',
                     "--set", 'device="/cpu:0"')
        done = subprocess.run([PYTHON, "-c", READ, str(self.folder / "logs" / "train")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual(seen["plugins"]["epoch_loss"], "scalars")
        self.assertEqual(seen["plugins"]["keras"], "graph_keras_model")
        self.assertIn("histograms", seen["plugins"].values())
        names = seen["nodes"]
        self.assertTrue(any(name.startswith("sequential/dense/") for name in names), names)
        for node, (_, inputs) in names.items():
            for name in inputs:
                self.assertIn(name.split(":")[0], names, node)
        self.assertTrue(any(name.endswith("dense") for name in seen["layers"]), seen["layers"])


if __name__ == "__main__":
    unittest.main()
