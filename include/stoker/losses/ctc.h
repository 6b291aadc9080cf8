#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CTCArgs {
  std::string reduction = "sum_over_batch_size", name = "ctc";
  DTypePolicy dtype = {};
};
// For labels (batch, length), padded with 0, and logits (batch, times, classes) with class 0 as
// blank.
LossRef CTC(const CTCArgs& args = {});

}  // namespace stoker::losses
