// The time of each call of a training step on the default device: step_calls mlp128|mlp1024x3
// [BATCH]. Microseconds per step from the device's profile, the longest first; STOKER_NUM_THREADS
// sets the CPU's threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "device/profile.h"
#include "device/scope.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t steps = 32;

Sequential model_of(const std::string& name) {
  std::vector<Sequential::Item> items{Input({.shape = {784}})};
  const int64_t units = name == "mlp128" ? 128 : 1024, count = name == "mlp128" ? 1 : 3;
  for (int64_t i = 0; i < count; ++i)
    items.push_back(layers::Dense({.units = units, .activation = "relu"}));
  items.push_back(layers::Dense({.units = 10, .activation = "softmax"}));
  Sequential model(items);
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = "accuracy"});
  return model;
}

struct Total {
  int64_t calls = 0;
  double us = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "mlp128";
  const int64_t batch = argc > 2 ? std::atoll(argv[2]) : 1024;
  Sequential model = model_of(name);
  const Array x(DType::float32, {batch * steps, 784}), y(DType::int32, {batch * steps});
  model.fit(x, y, {.batch_size = batch, .epochs = 2, .verbose = 0});
  const device::Device device = device::current_device("step_calls");
  device::start_profile(device);
  model.fit(x, y, {.batch_size = batch, .epochs = 4, .verbose = 0});
  device::stop_profile(device);
  std::map<std::string, Total> totals;
  for (const device::Span& span : device::read_profile(device)) {
    Total& total = totals[fmt::format("{} #{}", span.name, span.node)];
    ++total.calls, total.us += static_cast<double>(span.end - span.begin) / 1000;
  }
  std::vector<std::pair<std::string, Total>> rows(totals.begin(), totals.end());
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
  double sum = 0;
  for (const auto& [call, total] : rows) {
    const double us = total.us / (4 * steps);
    sum += us;
    fmt::print("{:>10.1f} us  {}\n", us, call);
  }
  fmt::print("{:>10.1f} us  {} b{}, all calls of a step\n", sum, name, batch);
} catch (const stoker::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
