#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct LogCoshArgs {
  std::string reduction = "sum_over_batch_size", name = "log_cosh";
  DTypePolicy dtype = {};
};
// log(cosh(error)): quadratic for small errors, linear for large ones.
LossRef LogCosh(const LogCoshArgs& args = {});

}  // namespace stoker::losses
