#include <gtest/gtest.h>

#include <atomic>

#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker {
namespace {

Array same(const Array& x) { return x; }
Array drawn(const Array&, Random& random) { return Array::scalar(random.uniform()); }
Dataset in_turn(const Dataset& dataset) {
  return dataset.filter([](const Element&) { return true; });
}

// Exactly one note, which contains these words; empty: none.
void expect_note(const Dataset& dataset, const std::string& words) {
  const auto notes = dataset.statistics().notes;
  ASSERT_EQ(notes.size(), words.empty() ? 0u : 1u) << (notes.empty() ? words : notes[0]);
  if (words.empty()) return;
  EXPECT_NE(notes[0].find(words), std::string::npos) << notes[0];
}

TEST(PipelineNotes, SayWhatLooksWrong) {
  const auto data = Dataset::range(10);
  expect_note(data.shuffle(10).cache().batch(2), "keeps the order that shuffle");
  expect_note(data.map(drawn).map(same).cache(), "every epoch gets the same random numbers");
  expect_note(data.map([](const Element& e, Random&) { return e; }).cache(), "keeps what map");
  expect_note(Dataset::sample_from_datasets({data, data}).cache(), "Put sample_from_datasets");
  expect_note(data.repeat(2).cache(), "Put repeat after it");
  expect_note(data.batch(2).shuffle(10), "Put it before batch");
  expect_note(data.padded_batch(2).shuffle(10), "Put it before padded_batch");
  expect_note(data.repeat(2).shuffle(10), "Put it before repeat");
  expect_note(data.shuffle(10).take(3), "keeps other elements in every pass");
}

TEST(PipelineNotes, AreSilentWhereAllIsWell) {
  const auto data = Dataset::range(10);
  expect_note(data.cache().shuffle(10).repeat(2).batch(2).prefetch(), "");
  expect_note(data.batch(2).unbatch().shuffle(10), "");
  expect_note(data.map(same).batch(2).cache(), "");
  expect_note(data.shuffle(10, {.reshuffle_each_iteration = false}).cache(), "");
  expect_note(data.shuffle(10, {.reshuffle_each_iteration = false}).take(3), "");
  expect_note(data.cache().map(drawn).batch(2), "");
  expect_note(data.batch(2).prefetch(1).rebatch(4), "");
}

TEST(PipelineNotes, KnowWhichTransformsAreRandom) {
  const auto plain = image::Transform().resize(4, 4);
  EXPECT_FALSE(plain.rescale(2).is_random());
  EXPECT_FALSE(plain.then([](const Array& x, Random&) { return x; }).is_random());
  EXPECT_TRUE(plain.random_flip_left_right().rescale(2).is_random());
  EXPECT_TRUE(plain.random_hue(0.1f).is_random());
  EXPECT_TRUE(image::Transform().random_resized_crop(4, 4).is_random());
}

TEST(PipelineRewrites, AreSaid) {
  const auto mapped = in_turn(Dataset::range(10)).map(same);
  expect_note(mapped.take(3), "is applied before map");
  expect_note(mapped.skip(3), "elements that it drops are not computed");
  expect_note(mapped.map(same).prefetch(1).shard(2, 1), " and map, created");
  expect_note(Dataset::range(10).take(3).map(same), "");
  expect_note(Dataset::range(10).prefetch(2).map(same).batch(2), "Put it behind batch");
}

// Whatever maps lie between, and however many selections there are: only the selected ones of ten
// elements.
TEST(PipelineRewrites, LeaveOutWhatNobodyTakes) {
  std::atomic<int> calls = 0;
  const auto counted = [&calls](const Array& x) {
    ++calls;
    return x;
  };
  for (const bool indexed : {true, false})
    for (const int64_t first : {int64_t{1}, AUTOTUNE})
      for (const int64_t second : {int64_t{1}, AUTOTUNE}) {
        const auto source = indexed ? Dataset::range(10) : in_turn(Dataset::range(10));
        const auto mapped = source.map(counted, {.num_parallel_calls = first})
                                .map(counted, {.num_parallel_calls = second});
        const auto expect = [&](const Dataset& chosen, std::vector<double> numbers) {
          calls = 0;
          std::vector<double> given;
          for (const Element& element : chosen) given.push_back(element.array().at(0));
          EXPECT_EQ(given, numbers);
          EXPECT_EQ(calls, static_cast<int>(2 * numbers.size()));
        };
        expect(mapped.take(3), {0, 1, 2});
        expect(mapped.skip(7), {7, 8, 9});
        expect(mapped.shard(4, 1), {1, 5, 9});
        expect(mapped.skip(2).shard(3, 0).take(2), {2, 5});
        expect(mapped.take(6).shard(4, 1), {1, 5});
        expect(mapped.take(6).prefetch(1).skip(4), {4, 5});
      }
}

}  // namespace
}  // namespace stoker
