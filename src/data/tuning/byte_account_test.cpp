#include "data/tuning/byte_account.h"

#include <gtest/gtest.h>

#include "data/stage.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::data {
namespace {

constexpr int64_t bytes_each = 1000;

Dataset large_elements(int64_t count) {
  return Dataset::range(count)
      .filter([](const Element&) { return true; })
      .map([](const Array&) { return Array(DType::uint8, {bytes_each}); },
           {.num_parallel_calls = 1});
}

class DatasetMemory : public ::testing::Test {
 protected:
  ~DatasetMemory() override { set_dataset_memory_limit(limit_before); }
  int64_t taken() const { return dataset_memory() - before; }

  const int64_t limit_before = dataset_memory_limit(), before = dataset_memory();
};

TEST_F(DatasetMemory, HasWhatBuffersCachesAndBatchesHold) {
  {
    const auto shuffled = large_elements(50).shuffle(10);
    const auto cursor = shuffled.stage()->open({});
    Element element;
    ASSERT_TRUE(cursor->next(element));
    EXPECT_EQ(taken(), 10 * bytes_each);  // including the one that was taken
    EXPECT_EQ(shuffled.stage()->meter().held_bytes(), 9 * bytes_each);
  }
  EXPECT_EQ(taken(), 0);
  {
    const auto cached = large_elements(5).cache();
    for (const Element& element : cached) (void)element;
    EXPECT_EQ(taken(), 5 * bytes_each);
    const auto batches = large_elements(8).batch(4).cache();
    const auto cursor = batches.stage()->open({});
    Element first;
    ASSERT_TRUE(cursor->next(first));
    // the batch is counted once, although the cache has it, too
    EXPECT_EQ(taken(), 9 * bytes_each);
  }
  EXPECT_EQ(taken(), 0);
}

// A buffer of strings is counted with their text, a buffer of views of the program's arrays not at
// all.
TEST_F(DatasetMemory, HasTextsButNotViews) {
  const auto texts = Dataset::range(8)
                         .map([](const Array&) { return Array::string(std::string(5000, 'x')); },
                              {.num_parallel_calls = 1})
                         .shuffle(4);
  const auto views = Dataset::from_tensor_slices(Array(DType::uint8, {50, 5000}))
                         .filter([](const Element&) { return true; })
                         .shuffle(4);
  Element element;
  const auto opened = texts.stage()->open({});
  ASSERT_TRUE(opened->next(element));
  EXPECT_GE(taken(), 4 * 5000);
  const int64_t before_views = taken();
  const auto viewed = views.stage()->open({});
  Element row;
  ASSERT_TRUE(viewed->next(row));
  EXPECT_EQ(taken(), before_views);
}

// A permutation of indices, and the keys of unique elements.
TEST_F(DatasetMemory, HasWhatIsHeldBesideElements) {
  const auto range = Dataset::range(1000);
  const auto shuffled = range.shuffle(10);
  {
    const auto order = shuffled.stage()->index({});
    EXPECT_EQ(taken(), 1000 * static_cast<int64_t>(sizeof(int64_t)));
    EXPECT_EQ(shuffled.stage()->meter().held_bytes(), taken());
  }
  EXPECT_EQ(taken(), 0);
  EXPECT_EQ(shuffled.stage()->meter().held_bytes(), 0);
  {
    const auto unique = range.unique();
    const auto cursor = unique.stage()->open({});
    for (Element element; cursor->next(element);) continue;
    EXPECT_GE(taken(), 1000 * 64);
    EXPECT_EQ(unique.stage()->meter().held_bytes(), taken());
  }
  EXPECT_EQ(taken(), 0);
}

TEST_F(DatasetMemory, IsTooSmallForACache) {
  set_dataset_memory_limit(before + 10 * bytes_each);
  const auto numbered =
      Dataset::range(20).map([](const Array&) { return Array(DType::uint8, {bytes_each}); });
  for (const Dataset& cached : {large_elements(20).cache(), numbered.cache()}) try {
      for (const Element& element : cached) (void)element;
      ADD_FAILURE() << "nothing was thrown";
    } catch (const OutOfMemory& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("cache, created byte_account_test.cpp:"), std::string::npos) << said;
      EXPECT_NE(said.find("with 11 elements in it"), std::string::npos) << said;
    }
  EXPECT_THROW(set_dataset_memory_limit(0), InvalidArgument);
}

TEST_F(DatasetMemory, BoundsWhatTheTunerSizes) {
  ByteAccount& account = ByteAccount::global();
  account.set_limit(4000);
  EXPECT_EQ(account.affordable(8, 100), 8);
  EXPECT_EQ(account.affordable(8, 300), 3);
  EXPECT_EQ(account.affordable(8, 5000), 1);
}

}  // namespace
}  // namespace stoker::data
