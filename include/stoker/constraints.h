#pragma once
#include <vector>

#include "stoker/constraint.h"

// The constraints with their arguments; Constraint("max_norm") has the defaults.
namespace stoker::constraints {

// The axes over which a norm is computed: one, or several.
struct NormAxes {
  std::vector<int64_t> axes;
  NormAxes(int axis) : axes{axis} {}                              // NOLINT
  NormAxes(std::initializer_list<int64_t> list) : axes(list) {}   // NOLINT
  NormAxes(std::vector<int64_t> list) : axes(std::move(list)) {}  // NOLINT
};

struct MaxNormArgs {
  double max_value = 2;
  NormAxes axis = 0;
};
Constraint MaxNorm(const MaxNormArgs& args = {});

Constraint NonNeg();

struct UnitNormArgs {
  NormAxes axis = 0;
};
Constraint UnitNorm(const UnitNormArgs& args = {});

struct MinMaxNormArgs {
  double min_value = 0, max_value = 1;
  double rate = 1;  // how far a norm moves into the interval in each step
  NormAxes axis = 0;
};
Constraint MinMaxNorm(const MinMaxNormArgs& args = {});

}  // namespace stoker::constraints
