#pragma once
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// What fit feeds its steps.
struct FitTypes {
  data::FeedPlan train;
  StepLayout layout;  // of the training step
  std::optional<data::FeedPlan> validation = {};
  int64_t validation_batch = 0;  // 0: as in training
  bool resident = false;         // the data lies on the device already

  int64_t steps(int64_t batch) const;  // to compile
  // What a device with memory of its own must hold of it at least: one batch of validation data.
  int64_t bytes(int64_t batch) const;
  int64_t validation_bytes(int64_t batch) const;
  int64_t copied_bytes(int64_t batch) const;
  int64_t batch_of_validation(int64_t batch) const;
  // What is held beyond that where so much is free beside it: all of the validation data.
  int64_t optional_bytes(int64_t batch, int64_t free) const;
};
FitTypes types_of(const FitData& data, const device::Device& device);
// What a model that says what it takes would be trained on.
FitTypes described_types(Model& model, bool shuffle, const device::Device& device);
// Of a single batch, which lies on the device already.
FitTypes data_of_a_batch(const data::FeedPlan& plan, const StepLayout& layout);

// Plans training steps of a model for several batch sizes, and leaves the model as it was.
class Forecaster {
 public:
  Forecaster(Model& model, FitTypes data) : model_(model), data_(std::move(data)), traces_(model) {}

  // Without largest_batch. Of the step for a full batch, or of all that fit will compile.
  enum class Steps { full_batch, all };
  MemoryForecast forecast(int64_t batch, Recompute recompute,
                          Steps steps = Steps::full_batch) const;
  graph::Cost cost(int64_t batch) const;
  struct Bounds {
    int64_t most;        // samples
    double share = 1;    // of the free memory that may be taken
    int64_t beside = 0;  // bytes of that which something else takes
  };
  // The largest whose bytes to allocate are within bounds; to within half a percent, 0 if there is
  // none.
  int64_t largest_batch(int64_t near, Recompute recompute, const Bounds& bounds) const;

 private:
  exec::StepPlan plan(int64_t batch, Recompute recompute) const;
  int64_t further_arenas(int64_t batch, const exec::StepPlan& full) const;

  Model& model_;
  FitTypes data_;
  TraceElsewhere traces_;
};

inline constexpr int64_t largest_thinkable_batch = int64_t{1} << 30;

}  // namespace stoker::nn
