#pragma once
#include <optional>

#include "stoker/callback.h"

namespace stoker::callbacks {

struct EarlyStoppingArgs {
  std::string monitor = "val_loss";
  double min_delta = 0;
  int64_t patience = 0;
  int verbose = 0;
  std::string mode = "auto";
  std::optional<double> baseline = {};
  bool restore_best_weights = false;
  int64_t start_from_epoch = 0;
};
// Ends training when the monitored value has not improved for `patience` epochs.
CallbackRef EarlyStopping(const EarlyStoppingArgs& args = {});

}  // namespace stoker::callbacks
