#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct FBetaScoreArgs {
  std::string average = {};  // "micro", "macro", "weighted"; none: a score for each class
  double beta = 1;           // recall counts so many times more than precision
  std::optional<double> threshold = {};  // none: the largest output of a row is the class
  std::string name = "fbeta_score";
  DType dtype = DType::float32;
};
// Of targets and outputs (batch, classes): precision and recall in one number.
std::shared_ptr<Metric> FBetaScore(const FBetaScoreArgs& args = {});

}  // namespace stoker::metrics
