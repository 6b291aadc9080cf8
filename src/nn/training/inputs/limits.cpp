#include "nn/training/inputs/limits.h"

#include <fmt/format.h>

namespace stoker::nn {
namespace {

data::ColumnLimit limit_of_ids(const InputUse& use, size_t input) {
  return {.below = use.rows,
          .of = fmt::format(" of input {}", input),
          .what = "id",
          .why = fmt::format("the Embedding \"{}\" has rows 0 to {}", use.layer, use.rows - 1),
          .hint = "check the ids, or give the Embedding a larger input_dim."};
}

data::ColumnLimit limit_of_labels(const Model& model, int64_t classes, size_t output) {
  return {.below = classes,
          .what = "label",
          .why = fmt::format("output {} of model \"{}\" has classes 0 to {}", output, model.name(),
                             classes - 1),
          .hint = "check the labels, or give the last layer more units."};
}

}  // namespace

std::vector<data::ColumnLimit> limits_of(Model& model, const StepLayout& layout) {
  const auto& uses = trace_results(model).input_uses;
  const auto& classes = trace_results(model).label_classes;
  std::vector<data::ColumnLimit> limits(layout.x + layout.y);
  for (size_t i = 0; i < layout.x && i < uses.size(); ++i)
    if (uses[i].rows > 0) limits[i] = limit_of_ids(uses[i], i);
  for (size_t i = 0; i < layout.y && i < classes.size(); ++i)
    if (classes[i] > 0) limits[layout.x + i] = limit_of_labels(model, classes[i], i);
  return limits;
}

void check_values(Model& model, const Columns& columns) {
  check_inputs(model, columns);
  const auto limits = limits_of(model, columns.layout);
  for (size_t i = 0; i < limits.size(); ++i)
    data::check_limit(columns.arrays[i], limits[i], "sample");
}

void check_values(Model& model, const RunData& data, data::Feed& feed) {
  if (data.columns) check_values(model, *data.columns);
  feed.limit(limits_of(model, data.layout));
}

}  // namespace stoker::nn
