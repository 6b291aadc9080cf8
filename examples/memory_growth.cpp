// GPU memory that is allocated as needed (the default) or up to a limit: two programs can then
// share one GPU. Uses the CPU if there is no GPU.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto gpus = list_physical_devices("GPU");
  const auto devices = gpus.empty() ? list_physical_devices("CPU") : gpus;
  if (gpus.empty()) fmt::print("No GPU here: the CPU is set up in its place.\n");
  const std::string kind = devices[0].device_type;
  try {
    for (const auto& device : devices) set_memory_growth(device, true);
    set_logical_device_configuration(devices[0], {{.memory_limit = 512}, {.memory_limit = 256}});
    const auto logical = list_logical_devices(kind);
    fmt::print("{} Physical {}s, {} Logical {}s\n", devices.size(), kind, logical.size(), kind);
  } catch (const std::runtime_error& e) {
    // Devices must be set up before they are used.
    fmt::print("{}\n", e.what());
  }

  const Device scope(kind + ":1");  // the smaller half
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const auto data = datasets::fashion_mnist();
  model.fit(data.x_train, data.y_train, {.batch_size = 128, .epochs = 2});
  const MemoryInfo memory = get_memory_info(kind + ":1");
  fmt::print("{:.1f} MB of {} MB at the peak\n", static_cast<double>(memory.peak) / (1 << 20),
             memory.limit >> 20);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
