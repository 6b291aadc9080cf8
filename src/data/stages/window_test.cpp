#include <gtest/gtest.h>

#include <algorithm>

#include "io/test_files.h"
#include "stoker/dataset.h"

namespace stoker {
namespace {

using Numbers = std::vector<int64_t>;

Numbers numbers(const Dataset& dataset) {
  return dataset.reduce(Numbers(), [](Numbers all, const Array& array) {
    for (int64_t i = 0; i < array.size(); ++i) all.push_back(static_cast<int64_t>(array.at(i)));
    return all;
  });
}
std::vector<Numbers> windows_of(const Windows& windows) {
  std::vector<Numbers> all;
  for (const Dataset& window : windows.as_list()) all.push_back(numbers(window));
  return all;
}

// By index and sequentially; compared with tf.data.
TEST(Window, IsTfDatas) {
  struct Case {
    int64_t elements, size;
    WindowArgs args;
    std::vector<Numbers> want;
  };
  const std::vector<Case> cases{
      {0, 3, {}, {}},
      {1, 3, {.shift = 1, .stride = 2, .drop_remainder = true}, {}},
      {7, 3, {}, {{0, 1, 2}, {3, 4, 5}, {6}}},
      {7,
       3,
       {.shift = 1, .stride = 2},
       {{0, 2, 4}, {1, 3, 5}, {2, 4, 6}, {3, 5}, {4, 6}, {5}, {6}}},
      {7, 3, {.shift = 1, .stride = 2, .drop_remainder = true}, {{0, 2, 4}, {1, 3, 5}, {2, 4, 6}}},
      {10, 2, {.shift = 4}, {{0, 1}, {4, 5}, {8, 9}}},
      {10, 2, {.shift = 5, .stride = 3, .drop_remainder = true}, {{0, 3}, {5, 8}}},
      {10, 3, {.shift = 2, .stride = 2}, {{0, 2, 4}, {2, 4, 6}, {4, 6, 8}, {6, 8}, {8}}}};
  for (const Case& c : cases) {
    const auto range = Dataset::range(c.elements);
    const auto in_turn = range.filter([](const Element&) { return true; });
    const Windows windows = range.window(c.size, c.args);
    EXPECT_EQ(windows_of(windows), c.want);
    EXPECT_EQ(windows.cardinality(), static_cast<int64_t>(c.want.size()));
    EXPECT_EQ(windows_of(in_turn.window(c.size, c.args)), c.want);
  }
  EXPECT_ERROR(Dataset::range(3).window(0), "must be positive, got 0, 0 and 1");
}

TEST(Window, BecomesElementsAgain) {
  const Windows windows = Dataset::range(5).window(3, {.shift = 1, .drop_remainder = true});
  const auto batches = windows.flat_map([](const Dataset& window) { return window.batch(3); });
  EXPECT_EQ(numbers(batches), (Numbers{0, 1, 2, 1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(batches.as_list().at(1).array().shape(), Shape{3});
  const auto sums = windows.map([](const Dataset& window) {
    return Array::scalar<int64_t>(window.reduce(int64_t{0}, [](int64_t sum, const Array& n) {
      return sum + static_cast<int64_t>(n.at(0));
    }));
  });
  EXPECT_EQ(numbers(sums.batch(2)), (Numbers{3, 6, 9}));
}

TEST(Window, OfPairsHasPairs) {
  const auto pairs = Dataset::zip({Dataset::range(4), Dataset::range(10, 14)});
  for (const auto& [x, y] : pairs.window(2).flat_map([](const Dataset& w) { return w.batch(2); }))
    EXPECT_EQ(x.at(1) + 10, y.at(1));
}

TEST(ChooseFrom, TakesTheDatasetsThatAreNamed) {
  const std::vector<Dataset> datasets{Dataset::range(2), Dataset::range(10, 20)};
  const auto choices = Dataset::from_tensor_slices(Array::from<int64_t>({1, 0, 1, 0, 0, 1}, {6}));
  EXPECT_EQ(numbers(Dataset::choose_from_datasets(datasets, choices)), (Numbers{10, 0, 11, 1}));
  EXPECT_EQ(
      numbers(Dataset::choose_from_datasets(datasets, choices, {.stop_on_empty_dataset = false})),
      (Numbers{10, 0, 11, 1, 12}));
  EXPECT_ERROR(numbers(Dataset::choose_from_datasets(datasets, Dataset::range(2, 3))),
               "dataset 2 was chosen of 2");
  EXPECT_ERROR(Dataset::choose_from_datasets(datasets, Dataset::from_tensors(Array::scalar(1.0f))),
               "float32()");
}

TEST(SampleFrom, DrawsByTheWeights) {
  const std::vector<Dataset> datasets{Dataset::range(1).repeat(), Dataset::range(1, 2).repeat(),
                                      Dataset::range(2, 3).repeat()};
  const auto drawn = Dataset::sample_from_datasets(datasets, {.weights = {3, 0, 1}, .seed = 1});
  EXPECT_EQ(drawn.cardinality(), INFINITE_CARDINALITY);
  Numbers counts(3);
  for (const int64_t which : numbers(drawn.take(400))) ++counts[static_cast<size_t>(which)];
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(static_cast<double>(counts[0]), 300, 40);
  const std::vector<Dataset> finite{Dataset::range(3), Dataset::range(3, 5)};
  Numbers all = numbers(Dataset::sample_from_datasets(finite));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_LT(numbers(Dataset::sample_from_datasets(finite, {.stop_on_empty_dataset = true})).size(),
            5u);
  EXPECT_ERROR(Dataset::sample_from_datasets(finite, {.weights = {1}}), "must be 2 numbers");
}

}  // namespace
}  // namespace stoker
