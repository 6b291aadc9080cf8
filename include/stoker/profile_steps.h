#pragma once
#include <cstdint>

namespace stoker {

// Steps of fit for which the device records when each call runs: `fit({.profile = {10, 20}})`.
// Counted from 1 over all epochs, both ends included. Profiled steps run one by one and their calls
// sequentially, without a CUDA graph, so they take longer than others.
struct ProfileSteps {
  int64_t from = 0, to = 0;  // 0: none
};

}  // namespace stoker
