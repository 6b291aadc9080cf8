#pragma once
#include "nn/model_impl.h"
#include "stoker/suggest.h"

// The metrics of a model: made when the shapes are known, named as Keras names them.
namespace stoker::nn {

void check_outputs(Model& model, const StepData& data, const std::vector<Tensor>& y_pred);
// The mean over batches, whatever their size: Keras has it so, unlike the total.
void track_output_loss(const TraceResults& traced, size_t output, const Tensor& loss);
void update_metrics(const TraceResults& traced, const StepData& data,
                    const std::vector<Tensor>& y_pred, const Tensor& loss);

// What a step returned becomes states, which the host reads when it wants to.
void keep_logs(TraceResults& traced, Phase phase, const StepLogs& logs);

void reset_metrics(const Model& model);
// What metrics have added up so far, and back to it: validation uses the states of training.
std::vector<Array> metric_states(const Model& model);
void set_metric_states(const Model& model, const std::vector<Array>& values);
Logs read_metrics(Model& model, Phase phase);

}  // namespace stoker::nn
