#include <gtest/gtest.h>

#include "stoker/initializer.h"
#include "support/golden.h"

namespace stoker {
namespace {

constexpr uint64_t seed = 7;

Array draw(const Config& c) {
  std::vector<int64_t> dims;
  for (const Config& dim : c.find("shape")->as_list()) dims.push_back(dim.as_int());
  return Initializer(c)(Shape(dims), DType::float32, seed);
}

void expect_distribution(const Array& sample, const Config& c) {
  const double mean = c.find("mean")->as_double(), stddev = c.find("stddev")->as_double();
  const auto count = static_cast<double>(sample.size());
  double sum = 0, squares = 0, furthest = 0;
  for (float value : sample.data<float>()) {
    sum += value;
    squares += (value - mean) * (value - mean);
    furthest = std::max(furthest, std::abs(value - mean));
  }
  const double error = 5 * stddev / std::sqrt(count);
  EXPECT_NEAR(sum / count, mean, error);
  EXPECT_NEAR(std::sqrt(squares / count), stddev, error);
  const Config* limit = c.find("limit");
  if (limit->is_null()) {
    EXPECT_GT(furthest, 3 * stddev) << "a normal draw has tails";
  } else {
    EXPECT_LE(furthest, limit->as_double() * 1.000001);
    EXPECT_GT(furthest, limit->as_double() * 0.95) << "the whole range is used";
  }
}

// The vectors of the shorter side are orthogonal, with the gain as length.
void expect_orthogonal(const Array& sample, double gain) {
  const int64_t columns = sample.shape().back(), rows = sample.size() / columns;
  const bool tall = rows >= columns;
  const int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  const auto at = [&](int64_t vector, int64_t k) {
    return sample.at(tall ? k * columns + vector : vector * columns + k);
  };
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = 0; b < count; ++b) {
      double dot = 0;
      for (int64_t k = 0; k < length; ++k) dot += at(a, k) * at(b, k);
      EXPECT_NEAR(dot, a == b ? gain * gain : 0, 1e-5);
    }
}

TEST(GoldenInitializers, AgreeWithKeras) {
  const golden::Group group = golden::load("initializers");
  for (const Config& c : group.cases()) {
    SCOPED_TRACE(golden::id(c));
    const Config* distribution = c.find("distribution");
    if (!distribution)
      EXPECT_TRUE(golden::near(draw(c), group.array(c, "value"), 0));
    else if (distribution->as_string() == "orthogonal")
      expect_orthogonal(draw(c), c.find("gain")->as_double());
    else
      expect_distribution(draw(c), c);
  }
}

}  // namespace
}  // namespace stoker
