// Prints how much device memory a training uses and for what, and that it is released afterwards.
#include <fmt/format.h>

#include <memory>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

void print_memory(const char* when, const std::string& device) {
  const MemoryInfo memory = get_memory_info(device);
  fmt::print("{}, {} holds {:.1f} KB (peak {:.1f} KB)\n", when, device,
             static_cast<double>(memory.current) / 1024, static_cast<double>(memory.peak) / 1024);
  for (const auto& category : memory.categories)
    if (category.peak > 0)
      fmt::print("  {:<12} {:>10.1f} KB (peak {:.1f} KB)\n", category.name,
                 static_cast<double>(category.current) / 1024,
                 static_cast<double>(category.peak) / 1024);
}

}  // namespace

int main() try {
  const auto gpus = list_physical_devices("GPU");
  for (const auto& gpu : gpus) {
    try {
      set_memory_growth(gpu, true);
      fmt::print("Memory growth enabled for GPU: {}\n", gpu.name);
    } catch (const std::runtime_error& e) {
      fmt::print("Cannot enable memory growth for GPU: {}, error: {}\n", gpu.name, e.what());
    }
  }
  if (gpus.empty()) fmt::print("No GPU here: the CPU's memory is watched.\n");
  const std::string device = gpus.empty() ? "CPU:0" : "GPU:0";

  const auto data = datasets::fashion_mnist();
  auto model = std::make_unique<Sequential>(std::vector<Sequential::Item>{
      Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
      Dense({.units = 64, .activation = "relu"}), Dense({.units = 10, .activation = "softmax"})});
  model->compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model->fit(data.x_train, data.y_train, {.epochs = 2});
  print_memory("after training", device);

  model.reset();
  reset_memory_stats(device);
  print_memory("without the model", device);

  for (const DeviceInfo& info : list_devices().devices)  // what nvidia-smi would show
    fmt::print("{} {}: {} of {} in use, by all programs\n", info.name, info.model,
               human_bytes(info.memory - info.memory_free), human_bytes(info.memory));
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
