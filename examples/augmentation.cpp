// Data augmentation in a dataset: images are flipped and their brightness is changed at random,
// first in one thread, then in all of them. Both give the same images.
#include <fmt/format.h>

#include <chrono>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

Dataset augmented(const Dataset& images, int64_t num_parallel_calls) {
  const MapArgs args{.num_parallel_calls = num_parallel_calls};
  return images
      .map(
          [](const Array& image, const Array& label, Random& random) {
            return std::pair(image::random_flip_left_right(image, random), label);
          },
          args)
      .map(
          [](const Array& image, const Array& label, Random& random) {
            return std::pair(image::random_brightness(image, 0.2f, random), label);
          },
          args)
      .batch(32)
      .prefetch();
}

// Samples per second, and a checksum of them.
void measure(const char* what, const Dataset& batches) {
  const auto begin = std::chrono::steady_clock::now();
  int64_t samples = 0, sum = 0;
  for (const auto& [images, labels] : batches) {
    samples += labels.length();
    for (const uint8_t pixel : images.data<uint8_t>()) sum += pixel;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{:<28}{:>10.0f} images/s, sum of all pixels {}\n", what,
             static_cast<double>(samples) / took.count(), sum);
}

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  const auto images =
      Dataset::from_tensor_slices({data.x_train.reshape({-1, 28, 28, 1}), data.y_train});
  measure("one call after the other", augmented(images, 1));
  measure("num_parallel_calls AUTOTUNE", augmented(images, AUTOTUNE));

  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28, 1}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model.fit(augmented(images.shuffle(60000), AUTOTUNE), {.epochs = 3});
  model.evaluate(data.x_test.reshape({-1, 28, 28, 1}), data.y_test);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
