"""SPDL: a pipeline of threads; images by Pillow, as its own decoder takes no random part of a file."""
import itertools

import numpy as np
from pillow_sample import sample
from spdl.pipeline import PipelineBuilder

import input_measure as m


def batches_of(pipeline):
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)


def images(folder, threads):
    builder = PipelineBuilder().add_source(itertools.cycle(m.files_of(folder)))
    builder.pipe(lambda path: sample(path, np.random.default_rng()), concurrency=threads)
    builder.aggregate(m.IMAGE_BATCH).pipe(np.stack).add_sink(2)
    return batches_of(builder.build(num_threads=threads))


def samples(_, threads):
    rows = np.zeros((m.SAMPLES, m.SAMPLE_BYTES), np.uint8)
    random = np.random.default_rng(1)

    def orders():
        while True:
            order = random.permutation(m.SAMPLES)
            yield from (order[i:i + m.SAMPLE_BATCH] for i in range(0, m.SAMPLES, m.SAMPLE_BATCH))

    builder = PipelineBuilder().add_source(orders()).pipe(lambda order: rows[order], concurrency=threads).add_sink(8)
    return batches_of(builder.build(num_threads=threads))


m.main({"images": images, "samples": samples})
