"""Images moved by given affine maps."""
import keras
import numpy as np

from declare import draw
from store import numpy_of


def run(case, rng, record, put):
    images = draw(rng, case.settings["images"])
    rows = np.array(case.settings["rows"], np.float32)
    transform = np.concatenate([rows, np.zeros((len(rows), 2), np.float32)], axis=1)
    moved = keras.ops.image.affine_transform(images, transform, **case.arguments)
    record.update(arguments=case.arguments, images=put(images), rows=put(rows), output=put(numpy_of(moved)))
