#include <gtest/gtest.h>

#include <atomic>

#include "data/stage.h"

// Batches of which every rank makes only its own rows: together they are the batches of a single
// process.
namespace stoker::data {
namespace {

using Numbers = std::vector<double>;
using Batches = std::vector<Numbers>;

Batches read(Cursor& cursor) {
  Batches all;
  Element batch;
  while (cursor.next(batch)) {
    Numbers& rows = all.emplace_back();
    for (int64_t i = 0; i < batch.arrays()[0].length(); ++i)
      rows.push_back(batch.arrays()[0].at(i));
  }
  return all;
}

const Opening opening{.seed = 5, .pass = 2};

Batches rows_of(const Dataset& dataset, const distribution::Division& division, int64_t skip = 0) {
  const auto cursor = dataset.stage()->open_rows(opening, division);
  EXPECT_EQ(cursor->skip(skip), skip);
  return read(*cursor);
}

// The part of each batch that the division gives to a rank.
Batches parts(const Batches& whole, const distribution::Division& division) {
  Batches all;
  for (const Numbers& batch : whole) {
    const auto slice = division.of(static_cast<int64_t>(batch.size()));
    all.emplace_back(batch.begin() + slice.first, batch.begin() + slice.first + slice.here);
  }
  return all;
}

Array drawn(const Array& number, Random& random) {
  return Array::scalar(static_cast<float>(number.at(0)) + random.uniform());
}
Dataset in_turn(const Dataset& dataset, int64_t count) {
  return dataset.filter([](const Element&) { return true; }).assert_cardinality(count);
}

// 23 samples in batches of 5 leave 3, in batches of 11 leave 1, which is fewer than there are
// ranks.
TEST(DividedBatches, AreTheRowsOfWholeOnes) {
  const Dataset range = Dataset::range(23), one_by_one = in_turn(range, 23);
  for (const Dataset& source : {range, range.shuffle(23), one_by_one, range.repeat(2),
                                range.skip(3), in_turn(range, 23).skip(4).take(13)})
    for (const int64_t calls : {int64_t{1}, int64_t{3}, AUTOTUNE})
      for (const int64_t size : {1, 5, 11})
        for (const bool drops : {false, true}) {
          const Dataset batches = source.map(drawn, {.num_parallel_calls = calls})
                                      .batch(size, {.drop_remainder = drops})
                                      .prefetch(2);
          const Batches whole = read(*batches.stage()->open(opening));
          for (int64_t ranks = 2; ranks < 4; ++ranks)
            for (int64_t rank = 0; rank < ranks; ++rank) {
              Batches expected = parts(whole, {rank, ranks});
              ASSERT_EQ(rows_of(batches, {rank, ranks}), expected);
              expected.erase(expected.begin());
              ASSERT_EQ(rows_of(batches, {rank, ranks}, 1), expected);
            }
        }
}

TEST(DividedBatches, AnnounceTheRowsOfEveryBatch) {
  const Batching uneven = *Dataset::range(23).batch(5).stage()->batching();
  EXPECT_EQ(uneven.rows(3), 5);
  EXPECT_EQ(uneven.rows(4), 3);
  EXPECT_EQ(uneven.rows(5), 0);
  EXPECT_EQ(Dataset::range(23).batch(5, {.drop_remainder = true}).stage()->batching()->rows(4), 0);
  EXPECT_EQ(Dataset::range(23).repeat().batch(5).stage()->batching()->rows(1000), 5);
}

// How often a rank calls a map's function: for its own rows, and once more to determine the type of
// a row if workers fill them in.
int64_t calls_of_rank(const Dataset& source, int64_t calls) {
  std::atomic<int64_t> made = 0;
  const auto count = [&](const Array& x) { return ++made, x; };
  const Dataset batches = source.map(count, {.num_parallel_calls = calls}).batch(10);
  rows_of(batches, {0, 2});
  return made;
}

TEST(DividedBatches, MapsOnlyItsOwnRows) {
  const Dataset range = Dataset::range(40);
  for (const int64_t calls : {int64_t{1}, int64_t{3}}) {
    EXPECT_LE(calls_of_rank(range.shuffle(40), calls), 21);
    EXPECT_EQ(calls_of_rank(in_turn(range, 40), calls), 20);
  }
}

TEST(DividedBatches, SayWhyARankMakesWholeOnes) {
  const auto why = [](const Dataset& dataset) {
    EXPECT_FALSE(dataset.stage()->batching());
    return dataset.stage()->why_whole();
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Dataset range = Dataset::range(9);
  has(why(range.filter([](const Element&) { return true; }).batch(2).prefetch()),
      "the number of elements of filter, created");
  has(why(range.batch(2).map([](const Array& x) { return x; })), "map, created");
  has(why(range.padded_batch(2)), "padded_batch, created");
}

}  // namespace
}  // namespace stoker::data
