// Five input pipelines as they are often written first, and as one would tune them by hand. Stoker
// runs maps in parallel, makes batches ahead and chooses the numbers itself, so both forms should
// train at the same rate. `fit` says below each run which stage was the limit, if one was.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t samples = 6400, batch_size = 32;
using Clock = std::chrono::steady_clock;

Sequential small_model() {
  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return model;
}

// Samples per second of a whole epoch, after one in which the step is compiled.
double rate_of_fit(const Dataset& batches) {
  auto model = small_model();
  model.fit(batches, {.verbose = 0});
  const auto begin = Clock::now();
  model.fit(batches, {.verbose = 0});
  const std::chrono::duration<double> taken = Clock::now() - begin;
  if (const auto limit = model.input_statistics().verdict; !limit.empty())
    fmt::print("    {}\n", limit);
  return samples / taken.count();
}

// The same with a loop of one's own.
double rate_of_loop(const Dataset& batches) {
  auto model = small_model();
  Clock::time_point begin;
  for (int epoch = 0; epoch < 2; ++epoch) {
    begin = Clock::now();
    for (const auto& [x, y] : batches) model.train_on_batch(x, y);
  }
  return samples / std::chrono::duration<double>(Clock::now() - begin).count();
}

void compare(const char* name, double naive, double tuned) {
  fmt::print("{:<28} as written {:>9.0f} samples/s, tuned by hand {:>9.0f}\n", name, naive, tuned);
}

Array square_root(const Array& image) {
  Array roots = image.astype(DType::float32).clone();
  for (float& pixel : roots.mutable_data<float>()) pixel = std::sqrt(pixel);
  return roots;
}

// Half a millisecond for a batch, as if something slow were computed.
std::pair<Array, Array> slow(const Array& images, const Array& labels) {
  std::this_thread::sleep_for(std::chrono::microseconds(500));
  return {images, labels};
}

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  const Dataset rows =
      Dataset::from_tensor_slices({data.x_train.rows(0, samples), data.y_train.rows(0, samples)});
  const auto roots = [](const Array& x, const Array& y) { return std::pair(square_root(x), y); };
  const MapArgs parallel{.num_parallel_calls = AUTOTUNE};

  compare("expensive preprocessing", rate_of_fit(rows.map(roots).batch(batch_size)),
          rate_of_fit(rows.map(roots, parallel).batch(batch_size).prefetch(AUTOTUNE)));

  compare(
      "a loop of one's own", rate_of_loop(rows.shuffle(10000).map(roots).batch(batch_size)),
      rate_of_loop(rows.shuffle(10000).map(roots, parallel).batch(batch_size).prefetch(AUTOTUNE)));

  const auto channels = [](const Array& x, const Array& y) {
    return std::pair(x.reshape({28, 28, 1}), y);
  };
  const auto flip = [](const Array& x, const Array& y, Random& random) {
    return std::pair(image::random_flip_left_right(x, random), y);
  };
  const auto brighten = [](const Array& x, const Array& y, Random& random) {
    return std::pair(image::random_brightness(x, 0.2f, random).reshape({28, 28}), y);
  };
  compare("augmentation", rate_of_fit(rows.map(channels).map(flip).map(brighten).batch(batch_size)),
          rate_of_fit(rows.map(channels, parallel)
                          .map(flip, parallel)
                          .map(brighten, parallel)
                          .batch(batch_size)
                          .prefetch(AUTOTUNE)));

  compare("slow preprocessing", rate_of_fit(rows.batch(batch_size).map(slow)),
          rate_of_fit(rows.batch(batch_size).map(slow, parallel).prefetch(AUTOTUNE)));

  const auto unchanged = [](const Array& x, const Array& y) { return std::pair(x, y); };
  compare("stages in any order",
          rate_of_fit(rows.prefetch(2).map(unchanged).shuffle(10000).batch(batch_size)),
          rate_of_fit(
              rows.shuffle(10000).map(unchanged, parallel).batch(batch_size).prefetch(AUTOTUNE)));
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
