#pragma once
#include <gtest/gtest.h>

#include "stoker/array.h"
#include "support/tolerance.h"

namespace stoker::testing {

// Element by element; types may differ, shapes may not.
inline ::testing::AssertionResult near(const Array& actual, const Array& expected,
                                       const Tolerance& tolerance) {
  if (actual.shape() != expected.shape())
    return ::testing::AssertionFailure()
           << to_string(actual.shape()) << " instead of " << to_string(expected.shape());
  for (int64_t i = 0; i < actual.size(); ++i)
    if (!tolerance.holds(actual.at(i), expected.at(i)))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << to_string(actual.type()) << " is " << actual.at(i)
             << " instead of " << expected.at(i);
  return ::testing::AssertionSuccess();
}

}  // namespace stoker::testing
