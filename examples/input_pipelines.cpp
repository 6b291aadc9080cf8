// Five input pipelines in two forms: without any tuning, and tuned by hand. Stoker runs maps in
// parallel, prefetches batches and chooses the numbers of threads itself, so both forms should
// train at the same rate. The line below each result names the stage that limited it, if there is
// one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t samples = 6400, batch_size = 32, epochs = 4, rounds = 7;
using Clock = std::chrono::steady_clock;

Sequential small_model() {
  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return model;
}

using Training = void (*)(Model&, const Dataset&, int64_t epochs);

void by_fit(Model& model, const Dataset& batches, int64_t count) {
  model.fit(batches, {.epochs = count, .verbose = 0});
}
void by_own_loop(Model& model, const Dataset& batches, int64_t count) {
  for (int64_t epoch = 0; epoch < count; ++epoch)
    for (const auto& [x, y] : batches) model.train_on_batch(x, y);
}

// A separate model, trained on one form of a pipeline.
class Form {
 public:
  Form(Training train, const Dataset& batches) : train_(train), batches_(batches) {
    train_(model_, batches_, 1);  // compiles the step
  }
  void measure() {
    const auto begin = Clock::now();
    train_(model_, batches_, epochs);
    const std::chrono::duration<double> taken = Clock::now() - begin;
    rates_.push_back(samples * epochs / taken.count());
  }
  double rate() {  // samples per second, the median of all rounds
    std::nth_element(rates_.begin(), rates_.begin() + rates_.size() / 2, rates_.end());
    return rates_[rates_.size() / 2];
  }
  std::string limit() const { return model_.input_statistics().verdict; }

 private:
  Training train_;
  Dataset batches_;
  Sequential model_ = small_model();
  std::vector<double> rates_;
};

// Measures the two forms alternately, so that other load on the machine affects both.
void compare(const char* name, Training train, const Dataset& naive, const Dataset& tuned) {
  Form written(train, naive), by_hand(train, tuned);
  for (int round = 0; round < rounds; ++round) {
    written.measure();
    by_hand.measure();
  }
  fmt::print("{:<28} as written {:>9.0f} samples/s, tuned by hand {:>9.0f}: {:.3f}\n", name,
             written.rate(), by_hand.rate(), written.rate() / by_hand.rate());
  if (const auto limit = written.limit(); !limit.empty()) fmt::print("    {}\n", limit);
}

Array noise() {
  Array images(DType::uint8, {samples, 28, 28});
  std::minstd_rand draw(1);
  for (uint8_t& pixel : images.mutable_data<uint8_t>()) pixel = static_cast<uint8_t>(draw() >> 8);
  return images;
}

Array square_root(const Array& image) {
  Array roots = image.astype(DType::float32).clone();
  for (float& pixel : roots.mutable_data<float>()) pixel = std::sqrt(pixel);
  return roots;
}

// Half a millisecond per batch, to simulate an expensive computation.
std::pair<Array, Array> slow(const Array& images, const Array& labels) {
  std::this_thread::sleep_for(std::chrono::microseconds(500));
  return {images, labels};
}

}  // namespace

int main() try {
  const Dataset rows = Dataset::from_tensor_slices({noise(), Array(DType::uint8, {samples})});
  const auto roots = [](const Array& x, const Array& y) { return std::pair(square_root(x), y); };
  const MapArgs parallel{.num_parallel_calls = AUTOTUNE};

  compare("expensive preprocessing", by_fit, rows.map(roots).batch(batch_size),
          rows.map(roots, parallel).batch(batch_size).prefetch(AUTOTUNE));

  compare("a user-defined loop", by_own_loop, rows.shuffle(10000).map(roots).batch(batch_size),
          rows.shuffle(10000).map(roots, parallel).batch(batch_size).prefetch(AUTOTUNE));

  const auto channels = [](const Array& x, const Array& y) {
    return std::pair(x.reshape({28, 28, 1}), y);
  };
  const auto flip = [](const Array& x, const Array& y, Random& random) {
    return std::pair(image::random_flip_left_right(x, random), y);
  };
  const auto brighten = [](const Array& x, const Array& y, Random& random) {
    return std::pair(image::random_brightness(x, 0.2f, random).reshape({28, 28}), y);
  };
  compare("augmentation", by_fit, rows.map(channels).map(flip).map(brighten).batch(batch_size),
          rows.map(channels, parallel)
              .map(flip, parallel)
              .map(brighten, parallel)
              .batch(batch_size)
              .prefetch(AUTOTUNE));

  compare("slow preprocessing", by_fit, rows.batch(batch_size).map(slow),
          rows.batch(batch_size).map(slow, parallel).prefetch(AUTOTUNE));

  const auto unchanged = [](const Array& x, const Array& y) { return std::pair(x, y); };
  compare("stages in any order", by_fit,
          rows.prefetch(2).map(unchanged).shuffle(10000).batch(batch_size),
          rows.shuffle(10000).map(unchanged, parallel).batch(batch_size).prefetch(AUTOTUNE));
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
