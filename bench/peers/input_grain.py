"""grain: a MapDataset read by threads; it has no image functions of its own."""
import grain
import numpy as np
from pillow_sample import sample

import input_measure as m


def images(folder, threads):
    files = grain.MapDataset.source(m.files_of(folder)).seed(1).shuffle().repeat()
    batches = files.random_map(sample).batch(m.IMAGE_BATCH)
    return batches.to_iter_dataset(grain.ReadOptions(num_threads=threads, prefetch_buffer_size=2 * threads))


def samples(_, threads):
    rows = np.zeros((m.SAMPLES, m.SAMPLE_BYTES), np.uint8)
    batches = grain.MapDataset.source(rows).seed(1).shuffle().repeat().batch(m.SAMPLE_BATCH)
    return batches.to_iter_dataset(grain.ReadOptions(num_threads=threads, prefetch_buffer_size=64))


m.main({"images": images, "samples": samples})
