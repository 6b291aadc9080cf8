#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/test_files.h"
#include "stoker/dataset.h"

namespace stoker {
namespace {

using Numbers = std::vector<int64_t>;

Numbers numbers(const Array& array) {
  Numbers all;
  for (int64_t i = 0; i < array.size(); ++i) all.push_back(static_cast<int64_t>(array.at(i)));
  return all;
}
std::vector<Numbers> batches(const Dataset& dataset) {
  std::vector<Numbers> all;
  for (const Array& batch : dataset) all.push_back(numbers(batch));
  return all;
}
int64_t parity(const Array& x) { return x.data<int64_t>()[0] % 2; }
Dataset sequences(const std::vector<Numbers>& each) {
  return Dataset::from_generator(
      [each]() -> Dataset::Generator {
        return [each, i = size_t{0}]() mutable -> std::optional<Element> {
          if (i == each.size()) return std::nullopt;
          const Numbers& one = each[i++];
          return Array::from(one, {static_cast<int64_t>(one.size())});
        };
      },
      {.arrays = {{DType::int64, Shape{unknown}}}});
}
int64_t length(const Array& sequence) { return sequence.length(); }

// The example of tf.data's documentation.
TEST(GroupByWindow, IsTfDatas) {
  const auto grouped = Dataset::range(10).group_by_window(
      parity, [](int64_t, const Dataset& window) { return window.batch(5); }, 5);
  EXPECT_EQ(batches(grouped), (std::vector<Numbers>{{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}}));
  EXPECT_EQ(grouped.cardinality(), UNKNOWN_CARDINALITY);
}

// Full windows as soon as they are full, the rest by key; a size for each key.
TEST(GroupByWindow, ReturnsTheRestAtTheEnd) {
  const std::function<int64_t(int64_t)> size = [](int64_t key) { return key == 0 ? 2 : 3; };
  const auto by_array = [](const Array& key, const Dataset& window) {
    return window.batch(10).map([key = key.data<int64_t>()[0]](const Array& x) {
      return key == 0 ? x : Array::scalar<int64_t>(x.size());
    });
  };
  const auto keys = [](const Array& x) { return Array::scalar<int64_t>(1 - parity(x)); };
  EXPECT_EQ(batches(Dataset::range(9).group_by_window(keys, by_array, size)),
            (std::vector<Numbers>{{1, 3}, {3}, {5, 7}, {2}}));
}

TEST(GroupByWindow, SaysWhatIsWrong) {
  const auto batched = [](int64_t, const Dataset& window) { return window.batch(5); };
  const Dataset range = Dataset::range(10);
  EXPECT_ERROR(batches(range.group_by_window(parity, batched, 0)),
               "the window size must be positive, got 0 for key 0");
  EXPECT_ERROR(
      batches(range.group_by_window([](const Array&) { return Array::scalar(0.5f); }, batched, 2)),
      "returned float32(), not an integer");
  for (const float wrong : {INFINITY, -INFINITY, NAN, 1e19f}) {
    const auto key = [wrong](const Array&) { return Array::scalar(wrong); };
    EXPECT_ERROR(batches(range.group_by_window(key, batched, 2)),
                 fmt::format("returned float32(), not an integer: {}", double{wrong}));
  }
  const auto largest = [](const Array&) { return Array::scalar<int64_t>(INT64_MAX); };
  EXPECT_EQ(batches(range.group_by_window(largest, batched, 10)).size(), 2u);
  const auto bad = [](int64_t, const Dataset&) -> Dataset { throw std::runtime_error("oh"); };
  EXPECT_ERROR(batches(range.group_by_window(parity, bad, 2)), "threw: oh");
}

const std::vector<Numbers> documented{
    {0}, {1, 2, 3, 4}, {5, 6, 7}, {7, 8, 9, 10, 11}, {13, 14, 15, 16, 19, 20}, {21, 22}};

// The example of tf.data's documentation.
TEST(BucketBySequenceLength, IsTfDatas) {
  const auto bucketed = sequences(documented).bucket_by_sequence_length(length, {3, 5}, {2, 2, 2});
  EXPECT_EQ(batches(bucketed), (std::vector<Numbers>{{1, 2, 3, 4, 5, 6, 7, 0},
                                                     {7, 8, 9, 10, 11, 0, 13, 14, 15, 16, 19, 20},
                                                     {0, 0, 21, 22}}));
}

TEST(BucketBySequenceLength, PadsToTheBoundaryOrNotAtAll) {
  const auto with = [](const BucketArgs& args, const std::vector<int64_t>& boundaries) {
    return sequences(documented).bucket_by_sequence_length(length, boundaries, {2, 2, 1}, args);
  };
  const BucketArgs to_boundary{.padding_values = {-1}, .pad_to_bucket_boundary = true};
  EXPECT_EQ(batches(with(to_boundary, {3, 8})),
            (std::vector<Numbers>{{1, 2, 3, 4, -1, -1, -1, 5, 6, 7, -1, -1, -1, -1},
                                  {7, 8, 9, 10, 11, -1, -1, 13, 14, 15, 16, 19, 20, -1},
                                  {0, -1, 21, 22}}));
  EXPECT_ERROR(batches(with(to_boundary, {3, 6})), "shorter than the last of bucket_boundaries, 6");
  EXPECT_EQ(batches(with({.drop_remainder = true}, {2, 7})).size(), 2u);
  EXPECT_EQ(batches(with({}, {2, 7})).size(), 4u);
  EXPECT_ERROR(batches(with({.no_padding = true}, {3, 8})), "one batch");
  EXPECT_EQ(batches(sequences({{1}, {2, 3}, {4}})
                        .bucket_by_sequence_length(length, {2}, {2, 2}, {.no_padding = true})),
            (std::vector<Numbers>{{1, 4}, {2, 3}}));
}

TEST(BucketBySequenceLength, SaysWhatIsWrong) {
  const auto with = [](const std::vector<int64_t>& boundaries, const std::vector<int64_t>& sizes) {
    return sequences(documented).bucket_by_sequence_length(length, boundaries, sizes);
  };
  EXPECT_ERROR(with({3, 5}, {2, 2}), "2 bucket_batch_sizes for 2 bucket_boundaries");
  EXPECT_ERROR(with({5, 5}, {2, 2, 2}), "must increase, got 5, 5");
  EXPECT_ERROR(with({5}, {2, 0}), "must be positive, got 2, 0. At bucket_by_sequence_length");
}

}  // namespace
}  // namespace stoker
