#pragma once
#include "stoker/regularizer.h"

// The regularizers with their arguments; Regularizer("l2") has the defaults.
namespace stoker::regularizers {

struct L1Args {
  double l1 = 0.01;
};
Regularizer L1(const L1Args& args = {});  // l1 * sum(|w|)

struct L2Args {
  double l2 = 0.01;
};
Regularizer L2(const L2Args& args = {});  // l2 * sum(w²)

struct L1L2Args {
  double l1 = 0, l2 = 0;
};
Regularizer L1L2(const L1L2Args& args = {});

struct OrthogonalRegularizerArgs {
  double factor = 0.01;
  std::string mode = "rows";  // or columns
};
// factor times the mean of the dot products of distinct normalised rows (columns).
Regularizer OrthogonalRegularizer(const OrthogonalRegularizerArgs& args = {});

}  // namespace stoker::regularizers
