#pragma once
#include <cstdint>
#include <optional>

namespace stoker {

class Model;

namespace nn {

// Before the next launch of steps.
struct NextLaunch {
  int64_t steps;
  bool stop;                        // does training end before it?
  bool has_begin_hooks = false;     // are callbacks called for the begin of its batch?
  std::optional<double> rate = {};  // the learning rate, if callbacks may have set it
  bool single = false;              // does this rank's data come in single batches?
};
// Agreement of all ranks: what rank 0 would do, one step if the data of any rank comes in single
// batches, and whether a rank was interrupted. The rate is set.
NextLaunch agree_on_launch(Model& model, const NextLaunch& own);

// The optimizer's learning rate; none: it follows a schedule.
std::optional<double> rate_of(const Model& model);

// Callbacks may depend on time or on files, and a program may give them to one rank only: rank 0's
// learning rate is that of all ranks. `may_have_changed`: only rank 0's counts.
void agree_on_rate(Model& model, bool may_have_changed);
// After an epoch: likewise, and rank 0's stop_training.
void agree_on_epoch(Model& model, bool has_callbacks);

// Does this process have an interrupt in this thread's InterruptScope that the other ranks do not
// know of?
bool was_interrupted_here();
void agree_on_interrupt();  // afterwards interrupted() is true on all ranks

// While it lives, the ranks stop what this thread does together (fit, evaluate): no rank stops
// alone, as the others would wait for it, and interrupted() is only true for interrupts that they
// have agreed on. Otherwise (predict) every rank stops at its own. The outermost one of a thread
// counts: a predict in a callback of fit stops where fit does.
class StopScope {
 public:
  explicit StopScope(bool together);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  bool together() const { return together_; }

 private:
  const bool together_;
};

}  // namespace nn
}  // namespace stoker
