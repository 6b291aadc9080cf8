#include "stoker/random.h"

#include <gtest/gtest.h>

#include <set>

#include "stoker/error.h"

namespace stoker {
namespace {

std::vector<uint32_t> words(Random random, int count = 9) {
  std::vector<uint32_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(random.bits());
  return drawn;
}

TEST(Random, IsAFunctionOfAllThatItIsKeyedBy) {
  EXPECT_EQ(words(Random(1, 2, 3, 4)), words(Random(1, 2, 3, 4)));
  std::set<std::vector<uint32_t>> streams;
  for (uint64_t i = 0; i < 16; ++i)
    streams.insert(words(Random(i & 1, (i >> 1) & 1, (i >> 2) & 1, i >> 3)));
  EXPECT_EQ(streams.size(), 16u);
  const auto drawn = words(Random(7), 1000);
  EXPECT_EQ(std::set<uint32_t>(drawn.begin(), drawn.end()).size(), 1000u);
}

TEST(Random, HasTheDistributionsItSays) {
  constexpr int count = 20000;
  double uniform = 0, between = 0, normal = 0, square = 0, heads = 0;
  std::array<int, 5> below{};
  for (uint64_t i = 0; i < count; ++i) {
    Random random(3, 0, i);
    uniform += random.uniform() / count;
    between += random.uniform(-1, 3) / count;
    const double z = random.normal();
    normal += z / count, square += z * z / count;
    heads += random.chance(0.3f) ? 1.0 / count : 0;
    ++below.at(static_cast<size_t>(random.below(5)));
  }
  EXPECT_NEAR(uniform, 0.5, 0.01);
  EXPECT_NEAR(between, 1, 0.04);
  EXPECT_NEAR(normal, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.04);
  EXPECT_NEAR(heads, 0.3, 0.01);
  for (const int times : below) EXPECT_NEAR(times, count / 5, 200);
  EXPECT_THROW(Random(1).below(0), InvalidArgument);
}

}  // namespace
}  // namespace stoker
