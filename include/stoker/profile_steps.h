#pragma once
#include <cstdint>

namespace stoker {

// Steps of fit in which the device notes when each of its calls runs: `fit({.profile = {10, 20}})`.
// Counted from 1 over all epochs, both included. Meanwhile steps run one by one and calls one after
// the other, without a recorded graph, so they take longer than the others.
struct ProfileSteps {
  int64_t from = 0, to = 0;  // 0: none
};

}  // namespace stoker
