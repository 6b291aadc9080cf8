#pragma once
#include <optional>

#include "stoker/callback.h"
#include "stoker/config.h"

namespace stoker::callbacks {

struct ModelCheckpointArgs {
  std::string filepath = {};  // may contain {epoch:02d}, {batch} and metrics such as {val_loss:.2f}
  std::string monitor = "val_loss";
  int verbose = 0;
  bool save_best_only = false;
  bool save_weights_only = false;
  std::string mode = "auto";
  Config save_freq = "epoch";  // or a number of batches
  std::optional<double> initial_value_threshold = {};
};
// Saves the model (".keras") or its weights (".weights.h5", ".safetensors", ".npz") during
// training. Files are written atomically.
CallbackRef ModelCheckpoint(const ModelCheckpointArgs& args);

}  // namespace stoker::callbacks
