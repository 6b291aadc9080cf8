#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::nn {

// Collects the losses that layers add by add_loss while a step is traced.
class StepLosses {
 public:
  StepLosses();
  ~StepLosses();
  StepLosses(const StepLosses&) = delete;
  StepLosses& operator=(const StepLosses&) = delete;
  std::vector<Tensor> losses;
  static StepLosses* current();

 private:
  StepLosses* outer_;
};

}  // namespace stoker::nn
