"""tf.data as its guides advise: fused decode and crop, AUTOTUNE, prefetch."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

import input_measure as m


def finished(dataset, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    return dataset.prefetch(tf.data.AUTOTUNE).with_options(options)


def sample(path):
    contents = tf.io.read_file(path)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.io.extract_jpeg_shape(contents), tf.zeros([1, 0, 4]), area_range=m.AREA, aspect_ratio_range=m.ASPECT,
        max_attempts=10, use_image_if_no_bounding_boxes=True)
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.image.resize(tf.image.decode_and_crop_jpeg(contents, window, channels=3), [m.SIDE, m.SIDE])
    image = tf.image.random_flip_left_right(image)
    return (image - m.MEAN) / m.STDDEV


def images(folder, threads):
    files = tf.data.Dataset.from_tensor_slices(m.files_of(folder)).shuffle(10000).repeat()
    return finished(files.map(sample, num_parallel_calls=tf.data.AUTOTUNE).batch(m.IMAGE_BATCH), threads)


def samples(_, threads):
    rows = np.zeros((m.SAMPLES, m.SAMPLE_BYTES), np.uint8)
    return finished(tf.data.Dataset.from_tensor_slices(rows).shuffle(m.SAMPLES).repeat().batch(m.SAMPLE_BATCH), threads)


def records(path, threads):
    return finished(tf.data.TFRecordDataset(path).repeat().batch(m.RECORD_BATCH), threads)


m.main({"images": images, "samples": samples, "records": records})
