#pragma once
#include "nn/training/inputs/fit_data.h"
#include "stoker/dataset.h"

namespace stoker::nn {

// A run over the batches of a dataset. Elements have Keras's meaning: a tuple is (x), (x, y) or (x,
// y, sample_weight), anything else is x. Named parts go to the inputs or outputs of these names.
// `given`: the last stage before a map that fit appended.
RunData run_over(Model& model, const Dataset& dataset, Phase phase, const char* doing,
                 const data::StageRef& given = nullptr);

// Validation data: arrays or a dataset.
RunData run_over(Model& model, const ValidationData& given, const char* doing);

// Checks fit's other arguments for a dataset; class weights become sample weights.
FitData make_fit_data(Model& model, const Dataset& dataset, const FitArgs& args, const char* doing);

}  // namespace stoker::nn
