#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct FBetaScoreArgs {
  std::string average = {};              // "micro", "macro", "weighted"; none: one score per class
  double beta = 1;                       // the weight of recall relative to precision
  std::optional<double> threshold = {};  // none: the class is the argmax of a row
  std::string name = "fbeta_score";
  DType dtype = DType::float32;
};
// The weighted harmonic mean of precision and recall, for targets and outputs (batch, classes).
std::shared_ptr<Metric> FBetaScore(const FBetaScoreArgs& args = {});

}  // namespace stoker::metrics
