#pragma once
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// Throws what fit cannot do, before any data is looked at.
void check_fit(const Model& model, const FitArgs& args);

// What Model::fit does, over any data.
History fit(Model& model, const FitData& data, const FitArgs& args);

// Model::fit on arrays or a dataset that ends when the loss is no longer finite.
History fit_while_finite(Model& model, const ValidationData& data, const FitArgs& args);

}  // namespace stoker::nn
