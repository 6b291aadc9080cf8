#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// The compile settings of one output, normalised from all of Keras's forms.
struct OutputSettings {
  LossRef loss;  // undefined: none
  std::optional<double> loss_weight;
  Metrics metrics, weighted_metrics;
};

// Throws InvalidArgument with the output names if a form does not match the outputs.
std::vector<OutputSettings> output_settings(const CompileArgs& args,
                                            const std::vector<std::string>& outputs);

}  // namespace stoker::nn
