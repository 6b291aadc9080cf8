#pragma once
#include <map>

#include "nn/training/inputs/input_uses.h"
#include "nn/training/output_settings.h"
#include "nn/training/step_cache.h"
#include "stoker/model.h"

namespace stoker::nn {

// What tracing a step determines about a model, and the metrics created for its targets. Empty
// before the first trace.
struct TraceResults {
  std::vector<std::string> output_names;
  std::vector<OutputSettings> outputs;           // compile's settings, by output
  std::vector<std::shared_ptr<Metric>> metrics;  // loss first
  std::vector<std::string> metric_names;         // their names in logs
  struct OutputMetrics {
    std::shared_ptr<Metric> loss;  // with several outputs, one each
    std::vector<std::shared_ptr<Metric>> plain, weighted;
  };
  std::vector<OutputMetrics> by_output;
  struct StepLog {
    std::string name;
    Variable latest;
  };
  std::map<Phase, std::vector<StepLog>> step_logs;  // values returned by steps
  // by output, for sparse losses; 0: labels are not class indices
  std::vector<int64_t> label_classes;
  std::vector<InputUse> input_uses;  // by input
};

// The model's own, or those of this thread's TraceElsewhere.
TraceResults& trace_results(Model::Impl& impl);
inline TraceResults& trace_results(Model& model) { return trace_results(model.impl()); }

// While it lives, this thread traces a model without changing it: for forecasts, whose targets are
// not the real ones. Starts with a copy of the model's results.
class TraceElsewhere {
 public:
  explicit TraceElsewhere(Model& model);
  ~TraceElsewhere();
  TraceElsewhere(const TraceElsewhere&) = delete;
  TraceElsewhere& operator=(const TraceElsewhere&) = delete;

 private:
  friend TraceResults& trace_results(Model::Impl& impl);
  const Model::Impl& impl_;
  TraceResults results_;
  TraceElsewhere* outer_;
};

}  // namespace stoker::nn
