#pragma once
#include <cstdint>

#include "io/images/image.h"
#include "stoker/random.h"

namespace stoker::images {

struct Interval {
  float low, high;
};

struct RandomCropOptions {
  Interval area{0.08f, 1.0f};           // of the box, as a share of the image's
  Interval aspect{3.0f / 4, 4.0f / 3};  // of the box, width over height; even in its logarithm
  int tries = 10;
};

// The box of a random resized crop: the first of some tries that fits into the image, else the
// largest box in the middle whose aspect is allowed. A try takes four random numbers.
Box random_resized_crop(int64_t height, int64_t width, const RandomCropOptions& options,
                        Random& random);

// The largest box in the middle with the aspect of a result, as crop_to_aspect_ratio of Keras.
Box centre_crop(int64_t height, int64_t width, double to_height, double to_width);

}  // namespace stoker::images
