#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct F1ScoreArgs {
  std::string average = {};              // "micro", "macro", "weighted"; none: one score per class
  std::optional<double> threshold = {};  // none: the class is the argmax of a row
  std::string name = "f1_score";
  DType dtype = DType::float32;
};
// FBetaScore with beta 1.
std::shared_ptr<Metric> F1Score(const F1ScoreArgs& args = {});

}  // namespace stoker::metrics
