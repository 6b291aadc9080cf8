"""A peer is timed on the network that the case names, or not at all. Tests that need JAX or PyTorch are skipped without it:
python3 -m unittest bench/peers_test.py, in a Python that has them."""
import contextlib
import importlib.util
import io
import sys
import types
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "peers")]
import bench_cuda  # noqa: E402
import cases  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402

RESNET50, GPT2 = cases.find("resnet50:256:bf16"), cases.find("gpt2:16:bf16")
COUNTS = {"resnet50": 25_557_032, "gpt2": 124_439_808}


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"needs {module}")


class UnknownCaseTest(unittest.TestCase):
    def test_no_other_network_takes_its_place(self):
        with self.assertRaisesRegex(measure.NotImplementedHere, "no resnet50, only mlp128"):
            measure.network_of({"mlp128": None}, RESNET50)

    def test_the_table_has_a_dash_and_the_reason(self):
        def make_trainer(args, case, x, y):
            measure.network_of({"mlp128": None}, case)

        with mock.patch.object(measure, "draw", return_value=(None, None)):
            found = [{"case": RESNET50.key, **measure.attempt(make_trainer, None, RESNET50, 1, 1)}]
        row, notes = report.Row(RESNET50, report.Time(1.0, False)), []
        with mock.patch.object(bench_cuda.processes, "run_on_gpu", return_value=found), \
                contextlib.redirect_stdout(io.StringIO()):
            bench_cuda.measure_peer(bench_cuda.PEERS[0], [row], 1, notes)
        self.assertEqual(report.text(row.peers["torch-eager"]), "-")
        self.assertEqual(notes, ["torch-eager, resnet50 b256 bf16: this peer has no resnet50, only mlp128"])
        self.assertIsNone(row.ratio_to_best())


@needs("jax")
class JaxTest(unittest.TestCase):
    def count(self, case):
        import jax
        import jax_cuda_peer

        initial, _ = jax_cuda_peer.NETWORKS[case.name]
        weights, _ = jax.eval_shape(lambda: initial(case, jax.random.PRNGKey(1)))
        return sum(leaf.size for leaf in jax.tree.leaves(weights))

    def losses(self, case, network, steps):
        import jax_cuda_peer

        with mock.patch.dict(jax_cuda_peer.NETWORKS, {case.name: network or jax_cuda_peer.NETWORKS[case.name]}):
            data = measure.draw(case, case.batch * jax_cuda_peer.BATCHES)
            train = jax_cuda_peer.make_trainer(types.SimpleNamespace(mode="jit"), case, *data)
        return [train(jax_cuda_peer.BATCHES) for _ in range(steps)]

    def test_has_every_case(self):
        import jax_cuda_peer

        self.assertEqual({case.name for case in cases.CUDA_CASES}, set(jax_cuda_peer.NETWORKS))

    def test_large_networks_have_as_many_weights_as_ours(self):
        for case in (RESNET50, GPT2):
            self.assertEqual(self.count(case), COUNTS[case.name])

    def test_a_small_gpt2_learns(self):
        from jax_gpt2 import gpt2, initial_gpt2

        small = (lambda case, key: initial_gpt2(case, key, units=16, blocks=2),
                 lambda case, weights, averages, x: gpt2(case, weights, averages, x, heads=2))
        for precision in ("", "bf16"):
            case = replace(GPT2, batch=2, shape=(8,), classes=11, precision=precision)
            losses = self.losses(case, small, 12)
            self.assertLess(losses[-1], 0.95 * losses[0])

    def test_resnet50_learns_small_images(self):
        losses = self.losses(replace(RESNET50, batch=2, shape=(32, 32, 3), classes=3, precision=""), None, 3)
        self.assertLess(losses[-1], 0.5 * losses[0])

    @needs("torch")
    def test_gpt2_computes_what_the_one_in_torch_does(self):
        import jax.numpy as jnp
        import numpy as np
        import torch
        from jax_gpt2 import gpt2
        from torch_gpt2 import Gpt2

        model, case = Gpt2(11, 8, units=16, heads=2, blocks=2), replace(GPT2, precision="")
        held = {name: jnp.asarray(value.detach().numpy()) for name, value in model.named_parameters()}

        def part(name):
            weight, bias = held[f"{name}.weight"], held[f"{name}.bias"]
            return {"gamma": weight, "beta": bias} if name.endswith("norm") else {"kernel": weight.T, "bias": bias}

        parts = ("first_norm", "second_norm", "projections", "output", "wide", "narrow")
        weights = {"tokens": held["tokens.weight"], "places": held["places.weight"], "last_norm": part("last_norm"),
                   "blocks": [{name: part(f"blocks.{i}.{name}") for name in parts} for i in range(2)]}
        x = np.random.default_rng(1).integers(0, 11, (2, 8))
        ours, _ = gpt2(case, weights, (), jnp.asarray(x), heads=2)
        np.testing.assert_allclose(ours, model(torch.from_numpy(x)).detach().numpy(), rtol=1e-4, atol=1e-4)


@needs("torch")
class TorchTest(unittest.TestCase):
    def test_large_networks_have_as_many_weights_as_ours(self):
        import torch
        import torch_cuda_peer

        self.assertEqual({case.name for case in cases.CUDA_CASES}, set(torch_cuda_peer.NETWORKS))
        for case in (RESNET50, GPT2):
            with torch.device("meta"):
                model = torch_cuda_peer.NETWORKS[case.name](case)
            self.assertEqual(sum(p.numel() for p in model.parameters()), COUNTS[case.name])


@needs("keras")
class KerasTest(unittest.TestCase):
    def test_has_the_small_cases_alone(self):
        import keras_peer

        self.assertEqual({case.name for case in cases.CASES}, set(keras_peer.NETWORKS))


if __name__ == "__main__":
    unittest.main()
