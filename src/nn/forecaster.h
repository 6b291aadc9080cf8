#pragma once
#include "nn/fit_data.h"

namespace stoker::nn {

// The columns that training reads, as types.
struct ColumnTypes {
  std::vector<TensorType> types;  // x …, y …, weights …; the number of rows does not count
  StepLayout layout;
  int64_t samples = 0;   // 0: not known
  bool streams = false;  // batch by batch, as there is too much

  std::vector<TensorType> inputs(int64_t batch) const;  // of a step
  int64_t bytes(int64_t batch) const;                   // on a device with memory of its own
};
ColumnTypes types_of(const Columns& columns, bool shuffle, const device::Device& device);
ColumnTypes types_of(const StepLayout& layout, const std::vector<TensorType>& step_inputs);

// Plans training steps of a model for several batch sizes, and leaves the model as it was.
class Forecaster {
 public:
  // resident: the data lies on the device already.
  Forecaster(Model& model, ColumnTypes columns, bool resident = false);
  ~Forecaster();
  Forecaster(const Forecaster&) = delete;
  Forecaster& operator=(const Forecaster&) = delete;

  MemoryForecast forecast(int64_t batch, Recompute recompute) const;  // without largest_batch
  graph::Cost cost(int64_t batch) const;
  // The largest up to `most` whose bytes to allocate are no more than `share` of what is free; to
  // within half a percent, 0 if there is none.
  int64_t largest_batch(int64_t near, Recompute recompute, int64_t most, double share = 1) const;

 private:
  exec::StepPlan plan(int64_t batch, Recompute recompute) const;

  Model& model_;
  ColumnTypes columns_;
  bool resident_;
  struct Kept;  // of the model
  std::unique_ptr<Kept> kept_;
};

inline constexpr int64_t largest_thinkable_batch = int64_t{1} << 30;

}  // namespace stoker::nn
