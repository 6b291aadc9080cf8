#pragma once
#include <cstdint>

namespace stoker {

class Model;

namespace nn {

// Before the next launch of steps.
struct NextLaunch {
  int64_t steps;
  bool stop;  // does training end before it?
};
// Agreement of all ranks: what rank 0 would do, and whether a rank was interrupted.
NextLaunch agree_on_launch(const NextLaunch& own);

// Agreement after an epoch: rank 0's stop_training, and its learning rate, as its callbacks may
// depend on time or on files. `has_callbacks`: may the rate have changed? Only rank 0's counts.
void agree_on_epoch(Model& model, bool has_callbacks);

// Does this process have an interrupt that the other ranks do not know of?
bool was_interrupted_here();
void agree_on_interrupt();  // afterwards interrupted() is true on all ranks

}  // namespace nn
}  // namespace stoker
