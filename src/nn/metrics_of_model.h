#pragma once
#include "core/suggest.h"
#include "nn/model_impl.h"

// The metrics of a model: made when the shapes are known, named as Keras names them.
namespace stoker::nn {

void check_outputs(const Model& model, Model::Impl& impl, const StepData& data,
                   const std::vector<Tensor>& y_pred);
// The mean over batches, whatever their size: Keras has it so, unlike the total.
void track_output_loss(Model::Impl& impl, size_t output, const Tensor& loss);
void update_metrics(Model::Impl& impl, const StepData& data, const std::vector<Tensor>& y_pred,
                    const Tensor& loss);

void reset_metrics(Model::Impl& impl);
Logs read_metrics(const Model::Impl& impl);

}  // namespace stoker::nn
