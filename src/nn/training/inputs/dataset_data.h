#pragma once
#include "nn/training/inputs/fit_data.h"
#include "stoker/dataset.h"

namespace stoker::nn {

// A run over batches that a dataset gives. Elements are taken as Keras takes them: a tuple is
// (x), (x, y) or (x, y, sample_weight), anything else is x. Parts with names go to the inputs or
// outputs of these names. `given`: the last stage before a map that fit put behind it.
RunData run_over(Model& model, const Dataset& dataset, Phase phase, const char* doing,
                 const data::StageRef& given = nullptr);

// Over arrays or a dataset that fit validates with.
RunData run_over(Model& model, const ValidationData& given, const char* doing);

// What fit is given beside a dataset, checked; class weights become sample weights.
FitData make_fit_data(Model& model, const Dataset& dataset, const FitArgs& args, const char* doing);

}  // namespace stoker::nn
