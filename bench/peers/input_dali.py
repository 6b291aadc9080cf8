"""DALI's CPU pipeline: decoder with a random crop, resize, mirror and normalisation; it has no source of rows in memory of its own."""
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

import input_measure as m


def images(folder, threads):
    @pipeline_def(batch_size=m.IMAGE_BATCH, num_threads=threads, device_id=None, seed=1)
    def pipeline():
        files, _ = fn.readers.file(files=m.files_of(folder), random_shuffle=True)
        pixels = fn.decoders.image_random_crop(files, device="cpu", random_area=m.AREA, random_aspect_ratio=m.ASPECT)
        pixels = fn.resize(pixels, size=(m.SIDE, m.SIDE), interp_type=types.INTERP_LINEAR, antialias=False)
        return fn.crop_mirror_normalize(pixels, dtype=types.FLOAT, output_layout="HWC", mean=m.MEAN, std=m.STDDEV,
                                        mirror=fn.random.coin_flip())

    pipe = pipeline()
    pipe.build()
    while True:
        yield pipe.run()[0]


m.main({"images": images})
