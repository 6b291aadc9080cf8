// Uses only the first of several GPUs. This must be set before anything runs on one; otherwise the
// error names the call that came first.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto gpus = list_physical_devices("GPU");
  if (gpus.empty()) {
    fmt::print("No GPU here, so nothing to choose from:\n");
    for (const auto& [backend, reason] : list_devices().failed)
      fmt::print("  {}: {}\n", backend, reason);
  } else {
    try {
      set_visible_devices(gpus[0], "GPU");
      const auto logical_gpus = list_logical_devices("GPU");
      fmt::print("{} Physical GPUs, {} Logical GPUs\n", gpus.size(), logical_gpus.size());
    } catch (const std::runtime_error& e) {
      fmt::print("{}\n", e.what());
    }
  }

  const auto data = datasets::fashion_mnist();
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model.fit(data.x_train, data.y_train, {.epochs = 2});

  try {
    set_visible_devices({}, "GPU");
  } catch (const std::runtime_error& e) {
    fmt::print("{}\n", e.what());
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
