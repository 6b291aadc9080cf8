#pragma once
#include "support/golden.h"

namespace stoker::golden {

// Equal up to `tolerance` of the expected maximum, however small that is.
inline ::testing::AssertionResult near_relative(const Array& got, const Array& want,
                                                double tolerance = 1e-5) {
  if (got.shape() != want.shape())
    return ::testing::AssertionFailure()
           << "shape " << to_string(got.shape()) << " instead of " << to_string(want.shape());
  double scale = 0;
  for (int64_t i = 0; i < want.size(); ++i) scale = std::max(scale, std::abs(want.at(i)));
  for (int64_t i = 0; i < want.size(); ++i)
    if (!(std::abs(got.at(i) - want.at(i)) <= tolerance * scale))
      return ::testing::AssertionFailure() << "element " << i << " is " << got.at(i)
                                           << " instead of " << want.at(i) << ", scale " << scale;
  return ::testing::AssertionSuccess();
}

inline Config object_of(const Config& of_case) {
  return Config::map(
      {{"class_name", *of_case.find("class_name")}, {"config", *of_case.find("config")}});
}

}  // namespace stoker::golden
