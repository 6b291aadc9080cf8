#pragma once
#include "data/feeds/feed.h"
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {

// The values that a model can process, by column: ids within Embeddings, labels within the classes
// of sparse losses. Known after the step was traced.
std::vector<data::ColumnLimit> limits_of(Model& model, const StepLayout& layout);

// Throws InvalidArgument for values that the model cannot process: now, if all data is in memory;
// else the feed checks each batch.
void check_values(Model& model, const Columns& columns);
void check_values(Model& model, const RunData& data, data::Feed& feed);

}  // namespace stoker::nn
