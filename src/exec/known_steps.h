#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "exec/traced_step.h"

namespace stoker::exec {

// The compiled steps that a loop has used. If there are many, as batches have many shapes, only the
// first and the most recently used ones are held: the model's cache may release the others.
class KnownSteps {
 public:
  // Null: not known. For batches of so many rows, of any types or of these.
  CompiledStep* find(int64_t rows) {
    return use_if([&](const Known& known) { return known.rows == rows; });
  }
  CompiledStep* find(int64_t rows, const std::vector<TensorType>& types) {
    return use_if(
        [&](const Known& known) { return known.rows == rows && takes(*known.step, types); });
  }
  CompiledStep& add(int64_t rows, StepRef step) {
    if (steps_.size() == most)
      steps_.erase(
          std::ranges::min_element(steps_.begin() + 1, steps_.end(), {}, &Known::last_use));
    return *steps_.emplace_back(Known{rows, std::move(step), ++uses_}).step;
  }
  void forget_others() { steps_.erase(steps_.begin() + 1, steps_.end()); }  // than the first
  const StepRef& first() const { return steps_.front().step; }
  bool empty() const { return steps_.empty(); }
  size_t count() const { return steps_.size(); }

  static constexpr size_t most = TracedStep::most_kept - 1;  // so that one is replaceable

 private:
  struct Known {
    int64_t rows;
    StepRef step;
    uint64_t last_use;
  };
  static bool takes(const CompiledStep& step, const std::vector<TensorType>& types) {
    bool same = step.num_inputs() == types.size();
    for (size_t i = 0; same && i < types.size(); ++i) same = step.input_type(i) == types[i];
    return same;
  }
  CompiledStep* use_if(const auto& is_wanted) {
    const auto found = std::ranges::find_if(steps_, is_wanted);
    if (found == steps_.end()) return nullptr;
    found->last_use = ++uses_;
    return found->step.get();
  }

  std::vector<Known> steps_;
  uint64_t uses_ = 0;
};

}  // namespace stoker::exec
