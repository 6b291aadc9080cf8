#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/philox.h"
#include "nn/initializers/draw.h"
#include "stoker/error.h"
#include "stoker/initializers.h"

namespace stoker {
namespace {

bool same(const Array& a, const Array& b) {
  return std::ranges::equal(a.data<float>(), b.data<float>());
}

TEST(Initializer, NumbersDependOnTheSeedAndPositionAlone) {
  for (const char* name : {"glorot_uniform", "he_normal", "random_normal", "orthogonal"}) {
    const Initializer initializer(name);
    const Array first = initializer({6, 5}, DType::float32, 1);
    EXPECT_TRUE(same(first, initializer({6, 5}, DType::float32, 1))) << name;
    EXPECT_FALSE(same(first, initializer({6, 5}, DType::float32, 2))) << name;
  }
  const Array shorter = Initializer("random_uniform")({5}, DType::float32, 3);
  const Array longer = Initializer("random_uniform")({11}, DType::float32, 3);
  EXPECT_TRUE(same(shorter, longer.rows(0, 5)));
}

// Threads draw parts of it.
TEST(Initializer, NumbersOfALargeWeightDependOnThePositionAlone) {
  std::vector<float> drawn(150'003);
  nn::draw_uniform(drawn, 7, 0, 1);
  for (size_t i = 0; i < drawn.size(); ++i)
    ASSERT_EQ(drawn[i], uniform_from_bits(Philox{7}(i / 4)[i % 4])) << i;
}

TEST(Initializer, OwnSeedWinsOverTheWeights) {
  const Initializer seeded = initializers::HeNormal({.seed = 4});
  EXPECT_TRUE(same(seeded({9}, DType::float32, 1), seeded({9}, DType::float32, 2)));
}

TEST(Initializer, GivesTheDtypeAskedFor) {
  EXPECT_EQ(Initializer("ones")({2}, DType::float64, 0).data<double>()[1], 1.0);
}

TEST(Initializer, ConfigMakesTheSameOne) {
  for (const Initializer& initializer :
       {initializers::Zeros(), initializers::Constant({.value = 2}),
        initializers::Identity({.gain = 3}), initializers::RandomNormal({.mean = 1}),
        initializers::TruncatedNormal({.stddev = 2}), initializers::RandomUniform({.maxval = 1}),
        initializers::VarianceScaling({.scale = 2, .mode = "fan_out", .seed = 5}),
        initializers::LecunNormal(), initializers::Orthogonal({.gain = 2})}) {
    const Config config = initializer.to_config();
    SCOPED_TRACE(config.to_string());
    const Initializer again(config);
    EXPECT_EQ(again.to_config(), config);
    EXPECT_TRUE(same(again({4, 4}, DType::float32, 6), initializer({4, 4}, DType::float32, 6)));
  }
}

TEST(Initializer, NormalQuantileInvertsTheNormalDistribution) {
  for (float p : {0x1p-24f, 1e-6f, 1e-5f, 0.001f, 0.02275f, 0.3f, 0.5f, 0.7f, 0.97725f, 0.999f}) {
    const double z = nn::normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)) / p, 1, 2e-5) << p;
  }
}

TEST(Initializer, UnknownNameSaysWhatWasMeant) {
  try {
    Initializer("glorot_unifrom");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(), "unknown initializer \"glorot_unifrom\".");
    EXPECT_NE(error.hint().find("glorot_uniform"), std::string::npos);
  }
  EXPECT_THROW(initializers::VarianceScaling({.mode = "fan"}), InvalidArgument);
  EXPECT_THROW(Initializer("identity")({3}, DType::float32, 0), InvalidArgument);
}

}  // namespace
}  // namespace stoker
