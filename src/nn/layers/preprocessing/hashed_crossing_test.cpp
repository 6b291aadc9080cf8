#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/layers/text.h"

namespace stoker {
namespace {

TEST(HashedCrossing, MistakesAreRefused) {
  const auto layer = [] { return layers::HashedCrossing({.num_bins = 3}); };
  const Array numbers(DType::int64, {4}), rows(DType::int64, {4, 2}), floats(DType::float32, {4});
  EXPECT_ERROR(layers::HashedCrossing({}), "num_bins must be positive, got 0");
  EXPECT_ERROR(layers::HashedCrossing({.num_bins = 3, .output_mode = "count"}), "got \"count\"");
  EXPECT_ERROR(layer()(numbers), "at least two inputs, got 1");
  EXPECT_ERROR(layer()({rows, rows}), "(batch) or (batch, 1), got (4, 2)");
  EXPECT_ERROR(layer()({numbers, Array(DType::int64, {5})}), "of one shape, got (4,) and (5,)");
  EXPECT_ERROR(layer()({floats, floats}), "integers or texts, got float32");
}

}  // namespace
}  // namespace stoker
