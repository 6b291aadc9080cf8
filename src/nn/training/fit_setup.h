#pragma once
#include "nn/memory/forecaster.h"
#include "nn/training/step_loop.h"

namespace stoker::nn {

// Everything a fit needs before its first step: checked data, the batch size, the feeds, and all
// compiled steps. Errors of the model, the shapes or the memory are reported here.
class FitSetup {
 public:
  FitSetup(Model& model, FitData data, const FitArgs& args, Session& session);

  data::Feed& feed() { return *feed_; }
  data::Feed* validation_feed() { return validation_feed_.get(); }
  // Closes the feeds; afterwards only statistics() may be called.
  void close();
  PipelineStatistics statistics() const { return feed_ ? feed_->statistics() : statistics_; }
  const RunData& training() const { return data_.train; }
  const RunData* validation() const { return data_.validation ? &*data_.validation : nullptr; }
  const StepLayout& layout() const { return types_.layout; }
  int64_t batch_size() const { return args_.batch_size; }

  void compile(StepLoop& loop);
  // For training; compiled on first use.
  exec::StepRef step_of(int64_t rows, const std::vector<TensorType>& inputs);
  const exec::StepRef& full_step() const { return full_step_; }
  // For full batches, and for a smaller last one.
  std::vector<exec::StepRef> training_steps() const;
  exec::States states() const;  // that they read and write
  // Device memory that the data and copies of batches still need.
  int64_t bytes_to_upload() const;

 private:
  void choose_batch_size();
  void compile_validation();
  void compile_test(int64_t rows);
  int64_t reserve() const;

  Model& model_;
  FitArgs args_;
  FitData data_;
  FitTypes types_;
  std::unique_ptr<data::Feed> feed_, validation_feed_;
  PipelineStatistics statistics_;  // of the feed, once it is closed
  exec::StepRef full_step_, last_step_;
  std::vector<exec::StepRef> test_steps_;  // held, so that they are not compiled again
  int64_t more_steps_ = 0;                 // still to be compiled
};

}  // namespace stoker::nn
