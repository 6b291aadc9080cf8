"""The files that bench_input.py reads, made once: synthetic photographs, and records."""
import subprocess
from pathlib import Path

from environment import PYTHON, ROOT
from processes import Failed, last_line

FOLDER = ROOT / "build" / "bench-input"
IMAGES, RECORDS = 256, 1_000_000

# Run by the peers' Python, which has numpy and Pillow. A photograph has large areas with a gradient, objects with edges and
# a fine structure on them: noise alone would be far larger as a JPEG, a gradient alone far smaller.
MAKE_IMAGES = """
import sys
import numpy as np
from PIL import Image, ImageDraw, ImageFilter
folder, count = sys.argv[1], int(sys.argv[2])
for i in range(count):
    random = np.random.default_rng(i)
    small = Image.fromarray(random.integers(0, 255, (6, 8, 3), np.uint8))
    image = small.resize((500, 375), Image.BICUBIC)
    draw = ImageDraw.Draw(image)
    for _ in range(25):
        x, y = random.integers(-50, 500), random.integers(-50, 375)
        w, h = random.integers(10, 160, 2)
        (draw.ellipse if random.random() < 0.5 else draw.rectangle)([x, y, x + w, y + h], fill=tuple(random.integers(0, 255, 3)))
    pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(0.7)), np.float32)
    for scale, size in ((1, 5), (3, 10), (9, 14)):
        grain = random.standard_normal((375 // scale + 1, 500 // scale + 1)).astype(np.float32) * size
        grain = np.asarray(Image.fromarray(grain).resize((500, 375), Image.BILINEAR))
        pixels = pixels + grain[:, :, None]
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    image.save(f"{folder}/{i:04}.jpg", quality=90)
"""


def images():
    """A folder of JPEG files, 500 x 375, about 70 KB each."""
    folder = FOLDER / "images" / "photographs"
    if len(list(folder.glob("*.jpg"))) < IMAGES:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([PYTHON, "-c", MAKE_IMAGES, folder, str(IMAGES)], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"could not make the images: {last_line(done.stderr)}")
    return folder.parent


def crc32c_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


def masked_crc(data, table):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF).to_bytes(4, "little")


def records():
    """A TFRecord file of records of 100 bytes, a hundred different ones."""
    path = FOLDER / "records.tfrecord"
    size, table = 100, crc32c_table()
    length = size.to_bytes(8, "little")
    head = length + masked_crc(length, table)
    if not path.exists() or path.stat().st_size != RECORDS * (size + 16):
        FOLDER.mkdir(parents=True, exist_ok=True)
        different = []
        for i in range(100):
            data = bytes((i * 7 + j) % 256 for j in range(size))
            different.append(head + data + masked_crc(data, table))
        path.write_bytes(b"".join(different) * (RECORDS // 100))
    return path
