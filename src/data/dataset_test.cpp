#include "stoker/dataset.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <thread>

#include "stoker/ops/elementwise.h"

namespace stoker {
namespace {

using Numbers = std::vector<int64_t>;

// All numbers of all elements, in order.
Numbers numbers(const Dataset& dataset) {
  Numbers all;
  for (const Element& element : dataset)
    for (const Array& array : element.arrays())
      for (int64_t i = 0; i < array.size(); ++i) all.push_back(static_cast<int64_t>(array.at(i)));
  return all;
}
Numbers up_to(int64_t n) {
  Numbers all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}
#define EXPECT_SAYS(statement, words)                                   \
  {                                                                     \
    const std::string said = message_of([&] { (void)(statement); });    \
    EXPECT_NE(said.find(words), std::string::npos) << "said: " << said; \
  }
Array plus(const Array& number, int64_t more) {
  return Array::scalar<int64_t>(static_cast<int64_t>(number.at(0)) + more);
}
// The same elements, but only sequentially: no stage can read them by index.
Dataset in_turn(const Dataset& dataset) {
  return dataset.filter([](const Element&) { return true; });
}

TEST(DatasetOf, SlicesAreRowsOfAllArrays) {
  const Array x = Array::from<float>({1, 2, 3, 4, 5, 6}, {3, 2}),
              y = Array::from<int32_t>({7, 8, 9}, {3});
  const auto dataset = Dataset::from_tensor_slices({x, y});
  EXPECT_EQ(dataset.cardinality(), 3);
  EXPECT_EQ(to_string(dataset.element_spec()), "(float32(2,), int32())");
  EXPECT_EQ(numbers(dataset), (Numbers{1, 2, 7, 3, 4, 8, 5, 6, 9}));
  for (const auto& [a, b] : dataset.take(1)) {
    EXPECT_EQ(a.shape(), (Shape{2}));
    EXPECT_EQ(b.at(0), 7);
  }
  EXPECT_SAYS(Dataset::from_tensor_slices({x, x.rows(0, 2)}), "3 and 2 rows");
  EXPECT_SAYS(Dataset::from_tensor_slices(Array::scalar(1.0f)), "is a scalar");
}

TEST(DatasetOf, ElementsHaveNamesAndParts) {
  const Array x = Array::from<float>({1, 2}, {2}), y = Array::from<int32_t>({7, 8}, {2});
  const auto dataset =
      Dataset::from_tensor_slices({Element::table({{"image", x}, {"size", y}}), y});
  EXPECT_EQ(to_string(dataset.element_spec()), "({image: float32(), size: int32()}, int32())");
  for (const Element& element : dataset.skip(1)) {
    EXPECT_EQ(element[0]["size"].array().at(0), 8);
    EXPECT_SAYS(element[0]["sice"], "did you mean \"size\"");
    EXPECT_SAYS(element[0].array(), "is not one array");
    EXPECT_SAYS(get<0>(element), "no pair of arrays");
  }
}

TEST(DatasetOf, RangesAreThoseOfPython) {
  EXPECT_EQ(numbers(Dataset::range(4)), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(numbers(Dataset::range(1, 10, 4)), (Numbers{1, 5, 9}));
  EXPECT_EQ(numbers(Dataset::range(3, 0, -2)), (Numbers{3, 1}));
  EXPECT_EQ(numbers(Dataset::range(0)), Numbers());
  EXPECT_SAYS(Dataset::range(0, 1, 0), "the step is 0");
}

TEST(DatasetOf, AGeneratorIsBegunForEveryPassAndHeldToItsSignature) {
  int begun = 0;
  const auto count_to = [&](int n, bool lies) {
    return Dataset::from_generator(
        [&begun, n, lies]() -> Dataset::Generator {
          ++begun;
          return [i = int64_t{0}, n, lies]() mutable -> std::optional<Element> {
            if (i == n) return std::nullopt;
            if (lies && i == 2) return Array::scalar(1.0f);
            return Array::scalar<int64_t>(i++);
          };
        },
        {.arrays = {{DType::int64, {}}}});
  };
  const auto dataset = count_to(3, false);
  EXPECT_EQ(dataset.cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(numbers(dataset), up_to(3));
  EXPECT_EQ(numbers(dataset.repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(begun, 3);
  EXPECT_SAYS(numbers(count_to(3, true)),
              "the element is float32(), but the output_signature is int64()");
  EXPECT_SAYS(numbers(count_to(3, true)), "element 2 of from_generator, created dataset_test.cpp:");
}

TEST(DatasetOf, AGeneratorThatCannotBeginIsNamed) {
  const auto none = Dataset::from_generator(
      []() -> Dataset::Generator { throw std::runtime_error("no connection"); },
      {.arrays = {{DType::int64, {}}}});
  EXPECT_SAYS(numbers(none), "the function given to from_generator threw: no connection");
  EXPECT_SAYS(numbers(none), "element 0 of from_generator, created dataset_test.cpp:");
}

TEST(DatasetStages, MapTakesArraysElementsAndTensors) {
  const auto pairs = Dataset::zip({Dataset::range(3), Dataset::range(10, 13)});
  EXPECT_EQ(numbers(pairs.map([](const Array& a, const Array& b) { return std::pair(b, a); })),
            (Numbers{10, 0, 11, 1, 12, 2}));
  EXPECT_EQ(numbers(pairs.map([](const Element& e) { return e[1]; })), (Numbers{10, 11, 12}));
  EXPECT_EQ(numbers(pairs.map([](const auto& a, const auto&) { return a; })), up_to(3));
  EXPECT_EQ(numbers(pairs.map([](const Array& a, const Array& b) { return std::tuple(a, b, a); })),
            (Numbers{0, 10, 0, 1, 11, 1, 2, 12, 2}));
  EXPECT_EQ(numbers(pairs.map([](const Tensor& a, const Tensor& b) { return a + b * 2.0; })),
            (Numbers{20, 23, 26}));
  EXPECT_SAYS(numbers(pairs.map([](const Array& a) { return a; })),
              "the function takes 1 arrays, but the element (int64(), int64()) has 2");
}

// As in tf.data.
TEST(DatasetStages, ANumberOfRepetitionsGoesOnAfterAnEmptyOne) {
  int passes = 0;
  const auto later =
      Dataset::range(1).flat_map([&passes](const Array&) { return Dataset::range(passes++ % 2); });
  EXPECT_EQ(numbers(later.repeat(4)), (Numbers{0, 0}));
  passes = 0;
  EXPECT_EQ(numbers(later.repeat().take(2)), Numbers());
}

TEST(DatasetStages, AFunctionThatThrowsIsNamedWithItsElement) {
  const auto bad = [](const Array& a) -> Array {
    if (a.at(0) == 5) throw std::runtime_error("five is too many");
    return a;
  };
  for (const int64_t calls : {int64_t{1}, AUTOTUNE}) {
    const auto dataset = Dataset::range(9).map(bad, {.num_parallel_calls = calls});
    EXPECT_SAYS(numbers(dataset), "the function given to map threw: five is too many");
    EXPECT_SAYS(numbers(dataset.batch(2)), "element 5 of map, created dataset_test.cpp:");
    EXPECT_SAYS(numbers(in_turn(dataset)), "element 5 of map");
    const auto worse = [](const Array& x) -> Array { throw x.size(); };
    EXPECT_SAYS(numbers(dataset.map(worse, {.num_parallel_calls = calls})),
                "threw: an object that is no std::exception. At element 0 of map");
  }
}

// A stage that chooses elements behind a map need not compute the others, nor change their indices.
TEST(DatasetStages, MapsOnlyTheElementsThatAreKept) {
  std::atomic<int> calls = 0;
  const auto mapped = in_turn(Dataset::range(40))
                          .map(
                              [&calls](const Array& a) {
                                ++calls;
                                if (a.at(0) == 37) throw std::runtime_error("37");
                                return plus(a, 1);
                              },
                              {.num_parallel_calls = 8})
                          .prefetch(2);
  EXPECT_EQ(numbers(mapped.shard(8, 3)), (Numbers{4, 12, 20, 28, 36}));
  EXPECT_EQ(calls.exchange(0), 5);
  EXPECT_EQ(numbers(mapped.skip(30).take(2)), (Numbers{31, 32}));
  EXPECT_SAYS(numbers(mapped.shard(8, 5)), "element 37 of map");
}

TEST(DatasetStages, AFunctionWithCapturesRunsInOneThreadUnlessToldOtherwise) {
  std::set<std::thread::id> threads;
  const auto note = [&threads](const Array& a) {
    threads.insert(std::this_thread::get_id());
    return a;
  };
  EXPECT_EQ(numbers(Dataset::range(100).map(note).batch(10)), up_to(100));
  EXPECT_EQ(threads.size(), 1u);
}

TEST(DatasetStages, BatchesHaveRowsInOrderAndALastOne) {
  for (const bool indexed : {true, false}) {
    const auto source = indexed ? Dataset::range(7) : in_turn(Dataset::range(7));
    std::vector<int64_t> rows;
    for (const Element& batch : source.batch(3)) rows.push_back(batch.array().length());
    EXPECT_EQ(rows, (std::vector<int64_t>{3, 3, 1}));
    EXPECT_EQ(numbers(source.batch(3)), up_to(7));
    EXPECT_EQ(numbers(source.batch(3, {.drop_remainder = true})), up_to(6));
  }
  EXPECT_EQ(Dataset::range(7).batch(3).cardinality(), 3);
  EXPECT_EQ(to_string(Dataset::range(7).batch(3).element_spec()), "int64(None,)");
  EXPECT_EQ(to_string(Dataset::range(6).batch(3).element_spec()), "int64(3,)");
  EXPECT_SAYS(Dataset::range(7).batch(0), "batch_size must be positive, got 0");
}

TEST(DatasetStages, BatchesOfUnlikeElementsNameBoth) {
  const auto ragged = Dataset::range(6).map(
      [](const Array& a) { return Array(DType::float32, Shape{a.at(0) == 4 ? 3 : 2}); });
  EXPECT_SAYS(numbers(ragged.batch(3)), "element 4 is float32(3,), but element 3 is float32(2,)");
  EXPECT_SAYS(numbers(in_turn(ragged).batch(3)),
              "element 4 is float32(3,), but element 3 is float32(2,)");
}

TEST(DatasetStages, PaddedBatchesFillUpToTheLongest) {
  const auto ragged = Dataset::range(3).map([](const Array& a) {
    Array row(DType::int64, Shape{static_cast<int64_t>(a.at(0)) + 1, 2});
    for (auto& value : row.mutable_data<int64_t>()) value = 5;
    return row;
  });
  EXPECT_EQ(numbers(ragged.padded_batch(2)), (Numbers{5, 5, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(
      numbers(ragged.padded_batch(1, {.padded_shapes = {{2, 3}}, .padding_values = {-1}}).take(1)),
      (Numbers{5, 5, -1, -1, -1, -1}));
  EXPECT_SAYS(numbers(ragged.padded_batch(3, {.padded_shapes = {{2, 2}}})),
              "shape (3, 2) is larger than the padded shape (2, 2)");
}

TEST(DatasetStages, ShuffleIsAPermutationThatChangesWithEveryPass) {
  for (const bool indexed : {true, false}) {
    const auto source = indexed ? Dataset::range(50) : in_turn(Dataset::range(50));
    const auto dataset = source.shuffle(indexed ? 2 : 50, {.seed = 7});
    const Numbers first = numbers(dataset), second = numbers(dataset);
    EXPECT_NE(first, second);
    for (Numbers order : {first, second}) {
      EXPECT_NE(order, up_to(50));
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, up_to(50));
    }
    EXPECT_EQ(numbers(source.shuffle(indexed ? 2 : 50, {.seed = 7})), first);
    const auto same = source.shuffle(50, {.seed = 7, .reshuffle_each_iteration = false});
    EXPECT_EQ(numbers(same), numbers(same));
    const Numbers twice = numbers(source.shuffle(50, {.seed = 7}).repeat(2));
    EXPECT_NE(Numbers(twice.begin(), twice.begin() + 50), Numbers(twice.begin() + 50, twice.end()));
  }
}

TEST(DatasetStages, ChooseRepeatAndJoin) {
  for (const bool indexed : {true, false}) {
    const auto source = indexed ? Dataset::range(7) : in_turn(Dataset::range(7));
    EXPECT_EQ(numbers(source.take(3)), up_to(3));
    EXPECT_EQ(numbers(source.skip(5)), (Numbers{5, 6}));
    EXPECT_EQ(numbers(source.take(-1)), up_to(7));
    EXPECT_EQ(numbers(source.skip(-1)), Numbers());
    EXPECT_EQ(numbers(source.shard(3, 1)), (Numbers{1, 4}));
    EXPECT_EQ(numbers(source.shard(3, 0)), (Numbers{0, 3, 6}));
    EXPECT_EQ(numbers(source.skip(5).repeat(2)), (Numbers{5, 6, 5, 6}));
    EXPECT_EQ(numbers(source.repeat().take(9)), (Numbers{0, 1, 2, 3, 4, 5, 6, 0, 1}));
    EXPECT_EQ(numbers(source.repeat(0)), Numbers());
    EXPECT_EQ(numbers(source.take(0).repeat()), Numbers());
    EXPECT_EQ(numbers(source.take(2).concatenate(Dataset::range(8, 10))), (Numbers{0, 1, 8, 9}));
    EXPECT_EQ(numbers(source.skip(5).enumerate(3)), (Numbers{3, 5, 4, 6}));
    EXPECT_EQ(numbers(Dataset::zip({source, Dataset::range(2)})), (Numbers{0, 0, 1, 1}));
    EXPECT_EQ(numbers(source.batch(3).unbatch()), up_to(7));
    EXPECT_EQ(numbers(source.batch(3).rebatch(2).take(2)), up_to(4));
    EXPECT_EQ(numbers(source.batch(3).prefetch(2).skip(1)), (Numbers{3, 4, 5, 6}));
  }
  EXPECT_SAYS(Dataset::range(3).shard(2, 2), "index 2 of 2 shards");
  EXPECT_SAYS(Dataset::range(3).repeat(-2), "count must not be negative, got -2");
  EXPECT_SAYS(Dataset::range(3).concatenate(Dataset::from_tensors(Array::scalar(1.0f))),
              "the elements are int64() and float32()");
}

TEST(DatasetStages, CardinalitiesAreKnownWhereTheyCanBe) {
  const auto ten = Dataset::range(10);
  EXPECT_EQ(ten.repeat().cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(ten.repeat().take(5).cardinality(), 5);
  EXPECT_EQ(ten.repeat(3).batch(4).cardinality(), 8);
  EXPECT_EQ(in_turn(ten).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(ten.shard(3, 1).cardinality(), 3);
  EXPECT_EQ(ten.concatenate(ten).skip(15).cardinality(), 5);
  EXPECT_EQ(Dataset::zip({ten, ten.repeat(), ten.take(4)}).cardinality(), 4);
  EXPECT_EQ(ten.batch(5).unbatch().cardinality(), 10);
  EXPECT_EQ(ten.batch(4).unbatch().cardinality(), UNKNOWN_CARDINALITY);
}

// The example in tf.data's documentation: five inputs, cycle_length 2, block_length 4.
TEST(DatasetStages, AnAssertedCardinalityMustBeTrue) {
  const auto counted = [](int64_t expected) {
    return Dataset::range(20)
        .filter([](const Array& x) { return x.at(0) < 7; })
        .assert_cardinality(expected);
  };
  EXPECT_EQ(counted(7).cardinality(), 7);
  EXPECT_EQ(counted(7).batch(2).cardinality(), 4);
  EXPECT_EQ(counted(7).as_list().size(), 7u);
  EXPECT_SAYS(counted(9).as_list(), "9 elements were asserted, but the dataset has 7.");
  EXPECT_SAYS(counted(5).as_list(), "5 elements were asserted, but the dataset has at least 6.");
  EXPECT_SAYS(Dataset::range(3).assert_cardinality(4),
              "4 elements were asserted, but the dataset has 3.");
  EXPECT_THROW(Dataset::range(3).repeat().assert_cardinality(4), InvalidArgument);
  EXPECT_EQ(Dataset::range(3).assert_cardinality(3).shuffle(3).as_list().size(), 3u);
}

TEST(DatasetStages, InterleaveGoesRoundAsTfDataDoes) {
  const auto dataset = Dataset::range(1, 6).interleave(
      [](const Array& x) { return Dataset::from_tensors(x).repeat(6); },
      {.cycle_length = 2, .block_length = 4});
  EXPECT_EQ(numbers(dataset), (Numbers{1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3,
                                       3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(Dataset::range(1, 4).flat_map(
                [](const Array& x) { return Dataset::range(static_cast<int64_t>(x.at(0))); })),
            (Numbers{0, 0, 1, 0, 1, 2}));
}

TEST(DatasetStages, CacheReadsOnce) {
  for (const bool indexed : {true, false}) {
    std::atomic<int> calls = 0;
    const auto count = [&calls](const Array& a) {
      ++calls;
      return plus(a, 1);
    };
    const auto source = indexed ? Dataset::range(5) : in_turn(Dataset::range(5));
    const auto dataset = source.map(count, {.num_parallel_calls = 2}).cache();
    EXPECT_EQ(numbers(dataset.take(2)), (Numbers{1, 2}));
    EXPECT_EQ(numbers(dataset), (Numbers{1, 2, 3, 4, 5}));
    const int after_one_pass = calls;
    EXPECT_EQ(numbers(dataset.repeat(3)).size(), 15u);
    EXPECT_EQ(calls, after_one_pass);
  }
}

TEST(DatasetStages, APrefetchThatNobodyReadsToTheEndEndsItsThread) {
  for (int i = 0; i < 20; ++i) {
    const auto dataset =
        Dataset::range(1000).map([](const Array& a) { return plus(a, 1); }).prefetch(3);
    auto element = dataset.begin();
    EXPECT_EQ((*element).array().at(0), 1);
  }
  const auto bad =
      in_turn(Dataset::range(3)).map([](const Array&) -> Array { throw InvalidArgument("no."); });
  EXPECT_SAYS(numbers(bad.prefetch(2)), "no.");
}

}  // namespace
}  // namespace stoker
