#pragma once
#include "nn/memory/forecaster.h"

namespace stoker::nn {

struct ChosenBatch {
  int64_t size = 0;
  std::string reason;
};

// The batch size of fit({.batch_size = AUTO}). docs/decisions.md explains the rule.
ChosenBatch choose_batch(Model& model, const FitTypes& data, Recompute recompute);

}  // namespace stoker::nn
