#include <gtest/gtest.h>

#include <map>

#include "data/stage.h"
#include "io/test_files.h"

// take_while, scan, unique, rejection_resample, counter and random.
namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;

int64_t value_of(const Array& array) { return static_cast<int64_t>(array.at(0)); }
Numbers numbers(const Dataset& dataset) {
  return dataset.reduce(Numbers(), [](Numbers all, const Array& array) {
    for (int64_t i = 0; i < array.size(); ++i) all.push_back(static_cast<int64_t>(array.at(i)));
    return all;
  });
}
Numbers from(const Dataset& dataset, int64_t skip, int64_t pass = 0) {
  const auto cursor = dataset.stage()->open({.pass = pass});
  EXPECT_EQ(cursor->skip(skip), skip);
  Numbers all;
  for (Element element; cursor->next(element);) all.push_back(value_of(element.array()));
  return all;
}

// The examples of tf.data's documentation.
TEST(TakeWhile, IsTfDatas) {
  const auto below_five = [](const Array& x) { return value_of(x) < 5; };
  const auto taken = Dataset::range(10).take_while(below_five);
  EXPECT_EQ(numbers(taken), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(from(taken, 3), (Numbers{3, 4}));
  EXPECT_EQ(numbers(Dataset::from_tensor_slices(Array::from<int64_t>({1, 9, 2}, {3}))
                        .take_while(below_five)
                        .repeat(2)),
            (Numbers{1, 1}));
  EXPECT_EQ(to_string(taken.element_spec()), "int64()");
  EXPECT_EQ(taken.cardinality(), UNKNOWN_CARDINALITY);
}

TEST(Scan, IsTfDatas) {
  const auto add = [](const Array& sum, const Array& x) {
    const Array more = Array::scalar(value_of(sum) + value_of(x));
    return std::pair(more, more);
  };
  const auto sums = Dataset::range(10).scan(Array::scalar<int64_t>(0), add);
  EXPECT_EQ(numbers(sums), (Numbers{0, 1, 3, 6, 10, 15, 21, 28, 36, 45}));
  EXPECT_EQ(from(sums, 8), (Numbers{36, 45}));
  EXPECT_EQ(sums.cardinality(), 10);
  EXPECT_EQ(numbers(Dataset::range(3).scan(Array::scalar<int64_t>(0), add).repeat(2)),
            (Numbers{0, 1, 3, 0, 1, 3}));
}

TEST(Scan, RefusesAStateOfAnotherType) {
  const auto half = [](const Array&, const Array& x) { return std::tuple(Array::scalar(0.5f), x); };
  EXPECT_ERROR(numbers(Dataset::range(3).scan(Array::scalar<int64_t>(0), half)),
               "the new state is float32(), but the initial_state is int64()");
}

TEST(Unique, IsTfDatas) {
  const Array given = Array::from<int64_t>({1, 37, 2, 37, 2, 1}, {6});
  const auto unique = Dataset::from_tensor_slices(given).unique();
  EXPECT_EQ(numbers(unique), (Numbers{1, 37, 2}));
  EXPECT_EQ(from(unique, 2), (Numbers{2}));
  std::string texts;
  for (const Array& text :
       Dataset::from_tensor_slices(Array::strings({"a", "", "b", "a", ""}, {5})).unique())
    texts += std::string(text.text()) + ".";
  EXPECT_EQ(texts, "a..b.");
  // By shape, too.
  EXPECT_EQ(Dataset::from_tensors(given)
                .concatenate(Dataset::from_tensors(given.reshape({6})))
                .concatenate(Dataset::from_tensors(given.rows(0, 3)))
                .unique()
                .as_list()
                .size(),
            2u);
}

TEST(Unique, RefusesWhatCannotBeCompared) {
  EXPECT_ERROR(Dataset::from_tensors(Array::scalar(1.0f)).unique(), "but they are float32()");
  EXPECT_ERROR(Dataset::range(3).enumerate().unique(), "but they are (int64(), int64())");
}

TEST(Counter, IsTfDatas) {
  EXPECT_EQ(numbers(Dataset::counter().take(5)), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(Dataset::counter(10, -2).take(3)), (Numbers{10, 8, 6}));
  EXPECT_EQ(Dataset::counter().cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(Dataset::counter().batch(4).cardinality(), INFINITE_CARDINALITY);
}

TEST(RandomDataset, IsTheSameInEveryPassUnlessAsked) {
  const auto fixed = Dataset::random({.seed = 4}).take(20);
  const Numbers first = from(fixed, 0);
  EXPECT_EQ(from(fixed, 0, 1), first);
  EXPECT_EQ(from(fixed, 5, 2), Numbers(first.begin() + 5, first.end()));
  for (const int64_t x : first) EXPECT_TRUE(x >= 0 && x < int64_t{1} << 32);
  const auto renewed = Dataset::random({.seed = 4, .rerandomize_each_iteration = true}).take(20);
  EXPECT_EQ(from(renewed, 0), first);
  EXPECT_NE(from(renewed, 0, 1), first);
  EXPECT_NE(from(Dataset::random({.seed = 5}).take(20), 0), first);
}

std::map<int64_t, double> frequencies(const Dataset& resampled) {
  std::map<int64_t, double> counts;
  double all = 0;
  for (const Element& element : resampled) {
    EXPECT_EQ(value_of(element[0].array()), value_of(element[1].array()) % 10 == 0 ? 1 : 0);
    ++counts[value_of(element[0].array())];
    ++all;
  }
  for (auto& [its_class, count] : counts) count /= all;
  return counts;
}

// One element of ten is in class 1.
TEST(RejectionResample, GivesClassesTheirFrequencies) {
  const auto rare = [](const Array& x) { return value_of(x) % 10 == 0 ? 1 : 0; };
  const Dataset range = Dataset::range(20000);
  const auto half = [&](const RejectionResampleArgs& args) {
    return frequencies(range.rejection_resample(rare, {0.5, 0.5}, args));
  };
  EXPECT_NEAR(half({.initial_dist = {0.9, 0.1}, .seed = 1})[1], 0.5, 0.03);
  EXPECT_NEAR(half({.seed = 1})[1], 0.5, 0.03);
  EXPECT_EQ(frequencies(range.rejection_resample(rare, {0, 1}, {.initial_dist = {0.9, 0.1}}))[1],
            1);
  const auto spec = range.rejection_resample(rare, {0.5, 0.5}).element_spec();
  EXPECT_EQ(to_string(spec), "(int64(), int64())");
  EXPECT_ERROR(range.rejection_resample(rare, {0.5, -0.5}), "none negative and not all 0");
  EXPECT_ERROR(frequencies(range.rejection_resample(rare, {1})),
               "class_func returned 1, but target_dist has 1 classes");
}

TEST(Windows, CanBeIteratedAndChosen) {
  const Windows windows = Dataset::range(10).window(3);
  std::vector<Numbers> all;
  for (const Dataset& window : windows.skip(1).take(2)) all.push_back(numbers(window));
  EXPECT_EQ(all, (std::vector<Numbers>{{3, 4, 5}, {6, 7, 8}}));
  const auto full = windows.filter([](const Dataset& w) { return w.cardinality() == 3; });
  EXPECT_EQ(full.as_list().size(), 3u);
  EXPECT_EQ(windows.repeat(2).cardinality(), 8);
  const auto mixed = windows.shuffle(4, {.seed = 1});
  EXPECT_EQ(mixed.as_list().size(), 4u);
}

}  // namespace
}  // namespace stoker::data
