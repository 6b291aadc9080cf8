"""The files of the TensorBoard callback, read by TensorBoard itself; skipped if Python has no tensorboard."""
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


READ_PROFILE = """
import json, sys
from xprof.convert import raw_to_tool_data
def read(tool):
    return json.loads(raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], tool, {})[0])
def rows(table):
    names = [column["id"] for column in table["cols"]]
    return [dict(zip(names, [cell["v"] for cell in row["c"]])) for row in table["rows"]]
ops = {row["operation"]: row["occurrences"] for row in rows(read("framework_op_stats")[0]) if row["operation"] != "IDLE"}
(steps,) = [rows(table) for table in read("overview_page") if table.get("cols", [{}])[0].get("id") == "stepnum"]
lanes = [event["args"]["name"] for event in read("trace_viewer")["traceEvents"] if event.get("name") == "thread_name"]
print(json.dumps({"ops": ops, "steps": [row["stepnum"] for row in steps], "lanes": lanes}))
"""


def has(module):
    if PYTHON == sys.executable:
        return importlib.util.find_spec(module) is not None
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


@unittest.skipUnless(has("tensorboard"), f"{PYTHON} has no tensorboard: pip install tensorboard")
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

    @unittest.skipUnless(has("xprof"), f"{PYTHON} has no xprof: pip install tensorboard-plugin-profile")
    def test_its_profile_plugin_reads_steps_and_ops(self):
        self.succeed("train", "recipe.toml", "--callbacks", '{class_name = "TensorBoard", log_dir = "logs", profile_batch = [2, 5]}',
                     "--set", 'device="/cpu:0"')
        (file,) = (self.folder / "logs" / "plugins" / "profile").glob("*/*.xplane.pb")
        done = subprocess.run([PYTHON, "-c", READ_PROFILE, str(file)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual(seen["steps"], [f"train {step}" for step in range(2, 6)])
        self.assertTrue(any(name.startswith("sequential/dense/") for name in seen["ops"]), seen)
        self.assertEqual({count % 4 for count in seen["ops"].values()}, {0}, seen)  # as often in each step
        self.assertGreaterEqual(set(seen["lanes"]), {"training", "calls"})


if __name__ == "__main__":
    unittest.main()
