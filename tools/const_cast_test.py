"""Tests that the description of a network, which threads may read concurrently, is not modified by reading it."""
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class ConstCastTest(unittest.TestCase):
    def test_layers_losses_metrics_and_optimizers_cast_no_const_away(self):
        sources = [path for kind in ("*.h", "*.cpp") for path in (ROOT / "src" / "nn").rglob(kind)]
        self.assertGreater(len(sources), 300)
        self.assertEqual([str(path.relative_to(ROOT)) for path in sources if "const_cast<" in path.read_text()], [])


if __name__ == "__main__":
    unittest.main()
