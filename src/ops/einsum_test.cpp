#include <gtest/gtest.h>

#include "stoker/error.h"
#include "stoker/ops/matmul.h"
#include "support/random_values.h"

namespace stoker::ops {
namespace {

using stoker::testing::random_values;

// Sums over every combination of labels, one element at a time.
std::vector<double> by_definition(const std::string& a, const std::string& b,
                                  const std::string& out, const Array& x, const Array& y) {
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < a.size(); ++i) sizes[a[i]] = x.shape()[static_cast<int>(i)];
  for (size_t i = 0; i < b.size(); ++i) sizes[b[i]] = y.shape()[static_cast<int>(i)];
  int64_t total = 1, results = 1;
  for (const auto& [label, size] : sizes) total *= size;
  for (char label : out) results *= sizes[label];
  std::vector<double> sums(static_cast<size_t>(results), 0);
  for (int64_t n = 0; n < total; ++n) {
    std::map<char, int64_t> at;
    int64_t rest = n;
    for (const auto& [label, size] : sizes) at[label] = rest % size, rest /= size;
    const auto offset = [&](const std::string& labels) {
      int64_t position = 0;
      for (char label : labels) position = position * sizes[label] + at[label];
      return position;
    };
    sums[static_cast<size_t>(offset(out))] += x.at(offset(a)) * y.at(offset(b));
  }
  return sums;
}

struct Case {
  std::string a, b, out;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.a << "," << c.b << "->" << c.out; }

class Einsum : public ::testing::TestWithParam<Case> {};

TEST_P(Einsum, IsTheSumOverAllCombinations) {
  const Case& c = GetParam();
  const std::map<char, int64_t> sizes{{'a', 2}, {'b', 3}, {'c', 4}, {'d', 5}, {'e', 2}, {'f', 3}};
  const auto shape = [&](const std::string& labels) {
    std::vector<int64_t> dims;
    for (char label : labels) dims.push_back(sizes.at(label));
    return Shape(dims);
  };
  const Array x = random_values(shape(c.a), 1), y = random_values(shape(c.b), 2);
  const Array result = einsum(c.a + "," + c.b + "->" + c.out, x, y).array();
  ASSERT_EQ(result.shape(), shape(c.out));
  const auto expected = by_definition(c.a, c.b, c.out, x, y);
  for (int64_t i = 0; i < result.size(); ++i)
    EXPECT_NEAR(result.at(i), expected[static_cast<size_t>(i)], 1e-12) << i;
}

INSTANTIATE_TEST_SUITE_P(Equations, Einsum,
                         ::testing::Values(Case{"ab", "bc", "ac"}, Case{"ab", "bc", "ca"},
                                           Case{"abc", "cd", "abd"}, Case{"abc", "cde", "abde"},
                                           Case{"abcd", "cde", "abe"}, Case{"aecd", "abcd", "acbe"},
                                           Case{"acbe", "aecd", "abcd"}, Case{"abc", "abc", "ab"},
                                           Case{"ab", "ab", "ab"}, Case{"abc", "cb", "a"},
                                           Case{"abc", "bd", "adc"}, Case{"abc", "abd", "acd"},
                                           Case{"ab", "cd", "dbca"}, Case{"abf", "cd", "ad"}));

TEST(EinsumErrors, NameTheLabelAndTheSizes) {
  const Array x = random_values({2, 3}, 1), y = random_values({4, 5}, 2);
  try {
    einsum("ab,bc->ac", x, y);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("\"b\" of equation \"ab,bc->ac\" is 3"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(einsum("ab,bc", x, y), InvalidArgument);
  EXPECT_THROW(einsum("aa,bc->ac", x, y), InvalidArgument);
  EXPECT_THROW(einsum("ab,cd->abe", x, y), InvalidArgument);
}

}  // namespace
}  // namespace stoker::ops
