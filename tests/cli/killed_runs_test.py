"""Trainings that are killed at random instants end as if they had not been; tools/kill_runs.py kills more often."""
import random
import sys
import unittest

from program import PROGRAM, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import kill_runs  # noqa: E402


class KilledRuns(unittest.TestCase):
    def test_end_as_if_they_had_not_been_killed(self):
        for case in kill_runs.cases(PROGRAM.resolve(), ROOT / "no_example", epochs=12):
            with self.subTest(case.name):
                seed = random.randrange(1 << 30)
                kills, wrong = kill_runs.kill_and_compare(case, 3, random.Random(seed))[:2]
                self.assertEqual((kills, wrong), (3, []), f"seed {seed}")
