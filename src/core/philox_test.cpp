#include "core/philox.h"

#include <gtest/gtest.h>

namespace stoker {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers published with the algorithm.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox{0}(0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint64_t ones = ~uint64_t{0};
  EXPECT_EQ(Philox{ones}(ones, ones), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, KeyAndBothCountersMatter) {
  const Words base = Philox{1}(2, 3);
  EXPECT_NE(base, Philox{2}(2, 3));
  EXPECT_NE(base, Philox{1}(3, 3));
  EXPECT_NE(base, Philox{1}(2, 4));
}

TEST(Philox, UniformStaysBelowOne) {
  EXPECT_EQ(uniform_from_bits(0), 0.0f);
  EXPECT_LT(uniform_from_bits(~uint32_t{0}), 1.0f);
}

TEST(Philox, NormalIsFiniteAndHasItsMoments) {
  for (uint32_t word : {uint32_t{0}, ~uint32_t{0}})
    EXPECT_TRUE(std::isfinite(normal_from_bits(word, word)[0]));
  double sum = 0, squares = 0;
  constexpr int n = 20000;
  for (uint64_t i = 0; i < n; ++i) {
    const Words words = Philox{7}(i);
    const double x = normal_from_bits(words[0], words[1])[0];
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.03);
  EXPECT_NEAR(squares / n, 1, 0.05);
}

}  // namespace
}  // namespace stoker
