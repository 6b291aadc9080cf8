#include <gtest/gtest.h>

#include <algorithm>

#include "core/hash/fingerprint.h"
#include "stoker/dataset.h"

// Strings in arrays, and in the stages of a dataset.
namespace stoker {
namespace {

using Strings = std::vector<std::string>;

Array words() { return Array::strings({"a", "bb", "", "dddd", "e\0e", "f"}, {3, 2}); }

// The strings of all elements, in order.
Strings texts_of(const Dataset& dataset) {
  Strings all;
  for (const Element& element : dataset)
    for (const Array& array : element.arrays())
      if (array.holds_strings())
        for (const std::string& text : array.texts()) all.push_back(text);
  return all;
}
// The same elements without indices.
Dataset by_cursor(const Dataset& dataset) {
  return dataset.filter([](const Element&) { return true; });
}

TEST(Strings, AreKeptByViewsAndCopies) {
  const Array all = words();
  EXPECT_TRUE(all.defined());
  EXPECT_EQ(all.text(3), "dddd");
  EXPECT_EQ(all.rows(1, 3).text(1), "dddd");
  EXPECT_EQ(all.rows(1, 3).rows(1, 2).reshape({2}).texts(), (Strings{"e", "f"}));
  EXPECT_EQ(all.clone().texts(), all.texts());
  EXPECT_EQ(Array::string(std::string_view("\0x", 2)).text(), std::string_view("\0x", 2));
  EXPECT_EQ(to_string(spec_of(all)), "string(3, 2)");
  EXPECT_THROW((void)all.text(6), InvalidArgument);
  EXPECT_THROW((void)Array::scalar(1.0f).text(), InvalidArgument);
  EXPECT_THROW(Array::strings({"a"}, {2}), InvalidArgument);
  EXPECT_THROW((void)all.astype(DType::float32), InvalidArgument);
}

TEST(Strings, AreTheirFingerprintsToAllThatComputes) {
  const Array part = words().rows(1, 3);
  for (int64_t i = 0; i < part.size(); ++i)
    EXPECT_EQ(part.data<int64_t>()[static_cast<size_t>(i)],
              static_cast<int64_t>(fingerprint64(part.text(i))));
}

TEST(Strings, GoThroughStagesWithAndWithoutNumbers) {
  const Strings want{"a", "bb", "", "dddd", "e", "f"};
  const auto slices = Dataset::from_tensor_slices(words());
  EXPECT_EQ(to_string(slices.element_spec()), "string(2,)");
  for (const Dataset& source : {slices, by_cursor(slices)}) {
    EXPECT_EQ(texts_of(source), want);
    EXPECT_EQ(texts_of(source.batch(2)), want);
    EXPECT_EQ(texts_of(source.batch(2).unbatch()), want);
    EXPECT_EQ(texts_of(source.unbatch().batch(4).rebatch(5)), want);
    EXPECT_EQ(texts_of(source.cache().repeat(2).skip(3)), want);
    EXPECT_EQ(texts_of(Dataset::zip({Dataset::range(9), source}).batch(2)), want);
    EXPECT_EQ(texts_of(source.prefetch(1).map([](const Array& x) { return x.rows(1, 2); })),
              (Strings{"bb", "dddd", "f"}));
    Strings shuffled = texts_of(source.unbatch().shuffle(3));
    EXPECT_NE(shuffled, want);
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, (Strings{"", "a", "bb", "dddd", "e", "f"}));
  }
  for (const Element& batch : slices.batch(2).take(1))
    EXPECT_EQ(to_string(spec_of(batch)), "string(2, 2)");
}

TEST(Strings, ArePaddedWithEmptyOnes) {
  const auto ragged = Dataset::range(1, 4).map([](const Array& n) {
    const auto count = static_cast<int64_t>(n.at(0));
    return Array::strings(Strings(static_cast<size_t>(count), "x"), Shape{count});
  });
  for (const Element& batch : ragged.padded_batch(3)) {
    EXPECT_EQ(batch.array().shape(), (Shape{3, 3}));
    EXPECT_EQ(batch.array().texts(), (Strings{"x", "", "", "x", "x", "", "x", "x", "x"}));
  }
}

TEST(Strings, AndNumbersAreNoRowsOfOneBatch) {
  const auto mixed = Dataset::range(2).map(
      [](const Array& n) { return n.at(0) == 0 ? n : Array::string("text"); });
  EXPECT_THROW(texts_of(mixed.batch(2)), InvalidArgument);
  EXPECT_THROW(texts_of(mixed.padded_batch(2)), InvalidArgument);
}

}  // namespace
}  // namespace stoker
