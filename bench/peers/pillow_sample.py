"""Random resized crop, flip and normalisation of a file by Pillow and numpy, for loaders without image functions."""
import math

import numpy as np
from PIL import Image

import input_measure as m


def box(width, height, random):
    for _ in range(10):
        area = width * height * random.uniform(*m.AREA)
        aspect = math.exp(random.uniform(math.log(m.ASPECT[0]), math.log(m.ASPECT[1])))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            left, top = random.integers(0, width - w + 1), random.integers(0, height - h + 1)
            return left, top, left + w, top + h
    return 0, 0, width, height


def sample(path, random):
    image = Image.open(path).convert("RGB")
    image = image.resize((m.SIDE, m.SIDE), Image.BILINEAR, box=box(image.width, image.height, random))
    pixels = np.asarray(image, np.float32)
    pixels = pixels[:, ::-1] if random.random() < 0.5 else pixels
    return (pixels - np.float32(m.MEAN)) / np.float32(m.STDDEV)
