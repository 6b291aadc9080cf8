// Arrays that lie on the GPU against arrays that come batch by batch, because they take more than
// half of the memory that is free there: gathered by the host's cores and sent, or gathered by the
// GPU out of page-locked memory: streaming. Microseconds a step of a small convolutional network,
// the median of epochs 3 and later, in turns; and what the second epoch took more, for
// page-locking.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "device/host_rows.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t samples = 160'000;  // 502 MB of float32
constexpr int64_t limit_mb = 700, epochs = 12;

Array noise() {
  Array images(DType::float32, {samples, 28, 28, 1});
  std::minstd_rand draw(1);
  for (float& pixel : images.mutable_data<float>())
    pixel = static_cast<float>(draw()) / static_cast<float>(std::minstd_rand::max());
  return images;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Measured {
  double step_us, second_epoch_ms;
};

Measured measure(const char* device, const Array& x, const Array& y, int64_t batch) {
  const Device scope(device);
  Sequential model({Input({.shape = {28, 28, 1}}),
                    layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                    layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                    layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = "accuracy"});
  std::vector<double> seconds;
  auto begin = std::chrono::steady_clock::now();
  const auto look = callbacks::LambdaCallback({.on_epoch_end = [&](int64_t, const Logs&) {
    const auto now = std::chrono::steady_clock::now();
    seconds.push_back(std::chrono::duration<double>(now - std::exchange(begin, now)).count());
  }});
  model.fit(x, y, {.batch_size = batch, .epochs = epochs, .verbose = 0, .callbacks = {look}});
  const double usual = median({seconds.begin() + 2, seconds.end()});
  return {usual * static_cast<double>(batch) / samples * 1e6, (seconds[1] - usual) * 1e3};
}

}  // namespace

int main() try {
  setenv("STOKER_GPU_GATHERS", "1", 1);
  const auto gpus = list_physical_devices("GPU");
  if (gpus.empty()) throw DeviceError("this compares two ways to a GPU, and there is none.");
  set_logical_device_configuration(gpus[0], {{.memory_limit = 8192}, {.memory_limit = limit_mb}});
  const Array x = noise(), y(DType::int32, {samples});
  fmt::print("{:>8} {:>12} {:>10} {:>8} {:>13} {:>8} {:>10}\n", "batch", "resident us", "sent us",
             "ratio", "GPU gathers", "ratio", "locking ms");
  for (const int64_t batch : {64, 1024}) {
    std::vector<double> resident, sent, gathered, locking;
    for (int i = 0; i < 3; ++i) {
      resident.push_back(measure("/gpu:0", x, y, batch).step_us);
      device::HostRows::allowed = false;
      sent.push_back(measure("/gpu:1", x, y, batch).step_us);
      device::HostRows::allowed = true;
      const Measured there = measure("/gpu:1", x, y, batch);
      gathered.push_back(there.step_us);
      locking.push_back(there.second_epoch_ms);
    }
    const double least = median(resident);
    fmt::print("{:>8} {:>12.1f} {:>10.1f} {:>8.3f} {:>13.1f} {:>8.3f} {:>10.1f}\n", batch, least,
               median(sent), median(sent) / least, median(gathered), median(gathered) / least,
               median(locking));
  }
} catch (const stoker::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
