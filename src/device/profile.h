#pragma once
#include <string>
#include <vector>

#include "device/device.h"

namespace stoker::device {

// When a call of a step ran, in nanoseconds of the device's clock.
struct Span {
  std::string name;  // the layer's path and the op
  int32_t node;      // of the step's graph; -1: it belongs to none
  int64_t begin, end;
};

// Between start and stop a device records when each call of its steps runs. Calls run sequentially
// meanwhile, even those that could overlap. A kernel that runs many steps at once
// (train_dense_stack on CUDA) is one span. Throws Unsupported if the backend has no profiler.
void start_profile(const Device& device);  // discards what was not read
void stop_profile(const Device& device);
std::vector<Span> read_profile(const Device& device);  // waits for the calls, and takes all spans
int64_t dropped_calls(const Device& device);           // since the start, for lack of room

}  // namespace stoker::device
