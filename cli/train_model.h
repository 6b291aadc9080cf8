#pragma once
#include <string>
#include <vector>

#include "command.h"
#include "model_file.h"

namespace stoker::cli {

// `train` on a model file.
struct TrainModelOptions {
  std::string path, device, save, history, class_weight;
  DataOptions data;
  CompileOptions compile;
  std::vector<std::string> validation_x, validation_y, validation_sample_weight;
  int64_t epochs = 1, initial_epoch = 0, steps_per_epoch = 0, validation_freq = 1;
  bool shuffle = true;
  double validation_split = 0;
  std::optional<uint64_t> seed;
  int verbose = 2;
  void add_to(CLI::App& command);
};
void train_model(const TrainModelOptions& options, Invocation& invocation);

}  // namespace stoker::cli
