#include "stoker/io.h"

#include <stdlib.h>

#include "io/atomic_file.h"
#include "io/test_files.h"

namespace stoker {
namespace {

TEST(LoadArray, KnowsFilesByContentAndExtension) {
  const TemporaryFolder folder;
  save_npy(folder / "anything", Array::scalar(1.0f));
  EXPECT_EQ(load_array(folder / "anything").at(0), 1);
  write_file(folder / "a.csv", "2\n");
  EXPECT_EQ(load_array(folder / "a.csv").at(0), 2);
  write_file(folder / "a.tsv", "3\t4\n");
  EXPECT_EQ(load_array(folder / "a.tsv").shape(), (Shape{1, 2}));
  write_file(folder / "a.idx", std::string("\0\0\x08\1\0\0\0\1\5", 9));
  EXPECT_EQ(load_array(folder / "a.idx").at(0), 5);
  write_file(folder / "a.png", "\x89PNG");
  EXPECT_ERROR(load_array(folder / "a.png"), "is not a known kind of array file");
}

TEST(LoadJsonAndToml, NameTheFile) {
  const TemporaryFolder folder;
  write_file(folder / "a.json", "{\"a\": 1}");
  EXPECT_EQ(load_json(folder / "a.json").find("a")->as_int(), 1);
  write_file(folder / "a.toml", "a = ");
  EXPECT_ERROR(load_toml(folder / "a.toml"), (folder / "a.toml") + ":1:");
}

TEST(FashionMnist, NamesThePackageIfAbsent) {
  const TemporaryFolder folder;
  ::setenv("STOKER_DATASETS", folder.path().c_str(), 1);
  const std::string error = error_of([] { datasets::fashion_mnist(); });
  ::unsetenv("STOKER_DATASETS");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "apt-get install dataset-fashion-mnist", error);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, folder / "fashion-mnist", error);
}

TEST(FashionMnist, ReadsTheDistributionsFiles) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const datasets::Dataset data = datasets::fashion_mnist();
  EXPECT_EQ(data.x_train.type(), (TensorType{DType::uint8, {60000, 28, 28}}));
  EXPECT_EQ(data.y_train.type(), (TensorType{DType::uint8, {60000}}));
  EXPECT_EQ(data.x_test.type(), (TensorType{DType::uint8, {10000, 28, 28}}));
  EXPECT_EQ(data.y_test.at(0), 9);  // the first test image is an ankle boot
  std::vector<int> counts(10);
  for (uint8_t label : data.y_train.data<uint8_t>()) ++counts.at(label);
  EXPECT_EQ(counts, std::vector<int>(10, 6000));
}

}  // namespace
}  // namespace stoker
