#pragma once
#include "nn/model_impl.h"
#include "stoker/suggest.h"

// The metrics of a model: created when shapes are known, named as in Keras.
namespace stoker::nn {

void check_outputs(Model& model, const StepData& data, const std::vector<Tensor>& y_pred);
// The mean over batches regardless of their size, as in Keras; the total loss is weighted.
void track_output_loss(const TraceResults& traced, size_t output, const Tensor& loss);
void update_metrics(const TraceResults& traced, const StepData& data,
                    const std::vector<Tensor>& y_pred, const Tensor& loss);

// Values returned by a step become states, which the host reads when needed.
void keep_logs(TraceResults& traced, Phase phase, const StepLogs& logs);

void reset_metrics(const Model& model);
// Saves and restores the metric states: validation uses those of training.
std::vector<Array> metric_states(const Model& model);
void set_metric_states(const Model& model, const std::vector<Array>& values);
Logs read_metrics(Model& model, Phase phase);

}  // namespace stoker::nn
