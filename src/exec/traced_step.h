#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exec/compiled_step.h"
#include "stoker/tensor.h"

namespace stoker::exec {

struct StepOptions {
  Recompute recompute = false;
  int64_t reserve = 0;         // bytes of device memory to leave for others
  int64_t more_steps = 0;      // that are still to be compiled, for other batch sizes
  bool binds_outputs = false;  // if possible: see StepPlan
};

// Steps that are referenced stay in the cache.
using StepRef = std::shared_ptr<CompiledStep>;

// A function of tensors, traced and compiled once per input signature; fit, train_on_batch and
// stoker::function all run one. Of the steps without a reference only the most recently used are
// kept (LRU), as each has its own memory and there can be one for every batch size.
class TracedStep {
 public:
  static constexpr size_t most_kept = 64;
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  // Steps that never run at the same time can share one arena.
  using SharedArena = std::shared_ptr<device::Buffer>;
  explicit TracedStep(Body body, SharedArena arena = nullptr)
      : body_(std::move(body)),
        arena_(arena ? std::move(arena) : std::make_shared<device::Buffer>()) {}

  // For the device of the current scope, else for the device of its variables.
  StepRef step_for(const std::vector<TensorType>& inputs, const StepOptions& options = {});
  StepPlan plan_for(const std::vector<TensorType>& inputs, const StepOptions& options) const;
  void drop_stale();   // steps whose variables have moved to another device
  void drop_unused();  // steps without a reference
  size_t count() const { return steps_.size(); }

 private:
  PlanOptions plan_options(const StepOptions& options) const;

  Body body_;
  SharedArena arena_;
  struct Entry {
    std::vector<TensorType> signature;
    std::optional<device::Device> asked;  // the scope's
    uint64_t switches;  // the version of the settings under which its kernels were chosen
    Recompute recompute;
    StepRef step;
    uint64_t last_use;
  };
  void make_room();
  std::vector<Entry> steps_;
  uint64_t uses_ = 0;
};

graph::Graph trace(const TracedStep::Body& body, const std::vector<TensorType>& inputs);

}  // namespace stoker::exec
