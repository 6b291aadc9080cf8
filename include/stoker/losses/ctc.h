#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CTCArgs {
  std::string reduction = "sum_over_batch_size", name = "ctc";
  DTypePolicy dtype = {};
};
// Of labels (batch, length), filled up with 0, and logits (batch, times, classes) whose class 0 is
// the blank.
LossRef CTC(const CTCArgs& args = {});

}  // namespace stoker::losses
