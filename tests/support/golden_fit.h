#pragma once
#include "stoker/model.h"
#include "support/golden.h"

namespace stoker::golden {

inline const Config& field(const Config& of, const char* name) { return *of.find(name); }

// The arguments of Keras's fit in a golden case, and its sample weights.
inline FitArgs fit_args(const Config& given, std::vector<Array> sample_weight) {
  FitArgs args{.batch_size = field(given, "batch_size").as_int(),
               .epochs = field(given, "epochs").as_int(),
               .verbose = 0,
               .shuffle = false,
               .sample_weight = std::move(sample_weight)};
  if (const Config* split = given.find("validation_split"))
    args.validation_split = split->as_double();
  if (const Config* weights = given.find("class_weight"))
    for (const auto& [label, weight] : weights->as_map())
      args.class_weight[std::stoll(label)] = weight.as_double();
  return args;
}

}  // namespace stoker::golden
