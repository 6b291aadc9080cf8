#include <gtest/gtest.h>

#include "data/stage.h"

namespace stoker::data {
namespace {

using Numbers = std::vector<double>;

Array drawn(const Array& number, Random& random) {
  const float first = random.uniform();
  return Array::scalar(static_cast<float>(number.at(0)) + first + 100 * random.uniform());
}
// The expected value for the element with this index.
double expected(int64_t number, uint64_t seed, int64_t pass, uint64_t stage = 0) {
  Random random(seed, static_cast<uint64_t>(pass), static_cast<uint64_t>(number), stage);
  return drawn(Array::scalar(number), random).at(0);
}
Numbers plain(int64_t count, uint64_t seed, int64_t pass, int64_t from = 0) {
  Numbers all;
  for (int64_t i = from; i < count; ++i) all.push_back(expected(i, seed, pass));
  return all;
}
Numbers read(const Dataset& dataset, const Opening& opening, int64_t skip = 0) {
  const auto cursor = dataset.stage()->open(opening);
  cursor->skip(skip);
  Numbers all;
  Element element;
  while (cursor->next(element))
    for (int64_t i = 0; i < element.arrays()[0].size(); ++i)
      all.push_back(element.arrays()[0].at(i));
  return all;
}
Dataset in_turn(const Dataset& dataset) {
  return dataset.filter([](const Element&) { return true; });
}

TEST(RandomMap, DrawsByElementWhateverTheThreads) {
  constexpr int64_t count = 50;
  const Dataset range = Dataset::range(count), one_by_one = in_turn(range);
  for (const int threads : {1, 2, 7}) {
    Workers workers(threads);
    const Opening opening{.seed = 5, .pass = 3, .workers = &workers};
    for (const int64_t calls : {int64_t{1}, int64_t{3}, AUTOTUNE})
      for (const Dataset& before : {range, one_by_one}) {
        const Dataset mapped = before.map(drawn, {.num_parallel_calls = calls});
        EXPECT_EQ(read(mapped, opening), plain(count, 5, 3));
        EXPECT_EQ(read(mapped, opening, 17), plain(count, 5, 3, 17));
        EXPECT_EQ(read(mapped.batch(8), opening, 2), plain(count, 5, 3, 16));
      }
  }
}

TEST(RandomMap, DrawsAnewInEachPassAndFromTheSeedGiven) {
  const Dataset mapped = Dataset::range(4).map(drawn),
                seeded = Dataset::range(4).map(drawn, {.seed = 9});
  EXPECT_NE(read(mapped, {}), read(mapped, {.pass = 1}));
  EXPECT_NE(read(mapped, {}), read(mapped, {.seed = 1}));
  EXPECT_EQ(read(seeded, {.seed = 1, .pass = 2}), plain(4, 9, 2));
  Numbers twice = plain(4, 0, 0);
  for (const double number : plain(4, 0, 1)) twice.push_back(number);
  EXPECT_EQ(read(mapped.repeat(2), {}), twice);
}

// Counted from the end, so that a stage inserted before does not change the ones behind it.
TEST(RandomMap, TellsMapsOfOneDatasetApart) {
  const auto draw = [](const Array&, Random& random) { return Array::scalar(random.uniform()); };
  const auto more = [](const Array& first, Random& random) {
    return Array::from<float>({static_cast<float>(first.at(0)), random.uniform()}, {2});
  };
  const Numbers both = read(Dataset::range(1).map(draw).map(more), {});
  EXPECT_EQ(both[0], Random(0, 0, 0, 1).uniform());
  EXPECT_EQ(both[1], Random(0, 0, 0, 0).uniform());
  EXPECT_NE(both[0], both[1]);
}

// A run that was stopped resumes in a later pass, with an empty cache.
TEST(RandomMap, ACacheKeepsTheFirstPassWhicheverComesFirst) {
  for (const bool indexed : {true, false}) {
    const auto dataset = [&] {
      return (indexed ? Dataset::range(20) : in_turn(Dataset::range(20)))
          .map(drawn)
          .cache()
          .shuffle(5);
    };
    const Dataset from_the_start = dataset(), goes_on = dataset();
    const Opening first{.seed = 3}, later{.seed = 3, .pass = 2};
    read(from_the_start, first);
    EXPECT_EQ(read(from_the_start, later), read(goes_on, later));
    EXPECT_EQ(read(from_the_start, first), read(goes_on, first));
  }
}

TEST(RandomMap, TakesElementsAndGenericParameters) {
  const auto pairs = Dataset::zip({Dataset::range(2), Dataset::range(2)});
  const Numbers want{Random(0, 0, 0).uniform(), Random(0, 0, 1).uniform()};
  const auto draw = [](Random& random) { return Array::scalar(random.uniform()); };
  EXPECT_EQ(read(pairs.map([=](const Element&, Random& random) { return draw(random); }), {}),
            want);
  EXPECT_EQ(
      read(pairs.map([=](const auto&, const auto&, Random& random) { return draw(random); }), {}),
      want);
}

// Two views of each image would else be the same.
TEST(RandomMap, DrawsDifferentlyInEachPartOfAZip) {
  const auto draw = [](const Array&, Random& random) { return Array::scalar(random.uniform()); };
  const auto joined = [](const Array& a, const Array& b) {
    return Array::from<float>({static_cast<float>(a.at(0)), static_cast<float>(b.at(0))}, {2});
  };
  for (const Dataset& three : {Dataset::range(3), in_turn(Dataset::range(3))}) {
    const auto views = Dataset::zip({three.map(draw), three.map(draw)}).map(joined);
    const Numbers all = read(views, {});
    ASSERT_EQ(all.size(), 6u);
    for (size_t i = 0; i < all.size(); i += 2) EXPECT_NE(all[i], all[i + 1]);
    EXPECT_EQ(read(views, {}), all);
    EXPECT_EQ(read(views, {}, 2), Numbers(all.begin() + 4, all.end()));
  }
}

// An image and its mask are augmented alike.
TEST(RandomMap, DrawsAlikeInPartsOfAZipWithTheSameSeed) {
  const auto draw = [](const Array&, Random& random) { return Array::scalar(random.uniform()); };
  const auto difference = [](const Array& a, const Array& b) {
    return Array::scalar(static_cast<float>(a.at(0) - b.at(0)));
  };
  const Dataset three = Dataset::range(3);
  const auto views = Dataset::zip({three.map(draw, {.seed = 4}), three.map(draw, {.seed = 4})});
  EXPECT_EQ(read(views.map(difference), {}), Numbers(3, 0));
}

TEST(RandomMap, DrawsDifferentlyInEachDatasetOfAnInterleave) {
  const auto draw = [](const Array&, Random& random) { return Array::scalar(random.uniform()); };
  const Numbers drawn_in = read(
      Dataset::range(3).flat_map([=](const Array&) { return Dataset::range(1).map(draw); }), {});
  EXPECT_NE(drawn_in[0], drawn_in[1]);
  EXPECT_NE(drawn_in[1], drawn_in[2]);
}

}  // namespace
}  // namespace stoker::data
