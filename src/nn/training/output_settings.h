#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// What compile was given for one output, whichever of Keras's forms it came in.
struct OutputSettings {
  LossRef loss;  // undefined: none
  std::optional<double> loss_weight;
  Metrics metrics, weighted_metrics;
};

// Throws InvalidArgument where a form does not fit the outputs, naming them.
std::vector<OutputSettings> output_settings(const CompileArgs& args,
                                            const std::vector<std::string>& outputs);

}  // namespace stoker::nn
