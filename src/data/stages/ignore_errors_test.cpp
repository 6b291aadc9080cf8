#include "stoker/ignore_errors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "data/stage.h"
#include "io/test_files.h"

namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;

Array without_multiples_of_five(const Array& number) {
  if (static_cast<int64_t>(number.at(0)) % 5 == 0) throw std::runtime_error("no");
  return number;
}
Dataset failing(int64_t count, bool by_number, int64_t calls) {
  Dataset numbers = Dataset::range(count);
  if (!by_number) numbers = numbers.filter([](const Array&) { return true; });
  return numbers.map(without_multiples_of_five, {.num_parallel_calls = calls});
}
Numbers read(const Dataset& dataset, int threads, int64_t skip = 0) {
  Workers workers(threads);
  const auto cursor = dataset.stage()->open({.workers = &workers});
  cursor->skip(skip);
  Numbers all;
  Element element;
  while (cursor->next(element))
    for (const int64_t value : element.array().data<int64_t>()) all.push_back(value);
  return all;
}
const Element replacement = Array::scalar<int64_t>(-1);

TEST(IgnoreErrors, LeavesOutOrReplacesInOrder) {
  Numbers left, replaced;
  for (int64_t i = 0; i < 23; ++i) {
    if (i % 5 != 0) left.push_back(i);
    replaced.push_back(i % 5 != 0 ? i : -1);
  }
  for (const bool by_number : {true, false})
    for (const int64_t calls : {int64_t{1}, int64_t{4}})
      for (const int threads : {1, 3}) {
        Numbers reported;
        IgnoreErrorsArgs args{
            .report = [&](int64_t number, const Error&) { reported.push_back(number); }};
        const Dataset dataset = failing(23, by_number, calls);
        EXPECT_EQ(read(ignore_errors(dataset, args), threads), left);
        EXPECT_EQ(reported, (Numbers{0, 5, 10, 15, 20}));
        EXPECT_EQ(read(ignore_errors(dataset, args), threads, 6),
                  Numbers(left.begin() + 6, left.end()));
        args.replacement = replacement;
        EXPECT_EQ(read(ignore_errors(dataset, args).batch(4), threads), replaced);
      }
}

TEST(IgnoreErrors, FillsBatchesAndKnowsItsSize) {
  const auto quiet = [](int64_t, const Error&) {};
  const Dataset left = ignore_errors(failing(10, true, 4), {.report = quiet});
  EXPECT_EQ(left.cardinality(), UNKNOWN_CARDINALITY);
  for (const Element& batch : left.batch(4)) EXPECT_EQ(batch.array().length(), 4);
  EXPECT_EQ(ignore_errors(failing(10, true, 4), {.replacement = replacement}).cardinality(), 10);
}

// As tf.data gives them; elements in front of the first take are skipped without being made.
TEST(IgnoreErrors, TakesSoManyThatCouldBeMade) {
  const auto more = [](const Array& x) { return Array::scalar(x.data<int64_t>()[0] + 100); };
  const IgnoreErrorsArgs quiet{.report = [](int64_t, const Error&) {}};
  for (const bool by_number : {true, false})
    for (const int64_t calls : {int64_t{1}, int64_t{4}}) {
      const Dataset all = failing(23, by_number, calls);
      const std::vector<std::pair<Dataset, Numbers>> cases{
          {all.take(6), {1, 2, 3, 4, 6, 7}},
          {all.take(6).prefetch(2), {1, 2, 3, 4, 6, 7}},
          {all.take(6).skip(2), {3, 4, 6, 7}},
          {all.take(3).take(2), {1, 2}},
          {all.take(6).shard(2, 0), {1, 3, 6}},
          {all.take(6).map(more, {.num_parallel_calls = calls}), {101, 102, 103, 104, 106, 107}},
          {all.take(4).repeat(2), {1, 2, 3, 4, 1, 2, 3, 4}},
          {all.take(3).concatenate(all.take(2)), {1, 2, 3, 1, 2}},
          {all.skip(4).take(3), {4, 6, 7}},
          {all.take(40), {1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21, 22}}};
      for (const auto& [dataset, want] : cases) {
        const Dataset left = dataset.ignore_errors(quiet);
        EXPECT_EQ(read(left, 3), want);
        EXPECT_EQ(read(left, 3, 2), Numbers(want.begin() + 2, want.end()));
        const ExplainedBatch batch = left.batch(2).explain({.step = 0, .seed = 0});
        EXPECT_EQ(batch.element.array().data<int64_t>()[1], want[1]);
        EXPECT_EQ(batch.samples.at(1).number, want[1] % 100);
      }
    }
}

TEST(IgnoreErrors, KeepsTheOriginsOfReplacedElements) {
  const auto quiet = [](int64_t, const Error&) {};
  const Dataset replaced =
      failing(10, true, 4).ignore_errors({.replacement = replacement, .report = quiet});
  const ExplainedBatch batch = replaced.batch(4).explain({.step = 1, .seed = 1});
  ASSERT_EQ(batch.samples.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(batch.samples[i].number, static_cast<int64_t>(4 + i));
}

TEST(IgnoreErrors, GivesUpAfterSoMany) {
  const auto quiet = [](int64_t, const Error&) {};
  for (const bool by_number : {true, false}) {
    const Dataset most =
        ignore_errors(failing(23, by_number, 4), {.max_errors = 4, .report = quiet});
    EXPECT_ERROR(read(most, 2), "threw: no");
    EXPECT_ERROR(read(most, 2),
                 "error number 5 of a pass, of which ignore_errors, created "
                 "ignore_errors_test.cpp:");
    const Dataset enough =
        ignore_errors(failing(23, by_number, 4), {.max_errors = 5, .report = quiet});
    EXPECT_EQ(read(enough, 2).size(), 18u);
  }
  EXPECT_ERROR(ignore_errors(Dataset::range(1), {.max_errors = -1}), "not be negative, got -1");
}

TEST(IgnoreErrors, DoesNotHideThatMemoryRanOut) {
  const Dataset dataset = Dataset::range(3).map([](const Array& number) {
    if (number.at(0) == 1) throw OutOfMemory("no memory.");
    return number;
  });
  EXPECT_ERROR(read(ignore_errors(dataset), 2), "no memory.");
  const Dataset of_the_library = Dataset::range(3).map([](const Array& number) {
    if (number.at(0) == 1) throw std::bad_alloc();
    return number;
  });
  EXPECT_ERROR(read(ignore_errors(of_the_library), 2), "memory is exhausted. At element 1 of map");
}

// Elements are still written into rows of batches in place.
TEST(IgnoreErrors, ReplacesRowsOfBatches) {
  struct Doubled : ElementFunction {
    Element call(const Element&, Random&) const override { throw Internal("not asked for."); }
    std::optional<ElementSpec> spec(const ElementSpec& of) const override { return of; }
    void write(const Element& element, Random&, const std::vector<std::byte*>& to) const override {
      const int64_t value = without_multiples_of_five(element.array()).data<int64_t>()[0] * 2;
      std::memcpy(to[0], &value, sizeof value);
    }
  };
  const Dataset dataset =
      ignore_errors(Dataset::range(7).map(Doubled()), {.replacement = replacement});
  EXPECT_EQ(read(dataset.batch(3), 2), (Numbers{-1, 2, 4, 6, 8, -1, 12}));
}

}  // namespace
}  // namespace stoker::data
