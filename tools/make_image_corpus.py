#!/usr/bin/env python3
"""Writes the seeds of the image fuzzers, fuzz/corpus/{jpeg,png}/<name>. The JPEGs need Pillow."""
import io
import struct
import zlib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by PNG's colour types
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def sample(y, x, c, height, width):
    """A value from 0 to 1: smooth, with an edge, another one in each channel."""
    value = (y / height + (c + 1) * x / width) / 7
    return value + 0.25 if (2 * y - height) ** 2 + (2 * x - width) ** 2 < (height * width) / 2 else value


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_row(values, depth):
    if depth == 16:
        return struct.pack(f">{len(values)}H", *values)
    bits = "".join(format(value, f"0{depth}b") for value in values)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(row, above, number, distance):
    """PNG's filters 0 to 4 of one row."""
    out = bytearray([number])
    for i, byte in enumerate(row):
        a, b, c = (row[i - distance] if i >= distance else 0), above[i], (above[i - distance] if i >= distance else 0)
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out.append((byte - (0, a, b, (a + b) // 2, nearest)[number]) % 256)
    return bytes(out)


def png(height, width, color, depth, interlaced=False, extra=b""):
    channels, most = CHANNELS[color], (1 << depth) - 1
    distance = max(1, channels * depth // 8)
    body = b""
    for top, left, down, across in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        above = None
        for y in range(top, height, down):
            values = [int(sample(y, x, c, height, width) * most) for x in range(left, width, across)
                      for c in range(channels)]
            row = packed_row(values, depth)
            if row:
                body += filtered(row, above or bytes(len(row)), y % 5, distance)
                above = row
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(body, 9))
            + chunk(b"IEND", b""))


def palette(colors, transparent=0):
    table = bytes((i * k * 37) % 256 for i in range(colors) for k in (1, 2, 3))
    return chunk(b"PLTE", table) + (chunk(b"tRNS", bytes(i * 60 for i in range(transparent))) if transparent else b"")


PNGS = {
    "gray": png(9, 13, 0, 8),
    "gray_1": png(9, 13, 0, 1),
    "gray_4": png(9, 13, 0, 4),
    "gray_16": png(9, 13, 0, 16),
    "gray_alpha": png(9, 13, 4, 8),
    "rgb": png(9, 13, 2, 8),
    "rgb_16": png(9, 13, 2, 16),
    "rgb_interlaced": png(9, 13, 2, 8, interlaced=True),
    "rgb_key": png(9, 13, 2, 8, extra=chunk(b"tRNS", struct.pack(">3H", 50, 50, 50))),
    "rgba": png(9, 13, 6, 8),
    "rgba_16_interlaced": png(9, 13, 6, 16, interlaced=True),
    "palette": png(9, 13, 3, 4, extra=palette(16)),
    "palette_alpha": png(9, 13, 3, 2, interlaced=True, extra=palette(4, transparent=3)),
}


def jpeg(height, width, mode, **options):
    from PIL import Image

    channels = {"L": 1, "RGB": 3, "CMYK": 4}[mode]
    data = bytes(int(sample(y, x, c, height, width) * 255) for y in range(height) for x in range(width)
                 for c in range(channels))
    file = io.BytesIO()
    Image.frombytes(mode, (width, height), data).save(file, "JPEG", **options)
    return file.getvalue()


def jpegs():
    return {
        "gray": jpeg(21, 35, "L", quality=80),
        "rgb_420": jpeg(21, 35, "RGB", quality=80, subsampling=2),
        "rgb_422": jpeg(21, 35, "RGB", quality=95, subsampling=1),
        "rgb_444": jpeg(21, 35, "RGB", quality=100, subsampling=0, optimize=True),
        "progressive": jpeg(21, 35, "RGB", quality=75, progressive=True),
        "restarts": jpeg(21, 35, "RGB", quality=75, restart_marker_blocks=2),
        "cmyk": jpeg(21, 35, "CMYK", quality=75),
        "one_pixel": jpeg(1, 1, "RGB"),
    }


def main():
    for form, seeds in {"png": PNGS, "jpeg": jpegs()}.items():
        folder = CORPUS / form
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
