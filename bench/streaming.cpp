// Compares arrays in GPU memory with arrays that are streamed batch by batch, because they need
// more than half of the free memory: gathered by the host's cores and sent, or gathered by the GPU
// from page-locked memory. Prints microseconds per step of a small convolutional network (the
// median of epochs 3 and later of three alternating fits), with float32 and with uint8 images, and
// the ratio to the resident arrays.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t image = 28 * 28, bytes = 160'000 * image * 4;  // 502 MB
constexpr int64_t limit_mb = 700, rounds = 3;

// How batches are sent to the device, as selected by the environment.
struct Way {
  const char* name;
  const char* device;
  std::map<std::string, std::string> environment;
};
const std::vector<Way> ways{{"resident", "/gpu:0", {}},
                            {"sent", "/gpu:1", {}},
                            {"gathered by the GPU", "/gpu:1", {{"STOKER_GPU_GATHERS", "1"}}}};

Array noise(DType dtype) {
  Array images(dtype, {bytes / image / (dtype == DType::uint8 ? 1 : 4), 28, 28, 1});
  std::minstd_rand draw(1);
  if (dtype == DType::uint8)
    for (uint8_t& pixel : images.mutable_data<uint8_t>()) pixel = static_cast<uint8_t>(draw() >> 8);
  else
    for (float& pixel : images.mutable_data<float>())
      pixel = static_cast<float>(draw()) / static_cast<float>(std::minstd_rand::max());
  return images;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double step_us(const Array& x, const Array& y, int64_t batch) {
  Sequential model({Input({.shape = {28, 28, 1}}),
                    layers::Rescaling({.scale = x.dtype() == DType::uint8 ? 1.0 / 255 : 1.0}),
                    layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                    layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                    layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = "accuracy"});
  const int64_t epochs = x.dtype() == DType::uint8 ? 6 : 12;
  std::vector<double> seconds;
  auto begin = std::chrono::steady_clock::now();
  const auto look = callbacks::LambdaCallback({.on_epoch_end = [&](int64_t, const Logs&) {
    const auto now = std::chrono::steady_clock::now();
    seconds.push_back(std::chrono::duration<double>(now - std::exchange(begin, now)).count());
  }});
  model.fit(x, y, {.batch_size = batch, .epochs = epochs, .verbose = 0, .callbacks = {look}});
  const auto steps = static_cast<double>(x.length()) / static_cast<double>(batch);
  return median({seconds.begin() + 2, seconds.end()}) / steps * 1e6;
}

double measure(const Way& way, const Array& x, const Array& y, int64_t batch) {
  for (const auto& [name, value] : way.environment) setenv(name.c_str(), value.c_str(), 1);
  const Device scope(way.device);
  const double us = step_us(x, y, batch);
  for (const auto& [name, value] : way.environment) unsetenv(name.c_str());
  return us;
}

void compare(const Array& x, const Array& y, int64_t batch) {
  std::vector<std::vector<double>> found(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < ways.size(); ++i) found[i].push_back(measure(ways[i], x, y, batch));
  for (size_t i = 0; i < ways.size(); ++i)
    fmt::print("{:>8} {:>6} {:<24} {:>8.1f} {:>8.3f}\n", name_of(x.dtype()), batch, ways[i].name,
               median(found[i]), median(found[i]) / median(found[0]));
  std::fflush(stdout);
}

}  // namespace

int main() try {
  const auto gpus = list_physical_devices("GPU");
  if (gpus.empty()) throw DeviceError("this compares two ways to a GPU, and there is none.");
  set_logical_device_configuration(gpus[0], {{.memory_limit = 8192}, {.memory_limit = limit_mb}});
  fmt::print("{:>8} {:>6} {:<24} {:>8} {:>8}\n", "images", "batch", "", "us", "ratio");
  for (const DType dtype : {DType::float32, DType::uint8}) {
    const Array x = noise(dtype), y(DType::int32, {x.length()});
    for (const int64_t batch : {64, 1024}) compare(x, y, batch);
  }
} catch (const stoker::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
