"""Refuses goldens that rounding could change: the same run in float64 must agree."""
import numpy as np

LIMIT = 3e-6  # a third of the 1e-5 a test asks for


def largest_difference(weights, reference):
    """Largest difference of any weight array, relative to its largest element."""
    return max(np.abs(w - r).max() / np.abs(r).max() for w, r in zip(weights, reference))


def check(name, weights, reference):
    difference = largest_difference(weights, reference)
    assert all(r.dtype == np.float64 for r in reference)
    assert difference < LIMIT, f"{name} is badly conditioned: float32 and float64 weights differ by {difference:.1e}"
