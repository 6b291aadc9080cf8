#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

struct ReduceLROnPlateauArgs {
  std::string monitor = "val_loss";
  double factor = 0.1;
  int64_t patience = 10;
  int verbose = 0;
  std::string mode = "auto";
  double min_delta = 1e-4;
  int64_t cooldown = 0;
  double min_lr = 0;
};
// Multiplies the learning rate by `factor` when the monitored value stops improving.
CallbackRef ReduceLROnPlateau(const ReduceLROnPlateauArgs& args = {});

}  // namespace stoker::callbacks
