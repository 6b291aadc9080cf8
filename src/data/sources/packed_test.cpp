#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "io/test_files.h"
#include "stoker/dataset.h"

namespace stoker {
namespace {

std::vector<int64_t> numbers(const Dataset& dataset) {
  std::vector<int64_t> all;
  for (const Element& element : dataset) all.push_back(element.array().data<int64_t>()[0]);
  return all;
}

TEST(SavedDataset, IsLoadedWithItsElements) {
  const TemporaryFolder folder;
  const std::string path = folder / "numbers.stk";
  Dataset::range(50).save(path);
  const Dataset loaded = Dataset::load(path);
  EXPECT_EQ(loaded.cardinality(), 50);
  EXPECT_EQ(loaded.element_spec(), Dataset::range(50).element_spec());
  EXPECT_EQ(numbers(loaded), numbers(Dataset::range(50)));
  EXPECT_EQ(numbers(loaded.shuffle(1, {.seed = 3})),
            numbers(Dataset::range(50).shuffle(1, {.seed = 3})))
      << "it has numbers, so the shuffle is exact";
}

TEST(SavedDataset, MayHaveNoElementOrSeveralShapes) {
  const TemporaryFolder folder;
  Dataset::range(0).save(folder / "none.stk");
  EXPECT_EQ(Dataset::load(folder / "none.stk").cardinality(), 0);
  const auto grown = Dataset::range(3).map([](const Array& n) {
    return Array(DType::uint8, Shape{n.data<int64_t>()[0], 2});
  });
  grown.save(folder / "grown.stk");
  EXPECT_EQ(to_string(Dataset::load(folder / "grown.stk").element_spec()), "uint8(None, 2)");
}

TEST(SavedDataset, RefusesElementsOfTwoKindsAndThoseWithoutEnd) {
  const TemporaryFolder folder;
  const auto mixed = Dataset::range(3).map(
      [](const Array& n) { return n.data<int64_t>()[0] < 2 ? n : n.astype(DType::float32); });
  EXPECT_ERROR(mixed.save(folder / "x.stk"),
               "element 2 is float32(), but those before it are int64()");
  EXPECT_ERROR(Dataset::range(3).repeat().save(folder / "x.stk"), "has no end");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is left behind";
}

// A pipeline whose function counts its calls.
Dataset counted(std::atomic<int>& calls, const std::string& path, int64_t count = 20) {
  return Dataset::range(count)
      .map([&calls](const Array& n) { return ++calls, Array::scalar(n.data<int64_t>()[0] * 3); })
      .cache(path);
}

TEST(DiskCache, IsFilledOnceAndServesTheNextProcess) {
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  const Dataset first = counted(calls, folder / "cache");
  const auto wanted = numbers(first);
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(numbers(first), wanted);
  EXPECT_EQ(numbers(counted(calls, folder / "cache")), wanted);
  EXPECT_EQ(calls, 20) << "the file was there";
}

TEST(DiskCache, OfAnotherPipelineIsWrittenAgain) {
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  EXPECT_EQ(numbers(counted(calls, folder / "cache", 20)).size(), 20u);
  EXPECT_EQ(numbers(counted(calls, folder / "cache", 7)).size(), 7u);
  EXPECT_EQ(calls, 27);
}

TEST(DiskCache, OtherArgumentsDataOrAStageThatCannotSayWriteItAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "cache";
  const auto part = [&](int64_t skipped) {
    return numbers(Dataset::range(20).skip(skipped).take(2).cache(path));
  };
  EXPECT_EQ(part(5), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(part(6), (std::vector<int64_t>{6, 7}));
  const auto slices = [&](std::vector<int64_t> values) {
    return numbers(Dataset::from_tensor_slices(Array::from(values, {2})).cache(path));
  };
  EXPECT_EQ(slices({1, 2}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(slices({1, 3}), (std::vector<int64_t>{1, 3}));
  const auto generated = [&](int64_t value) {
    const auto once = [value] {
      return [value, given = false]() mutable -> std::optional<Element> {
        if (std::exchange(given, true)) return std::nullopt;
        return Element(Array::scalar(value));
      };
    };
    return numbers(Dataset::from_generator(once, {{}, {{DType::int64, {}}}}).cache(path));
  };
  EXPECT_EQ(generated(1), (std::vector<int64_t>{1}));
  EXPECT_EQ(generated(2), (std::vector<int64_t>{2}));
}

TEST(DiskCache, KeepsTheOrderOfAShuffleBehindItFromTheFirstPassOn) {
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  const auto shuffled = [&](const std::string& path) {
    return numbers(counted(calls, path).shuffle(4, {.seed = 1}));
  };
  EXPECT_EQ(shuffled(folder / "a"), shuffled(folder / "a"));
}

TEST(DiskCache, ADamagedFileOrAFolderThatIsNotThereIsAnError) {
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  numbers(counted(calls, folder / "cache"));
  std::filesystem::resize_file(folder / "cache", 100);
  EXPECT_ERROR(numbers(counted(calls, folder / "cache")), "cut short");
  EXPECT_ERROR(numbers(counted(calls, folder / "no/cache")), "no/cache");
  EXPECT_ERROR(Dataset::range(2).repeat().cache(folder / "endless"), "has no end");
}

TEST(DiskCache, OnAFullDiskIsAnErrorThatLeavesNoFile) {
  const TemporaryFolder folder;
  const Dataset cached = Dataset::range(500).cache(folder / "cache");
  std::string said;
  {
    const FullDisk full(1000);
    said = error_of([&] { numbers(cached); });
  }
  EXPECT_NE(said.find("cannot write \"" + (folder / "cache")), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(numbers(cached), numbers(Dataset::range(500)));
}

}  // namespace
}  // namespace stoker
