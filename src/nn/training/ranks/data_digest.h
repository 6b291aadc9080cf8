#pragma once
#include <string>

#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// What ranks compare of their data: its length, types and a digest of some rows. Of datasets that
// do not consist of arrays, the stages and what these know of their files.
std::string describe(const RunData& data, const data::FeedPlan& plan, int64_t batch_size);

}  // namespace stoker::nn
