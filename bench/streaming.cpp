// Arrays that lie on the GPU against arrays that are sent batch by batch, because they take more
// than half of the memory that is free there: streaming. Microseconds a step of a small
// convolutional network, in turns.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t samples = 160'000;  // 502 MB of float32
constexpr int64_t limit_mb = 700;

Array noise() {
  Array images(DType::float32, {samples, 28, 28, 1});
  std::minstd_rand draw(1);
  for (float& pixel : images.mutable_data<float>())
    pixel = static_cast<float>(draw()) / static_cast<float>(std::minstd_rand::max());
  return images;
}

double step_microseconds(const char* device, const Array& x, const Array& y, int64_t batch) {
  const Device scope(device);
  Sequential model({Input({.shape = {28, 28, 1}}),
                    layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                    layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                    layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = "accuracy"});
  const auto seconds = [&](int64_t epochs) {
    const auto begin = std::chrono::steady_clock::now();
    model.fit(x, y, {.batch_size = batch, .epochs = epochs, .verbose = 0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  seconds(1);                                        // compiles
  const double one = seconds(1), more = seconds(4);  // each brings the data to where it stays
  return (more - one) / 3 * static_cast<double>(batch) / samples * 1e6;
}

}  // namespace

int main() try {
  const auto gpus = list_physical_devices("GPU");
  if (gpus.empty()) throw DeviceError("this compares two ways to a GPU, and there is none.");
  set_logical_device_configuration(gpus[0], {{.memory_limit = 8192}, {.memory_limit = limit_mb}});
  const Array x = noise(), y(DType::int32, {samples});
  fmt::print("{:>8} {:>12} {:>12} {:>8}\n", "batch", "resident us", "sent us", "ratio");
  for (const int64_t batch : {64, 1024}) {
    std::vector<double> resident, sent;
    for (int i = 0; i < 3; ++i) {
      resident.push_back(step_microseconds("/gpu:0", x, y, batch));
      sent.push_back(step_microseconds("/gpu:1", x, y, batch));
    }
    std::sort(resident.begin(), resident.end());
    std::sort(sent.begin(), sent.end());
    fmt::print("{:>8} {:>12.1f} {:>12.1f} {:>8.3f}\n", batch, resident[1], sent[1],
               sent[1] / resident[1]);
  }
} catch (const stoker::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
