#pragma once
#include <cstdint>

#include "io/images/image.h"
#include "stoker/random.h"

namespace stoker::images {

struct Interval {
  float low, high;
};

struct RandomCropOptions {
  Interval area{0.08f, 1.0f};           // of the box, relative to the image
  Interval aspect{3.0f / 4, 4.0f / 3};  // width / height of the box; uniform in its logarithm
  int tries = 10;
};

// The box of a random resized crop: the first of several attempts that fits into the image, else
// the largest centred box with an allowed aspect ratio. Each attempt takes four random numbers.
Box random_resized_crop(int64_t height, int64_t width, const RandomCropOptions& options,
                        Random& random);

// The largest centred box with the result's aspect ratio, as Keras's crop_to_aspect_ratio.
Box centre_crop(int64_t height, int64_t width, double to_height, double to_width);

}  // namespace stoker::images
