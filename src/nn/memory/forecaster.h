#pragma once
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// The types of the data that fit trains on.
struct FitTypes {
  data::FeedPlan train;
  StepLayout layout;  // of the training step
  std::optional<data::FeedPlan> validation = {};
  int64_t validation_batch = 0;  // 0: as in training
  bool resident = false;         // the data is already on the device

  int64_t steps(int64_t batch) const;  // to compile
  // The minimum that a device with its own memory must hold: of validation data one batch.
  int64_t bytes(int64_t batch) const;
  int64_t validation_bytes(int64_t batch) const;
  int64_t copied_bytes(int64_t batch) const;
  int64_t batch_of_validation(int64_t batch) const;
  // Additional bytes if that much memory is free: all of the validation data.
  int64_t optional_bytes(int64_t batch, int64_t free) const;
};
FitTypes types_of(const FitData& data, const device::Device& device);
// The data on which a model with known input shapes would be trained.
FitTypes described_types(Model& model, bool shuffle, const device::Device& device);
// For a single batch that is already on the device.
FitTypes data_of_a_batch(const data::FeedPlan& plan, const StepLayout& layout);

// Plans training steps for several batch sizes without changing the model.
class Forecaster {
 public:
  Forecaster(Model& model, FitTypes data) : model_(model), data_(std::move(data)), traces_(model) {}

  // Without largest_batch. For the full batch's step, or for all steps that fit compiles.
  enum class Steps { full_batch, all };
  MemoryForecast forecast(int64_t batch, Recompute recompute,
                          Steps steps = Steps::full_batch) const;
  graph::Cost cost(int64_t batch) const;
  struct Bounds {
    int64_t most;        // samples
    double share = 1;    // of the free memory that may be used
    int64_t beside = 0;  // bytes of it used by something else
  };
  // The largest batch whose allocations are within the bounds, to half a percent; 0 if there is
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
