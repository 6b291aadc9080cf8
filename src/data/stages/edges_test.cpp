#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "data/stage.h"
#include "io/test_files.h"

// Counts, arguments and errors at the edges of what stages take, as in tf.data unless it is said
// otherwise.
namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;
constexpr int64_t most = std::numeric_limits<int64_t>::max(),
                  least = std::numeric_limits<int64_t>::min();

Numbers numbers(const Dataset& dataset) {
  Numbers all;
  for (const Array& array : dataset)
    for (int64_t i = 0; i < array.size(); ++i)
      all.push_back(array.data<int64_t>()[static_cast<size_t>(i)]);
  return all;
}
Dataset in_turn(const Dataset& dataset) {
  return dataset.filter([](const Element&) { return true; });
}
bool yes(const Array&) { return true; }

TEST(Counts, DoNotOverflow) {
  EXPECT_EQ(Dataset::range(least, most).cardinality(), most);
  EXPECT_EQ(Dataset::range(least, most, most).cardinality(), 3);
  EXPECT_EQ(numbers(Dataset::range(most - 1, most)), Numbers{most - 1});
  EXPECT_EQ(numbers(Dataset::range(most, least, least)), (Numbers{most, -1}));
  EXPECT_EQ(Dataset::range(10).repeat(most).cardinality(), most);
  EXPECT_EQ(Dataset::range(most).concatenate(Dataset::range(9)).cardinality(), most);
  EXPECT_EQ(Dataset::range(most).batch(most).cardinality(), 1);
  EXPECT_EQ(Dataset::range(most).batch(2).cardinality(), most / 2 + 1);
  EXPECT_EQ(Dataset::range(most).batch(most).unbatch().cardinality(), most);
  EXPECT_EQ(Dataset::counter().enumerate(most).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(Dataset::range(5).enumerate(most).cardinality(), 5);
  EXPECT_EQ(Dataset::range(9).window(most, {.shift = 2, .stride = most}).cardinality(), 5);
  EXPECT_EQ(Dataset::range(9).window(most, {.stride = 2, .drop_remainder = true}).cardinality(), 0);
}

TEST(Counts, MayBeLargerThanTheData) {
  for (const Dataset& five : {Dataset::range(5), in_turn(Dataset::range(5))}) {
    EXPECT_EQ(numbers(five.batch(most)), (Numbers{0, 1, 2, 3, 4}));
    EXPECT_EQ(numbers(five.batch(most).skip(most)), Numbers());
    EXPECT_EQ(numbers(five.batch(3).skip(most)), Numbers());
    EXPECT_EQ(numbers(five.skip(most).skip(most)), Numbers());
    EXPECT_EQ(numbers(five.skip(3).take(most)), (Numbers{3, 4}));
    EXPECT_EQ(numbers(five.shard(most, 4).shard(most, 0)), Numbers{4});
    EXPECT_EQ(numbers(five.window(most, {.shift = most, .stride = most})
                          .flat_map([](const Dataset& window) { return window; })),
              Numbers{0});
    EXPECT_EQ(numbers(five.shuffle(most)).size(), 5u);
  }
}

TEST(Counts, OfNoneAllAndUnknown) {
  const Dataset three = Dataset::range(3), endless = three.repeat();
  EXPECT_EQ(endless.repeat(0).cardinality(), 0);
  EXPECT_EQ(endless.repeat(2).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(Dataset::range(0).repeat().cardinality(), 0);
  EXPECT_EQ(endless.take(0).cardinality(), 0);
  EXPECT_EQ(endless.take(-1).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(endless.skip(-1).cardinality(), 0);  // infinite in tf.data, which then has none
  EXPECT_EQ(endless.shard(2, 1).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(endless.cache().cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(numbers(endless.cache().take(4)), (Numbers{0, 1, 2, 0}));
  EXPECT_EQ(three.filter(yes).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(endless.filter(yes).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(endless.unique().cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(endless.take_while(yes).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(Dataset::zip({endless, three.filter(yes)}).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(three.ignore_errors().cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(Dataset::range(2).batch(3, {.drop_remainder = true}).cardinality(), 0);
}

// A fit over them needs steps_per_epoch.
TEST(Counts, OfGroupsAndOfSeveralDatasetsMayBeInfinite) {
  const Dataset three = Dataset::range(3), endless = three.repeat();
  const auto batched = [](int64_t, const Dataset& window) { return window.batch(2); };
  const auto zero = [](const Array&) { return 0; };
  EXPECT_EQ(endless.group_by_window(zero, batched, 2).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(three.group_by_window(zero, batched, 2).cardinality(), UNKNOWN_CARDINALITY);
  const auto sampled = [&](const SampleFromArgs& args) {
    return Dataset::sample_from_datasets({three, endless}, args).cardinality();
  };
  EXPECT_EQ(sampled({}), INFINITE_CARDINALITY);
  EXPECT_EQ(sampled({.stop_on_empty_dataset = true}), UNKNOWN_CARDINALITY);
  EXPECT_EQ(sampled({.weights = {1, 0}}), UNKNOWN_CARDINALITY);
  EXPECT_EQ(sampled({.weights = {0, 1}, .stop_on_empty_dataset = true}), INFINITE_CARDINALITY);
  const auto chosen = [&](const Dataset& which, bool stops) {
    return Dataset::choose_from_datasets({three, endless}, which, {stops}).cardinality();
  };
  EXPECT_EQ(chosen(Dataset::range(2), false), UNKNOWN_CARDINALITY);
  EXPECT_EQ(chosen(Dataset::range(2).repeat(), true), UNKNOWN_CARDINALITY);
  EXPECT_EQ(chosen(Dataset::range(2).repeat(), false), INFINITE_CARDINALITY);
}

// Which fit asks for before there is a batch.
TEST(Counts, OfTheRowsOfBatches) {
  const Dataset twos = Dataset::range(8).batch(2), threes = Dataset::range(8).batch(3);
  EXPECT_EQ(in_turn(threes).stage()->batch_rows(), 3);
  EXPECT_EQ(Dataset::sample_from_datasets({twos, threes}).stage()->batch_rows(), 3);
  EXPECT_EQ(twos.concatenate(threes).stage()->batch_rows(), 3);
}

TEST(AssertCardinality, MayBeInfinite) {
  const Dataset three = Dataset::range(3);
  EXPECT_EQ(in_turn(three.repeat()).assert_cardinality(INFINITE_CARDINALITY).cardinality(),
            INFINITE_CARDINALITY);
  EXPECT_EQ(numbers(in_turn(three.repeat()).assert_cardinality(INFINITE_CARDINALITY).take(4)),
            (Numbers{0, 1, 2, 0}));
  EXPECT_ERROR(numbers(in_turn(three).assert_cardinality(INFINITE_CARDINALITY)),
               "infinitely many elements were asserted, but the dataset has 3");
  EXPECT_ERROR(three.assert_cardinality(INFINITE_CARDINALITY), "but the dataset has 3");
  EXPECT_ERROR(three.assert_cardinality(-5), "-5 is not a number of elements");
}

TEST(SampleFrom, NeedsADatasetThatCanBeDrawn) {
  const auto with = [](const std::vector<double>& weights) {
    return Dataset::sample_from_datasets({Dataset::range(2), Dataset::range(3)},
                                         {.weights = weights, .seed = 1});
  };
  EXPECT_ERROR(with({0, 0}), "none negative and not all 0, got 0, 0");
  EXPECT_ERROR(with({-1, 2}), "none negative");
  EXPECT_ERROR(with({1}), "weights must be 2 numbers");
  EXPECT_ERROR(with({1, std::numeric_limits<double>::infinity()}), "must be 2 numbers, finite");
  EXPECT_EQ(numbers(with({0, 1})), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers(with({1, 1})).size(), 5u);
  EXPECT_EQ(numbers(Dataset::sample_from_datasets({Dataset::range(0), Dataset::range(0)})),
            Numbers());
}

TEST(RejectionResample, RefusesATargetThatNoElementCanMeet) {
  const auto zero = [](const Array&) { return 0; };
  EXPECT_ERROR(Dataset::range(3).rejection_resample(zero, {0.5, 0.5}, {.initial_dist = {1, 0}}),
               "class 1 has 0.5 in target_dist, but 0 in initial_dist");
}

// The order must not depend on the machine: tf.data takes the number of cores.
TEST(Interleave, TakesSixteenDatasetsInTurn) {
  const auto twice = [](const Array& x) { return Dataset::from_tensors(x).repeat(2); };
  const Dataset forty = Dataset::range(40);
  const Numbers order = numbers(forty.interleave(twice));
  EXPECT_EQ(order, numbers(forty.interleave(twice, {.cycle_length = 16})));
  EXPECT_EQ(order, numbers(forty.interleave(twice, {.num_parallel_calls = AUTOTUNE})));
  EXPECT_EQ(order[15], 15);
  EXPECT_EQ(order[16], 0);
}

TEST(IgnoreErrors, WorksBehindAPrefetch) {
  const auto refuse = [](const Array& x) {
    if (static_cast<int64_t>(x.at(0)) % 4 == 1) throw std::runtime_error("no");
    return x;
  };
  for (const Dataset& source : {Dataset::range(10), in_turn(Dataset::range(10))}) {
    Numbers reported;
    const auto note = [&](int64_t number, const Error&) { reported.push_back(number); };
    const auto mapped = source.map(refuse, {.num_parallel_calls = 2});
    EXPECT_EQ(numbers(mapped.batch(1).prefetch(2).unbatch().ignore_errors({.report = note})),
              (Numbers{0, 2, 3, 4, 6, 7, 8}));
    EXPECT_EQ(reported.size(), 3u);
    const Element none = Array::scalar<int64_t>(-1);
    EXPECT_EQ(
        numbers(in_turn(mapped).prefetch(3).ignore_errors({.replacement = none, .report = note})),
        (Numbers{0, -1, 2, 3, 4, -1, 6, 7, 8, -1}));
  }
}

// Otherwise the samples behind an ignored one would have their neighbours' labels.
TEST(Zip, KeepsItsPartsTogetherBehindAnError) {
  const auto refuse = [](const Array& x) {
    if (static_cast<int64_t>(x.at(0)) == 2) throw std::runtime_error("no");
    return x;
  };
  const Dataset five = in_turn(Dataset::range(5)), failing = five.map(refuse);
  for (const Dataset& pairs : {Dataset::zip({failing, five}), Dataset::zip({five, failing})}) {
    Numbers left;
    for (const Element& pair : pairs.ignore_errors({.report = [](int64_t, const Error&) {}})) {
      EXPECT_EQ(pair[0].array().at(0), pair[1].array().at(0));
      left.push_back(static_cast<int64_t>(pair[0].array().at(0)));
    }
    EXPECT_EQ(left, (Numbers{0, 1, 3, 4}));
  }
}

// As in tf.data, an element is asked of the others at the end of a part, too; its error is none of
// the pairs.
TEST(Zip, EndsWithItsShortestPart) {
  const auto refuse = [](const Array& x) {
    if (static_cast<int64_t>(x.at(0)) == 2) throw std::runtime_error("no");
    return x;
  };
  const Dataset two = in_turn(Dataset::range(2)), failing = in_turn(Dataset::range(5)).map(refuse);
  EXPECT_EQ(Dataset::zip({two, failing}).as_list().size(), 2u);
}

TEST(Zip, CompletesTheCachesOfItsParts) {
  int64_t calls = 0;
  const auto count = [&calls](const Array& x) {
    ++calls;
    return x;
  };
  const Dataset three = in_turn(Dataset::range(3));
  const Dataset pairs = Dataset::zip({three, three.map(count).cache()});
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(pairs.as_list().size(), 3u);
  EXPECT_EQ(calls, 3);
}

TEST(Shuffle, KeepsItsOrderIfAskedTo) {
  for (const Dataset& ten : {Dataset::range(10), in_turn(Dataset::range(10))}) {
    const Dataset fixed = ten.shuffle(10, {.reshuffle_each_iteration = false});
    const Numbers first = numbers(fixed), both = numbers(fixed.repeat(2));
    EXPECT_EQ(numbers(fixed), first);
    EXPECT_EQ(Numbers(both.begin(), both.begin() + 10), first);
    EXPECT_EQ(Numbers(both.begin() + 10, both.end()), first);
  }
  EXPECT_ERROR(Dataset::range(3).shuffle(0), "buffer_size must be positive, got 0");
}

// Not by a buffer instead: the order must not depend on the machine's memory.
TEST(Shuffle, RefusesAnOrderThatDoesNotFitIntoMemory) {
  const int64_t limit = dataset_memory_limit();
  set_dataset_memory_limit(int64_t{16} << 20);
  const int64_t fits = 1 << 20;
  EXPECT_EQ(Dataset::range(fits).shuffle(10).take(1).as_list().size(), 1u);
  EXPECT_ERROR(Dataset::range(2 * fits).shuffle(10).take(1).as_list(),
               "the order of 2097152 elements needs 32.00 MB while it is drawn, more than the "
               "16.00 MB that datasets may take");
  EXPECT_EQ(in_turn(Dataset::range(2 * fits)).shuffle(10).take(1).as_list().size(), 1u);
  set_dataset_memory_limit(limit);
}

TEST(Stages, RefuseWhatTfDataRefuses) {
  const Dataset three = Dataset::range(3), scalar = Dataset::from_tensors(Array::scalar(1.0f)),
                vector = Dataset::from_tensors(Array::from<int64_t>({1, 2}, {2}));
  EXPECT_ERROR(three.shard(2, 2), "index 2 of 2 shards");
  EXPECT_ERROR(three.shard(2, -1), "index -1 of 2 shards");
  EXPECT_ERROR(three.shard(0, 0), "index 0 of 0 shards");
  EXPECT_ERROR(three.concatenate(scalar), "the elements are int64() and float32()");
  EXPECT_ERROR(three.concatenate(vector), "the elements are int64() and int64(2,)");
  EXPECT_ERROR(three.concatenate(three.enumerate()), "int64() and (int64(), int64())");
  EXPECT_ERROR(three.unbatch(), "is a scalar, not a batch");
  EXPECT_ERROR(Dataset::from_tensors({Array(DType::int64, {3}), Array(DType::int64, {2})})
                   .unbatch()
                   .as_list(),
               "its arrays need the same first dimension");
  EXPECT_ERROR(three.window(0), "must be positive, got 0");
  EXPECT_ERROR(three.window(2, {.stride = 0}), "must be positive, got 2, 2 and 0");
  EXPECT_ERROR(three.prefetch(-2), "must be positive or AUTOTUNE, got -2");
  EXPECT_ERROR(Dataset::range(3, 0, 0), "the step is 0");
  EXPECT_ERROR(Dataset::choose_from_datasets({three, three}, Dataset::range(3)).as_list(),
               "dataset 2 was chosen of 2");
}

TEST(Concatenate, JoinsShapesThatDiffer) {
  const auto ones = [](int64_t n) { return Dataset::from_tensors(Array(DType::int64, {n})); };
  const Dataset both = ones(1).concatenate(ones(2));
  EXPECT_EQ(to_string(both.element_spec()), "int64(None,)");
  EXPECT_EQ(both.cardinality(), 2);
}

TEST(ListFiles, FindsNamesWithBracketsAndWithoutWildcards) {
  const TemporaryFolder folder;
  for (const char* name : {"a[1].txt", "plain.txt", "b?.txt"}) std::ofstream(folder / name) << "x";
  for (const char* name : {"a[1].txt", "plain.txt", "b?.txt"}) {
    const auto found = Dataset::list_files(folder / name).as_list();
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0].array().text(), folder / name);
  }
  EXPECT_ERROR(Dataset::list_files(folder / "none.txt"), "no file matches");
}

}  // namespace
}  // namespace stoker::data
