#include "nn/training/ranks/data_digest.h"

#include <filesystem>

#include "data/feeds/dataset_feed.h"
#include "device/scope.h"
#include "io/atomic_file.h"
#include "io/test_files.h"
#include "nn/test_models.h"

namespace stoker::nn {
namespace {

using test::random_array;

std::string digest(const RunData& data) {
  return describe(data, data.source->plan(device::host_device()), 4);
}

std::string digest(const Arrays& x) {
  return digest(run_over(make_columns({x, {}, {}, {}}, "fit")));
}

std::string digest(const Dataset& batches) {
  const ElementSpec spec = batches.element_spec();
  return digest({std::make_shared<data::DatasetSource>(batches, std::vector<size_t>{0}, spec), {}});
}

TEST(DataDigest, IsThatOfTheRows) {
  const Array x = random_array({6, 3});
  Array other = x.clone();
  other.mutable_data<float>()[17] += 1;
  EXPECT_EQ(digest(x).substr(0, 32), "6 samples in batches of 4, float");
  EXPECT_EQ(digest(x), digest(x.clone()));
  EXPECT_NE(digest(x), digest(other));
  const Array many = random_array({1000, 3});
  Array last = many.clone();
  last.mutable_data<float>()[2999] += 1;
  EXPECT_NE(digest(many), digest(last));
}

TEST(DataDigest, IsThatOfTexts) {
  const auto texts = [](const char* last) { return Array::strings({"a", "b", last}, {3}); };
  EXPECT_EQ(digest(texts("c")), digest(texts("c")));
  EXPECT_NE(digest(texts("c")), digest(texts("d")));
}

// Also behind a map, whose results nobody knows without calling it.
TEST(DataDigest, IsThatOfADatasetsArrays) {
  const auto batches = [](uint64_t seed, bool maps) {
    Dataset dataset = Dataset::from_tensor_slices({random_array({6, 3}, seed)}).shuffle(6);
    if (maps) dataset = dataset.map([](const Element& element) { return element; });
    return dataset.batch(4, {.drop_remainder = true});
  };
  for (const bool maps : {false, true}) {
    EXPECT_EQ(digest(batches(1, maps)), digest(batches(1, maps)));
    EXPECT_NE(digest(batches(1, maps)), digest(batches(2, maps)));
  }
}

// Ranks may have the same files in different folders.
TEST(DataDigest, IsThatOfFilesWithoutTheirFolder) {
  const auto digest_in = [](const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "a/deep");
    for (const std::string& name : names) write_file(folder / name, "x");
    const auto of_name = [](const Array&) { return Array::scalar<float>(1); };
    return digest(Dataset::list_files(folder / "a*/*/*", {.shuffle = false}).map(of_name).batch(2));
  };
  EXPECT_EQ(digest_in({"a/deep/1", "a/deep/2"}), digest_in({"a/deep/1", "a/deep/2"}));
  EXPECT_NE(digest_in({"a/deep/1", "a/deep/2"}), digest_in({"a/deep/1", "a/deep/3"}));
  EXPECT_EQ(digest_in({"a/deep/1"}), digest_in({"a/deep/1"}));
}

}  // namespace
}  // namespace stoker::nn
