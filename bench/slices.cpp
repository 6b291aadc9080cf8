// The speed of fit over a dataset of slices compared with fit over arrays, alternating.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "stoker/stoker.h"

namespace {

using namespace stoker;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double seconds(const std::function<void()>& run) {
  const auto begun = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

Sequential classifier() {
  Sequential model(
      {layers::Dense({.units = 64, .activation = "relu"}), layers::Dense({.units = 10})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

}  // namespace

int main() {
  const Array x(DType::float32, {60000, 784}), y(DType::float32, {60000, 10});
  std::vector<double> arrays, slices;
  auto model = classifier();
  const auto dataset = Dataset::from_tensor_slices({x, y}).shuffle(60000).batch(64);
  for (int round = 0; round < 7; ++round) {
    arrays.push_back(
        seconds([&] { model.fit(x, y, {.batch_size = 64, .epochs = 3, .verbose = 0}); }));
    slices.push_back(seconds([&] { model.fit(dataset, {.epochs = 3, .verbose = 0}); }));
  }
  fmt::print("fit(x, y) {:.3f} s, fit(dataset) {:.3f} s: ratio {:.3f}\n", median(arrays),
             median(slices), median(arrays) / median(slices));
}
