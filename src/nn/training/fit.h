#pragma once
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// Throws for unsupported arguments before any data is read.
void check_fit(const Model& model, const FitArgs& args);

// Implements Model::fit for any kind of data.
History fit(Model& model, const FitData& data, const FitArgs& args);

// Model::fit on arrays or a dataset; stops when the loss is not finite.
History fit_while_finite(Model& model, const ValidationData& data, const FitArgs& args);

}  // namespace stoker::nn
