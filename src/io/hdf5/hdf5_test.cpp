#include "io/hdf5/hdf5.h"

#include <fmt/format.h>

#include <numeric>

#include "io/hdf5/hdf5_file.h"
#include "io/test_files.h"
#include "test_places.h"

namespace stoker {
namespace {

std::string fixture(const std::string& name) {
  return std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/hdf5/" + name;
}

std::vector<double> numbers(const H5Value& value) {
  std::vector<double> all;
  for (int64_t i = 0; i < value.numbers.size(); ++i) all.push_back(value.numbers.at(i));
  return all;
}

std::vector<double> ramp(size_t count) {
  std::vector<double> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string bytes_of(const H5Group& root) {
  std::string all;
  const H5Image image(root);
  for (const auto part : image.parts())
    all.append(reinterpret_cast<const char*>(part.data()), part.size());
  return all;
}

using Texts = std::vector<std::string>;

class KerasWeights : public ::testing::TestWithParam<const char*> {};

TEST_P(KerasWeights, IsReadFromEveryVersionOfTheFormat) {
  const H5Group root = load_hdf5(fixture(GetParam()));
  const H5Group* vars = root.find_group("layers/dense/vars");
  ASSERT_TRUE(vars);
  EXPECT_EQ(vars->attributes.at("name").texts, Texts{"dense"});
  const H5Value& kernel = vars->datasets.at("0").value;
  EXPECT_EQ(kernel.shape, (Shape{2, 3}));
  EXPECT_EQ(kernel.numbers.dtype(), DType::float32);
  EXPECT_EQ(numbers(kernel), ramp(6));
  const H5Dataset& bias = vars->datasets.at("1");
  EXPECT_EQ(bias.value.numbers.dtype(), DType::bfloat16);
  EXPECT_EQ(numbers(bias.value), (std::vector<double>{1, -2}));
  EXPECT_EQ(bias.attributes.at("dtype").texts, Texts{"bfloat16"});
  EXPECT_EQ(root.find_dataset("optimizer/vars/0")->value.numbers.at(0), 7);
  EXPECT_EQ(root.find_dataset("optimizer/vars/1"), nullptr);
  EXPECT_EQ(root.find_group("layers/dense/vars/0"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Versions, KerasWeights,
                         ::testing::Values("keras_weights", "keras_weights_1_8", "latest"));

TEST(Hdf5, ReadsLegacyNames) {
  const H5Group root = load_hdf5(fixture("legacy_weights"));
  EXPECT_EQ(root.attributes.at("layer_names").texts, (Texts{"dense", "a longer name"}));
  EXPECT_EQ(root.attributes.at("keras_version").texts, Texts{"2.4.0"});
  EXPECT_EQ(root.attributes.at("backend").texts, Texts{"tensorflow"});
  EXPECT_EQ(root.find_group("dense")->attributes.at("weight_names").texts, Texts{"dense/kernel:0"});
  EXPECT_EQ(root.find_group("a longer name")->attributes.at("weight_names").shape, Shape{0});
  EXPECT_EQ(numbers(root.find_dataset("dense/dense/kernel:0")->value), ramp(4));
}

TEST(Hdf5, ReadsEveryTypeOfNumber) {
  const H5Group root = load_hdf5(fixture("types"));
  const std::map<std::string, DType> expected{
      {"f2", DType::float16},     {"f4", DType::float32},   {"f8", DType::float64},
      {"i1", DType::int8},        {"i2", DType::int32},     {"i4", DType::int32},
      {"i8", DType::int64},       {"u1", DType::uint8},     {"u2", DType::int32},
      {"u4", DType::int64},       {"u8", DType::int64},     {"bool", DType::boolean},
      {"big_f4", DType::float32}, {"big_i8", DType::int64},
  };
  ASSERT_EQ(root.datasets.size(), expected.size());
  for (const auto& [name, dataset] : root.datasets) {
    EXPECT_EQ(dataset.value.numbers.dtype(), expected.at(name)) << name;
    EXPECT_EQ(numbers(dataset.value), (std::vector<double>{0, 1, 1, 0, 1, 0})) << name;
  }
}

TEST(Hdf5, ReadsEveryKindOfValue) {
  for (const char* name : {"values", "values_1_8"}) {
    const H5Group root = load_hdf5(fixture(name));
    EXPECT_EQ(root.attributes.at("integer").numbers.at(0), 3);
    EXPECT_EQ(root.attributes.at("matrix").shape, (Shape{2, 3}));
    EXPECT_EQ(root.attributes.at("flag").numbers.dtype(), DType::boolean);
    EXPECT_EQ(root.attributes.at("text").texts, Texts{"\xc3\xa9"});
    EXPECT_EQ(root.attributes.at("empty").texts, Texts{""});
    EXPECT_EQ(root.attributes.at("nothing").numbers.size(), 0);
    EXPECT_EQ(root.find_dataset("scalar")->value.numbers.at(0), 2.5);
    EXPECT_EQ(root.find_dataset("scalar")->value.shape, Shape{});
    EXPECT_EQ(root.find_dataset("none")->value.shape, (Shape{0, 3}));
    EXPECT_EQ(root.find_dataset("texts")->value.texts, (Texts{"a", "", "cc"}));
    EXPECT_EQ(root.find_dataset("fixed")->value.texts, (Texts{"abc", "d"}));
    EXPECT_EQ(root.find_dataset("compact")->value.numbers.at(0), 4);
  }
}

TEST(Hdf5, PutsChunksTogether) {
  for (const char* name : {"chunks", "chunks_1_8"}) {
    const H5Group root = load_hdf5(fixture(name));
    EXPECT_EQ(numbers(root.find_dataset("line")->value), ramp(10));
    EXPECT_EQ(root.find_dataset("cube")->value.shape, (Shape{5, 7, 3}));
    EXPECT_EQ(numbers(root.find_dataset("cube")->value), ramp(105));
    EXPECT_EQ(numbers(root.find_dataset("levels")->value), ramp(70));
  }
}

TEST(Hdf5, ReadsGroupsOfManyChildrenAndAttributes) {
  for (const char* name : {"many", "many_1_8"}) {
    const H5Group root = load_hdf5(fixture(name));
    ASSERT_EQ(root.datasets.size(), 40u);
    ASSERT_EQ(root.attributes.size(), 40u);
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(root.datasets.at(std::to_string(i)).value.numbers.at(0), i);
      EXPECT_EQ(root.attributes.at(fmt::format("attribute {}", i)).numbers.at(0), i);
    }
  }
}

TEST(Hdf5, RefusesWhatReachesOutOfTheFileOrHidesItsSize) {
  const std::map<std::string, std::string> expected{
      {"links", "\"soft\" is a soft link"},
      {"external_link", "\"external\" is an external or user-defined link"},
      {"cycle", "is reached twice"},
      {"compressed", "compressed or otherwise filtered"},
      {"unwritten", "declares 16 bytes and stores none"},
      {"virtual", "the dataset is virtual"},
      {"outside", "the dataset's data is in other files"},
      {"complex_numbers", "a datatype of class compound and 8 bytes is not read"}};
  for (const auto& [name, message] : expected) {
    EXPECT_ERROR(load_hdf5(fixture(name)), message);
    EXPECT_ERROR(load_hdf5(fixture(name)), "/" + name + ", offset ");
  }
}

H5Group every_kind() {
  H5Group root;
  root.attributes["title"] = "\xc3\xa9";
  root.attributes["list"] = Texts{"a", "", "cc"};
  root.add("texts", Texts{"x", "yy"});
  root.add("none", Array(DType::float32, {0, 3}));
  const Array flags = Array::from<int64_t>({0, 1, 1, 0, 1, 0}, {2, 3});
  int count = 0;
  for (DType dtype : {DType::float16, DType::float32, DType::float64, DType::int8, DType::int32,
                      DType::int64, DType::uint8, DType::boolean, DType::bfloat16})
    root.add(fmt::format("types/{}", count++), flags.astype(dtype));
  for (int i = 0; i < 300; ++i)
    root.add(fmt::format("many/{}", i), Array::scalar(static_cast<float>(i)));
  return root;
}

// tools/make_hdf5_corpus.py checks that h5py reads these bytes correctly. To change them, call
// save_hdf5(fixture("written"), every_kind()) and run it.
TEST(Hdf5, WritesTheSameBytesAsEver) {
  EXPECT_TRUE(bytes_of(every_kind()) == read_file(fixture("written")).text());
}

TEST(Hdf5, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  save_hdf5(folder / "a.h5", every_kind());
  const H5Group root = load_hdf5(folder / "a.h5");
  EXPECT_EQ(root.attributes.at("list").texts, (Texts{"a", "", "cc"}));
  EXPECT_EQ(root.find_dataset("none")->value.shape, (Shape{0, 3}));
  EXPECT_EQ(root.find_dataset("texts")->value.texts, (Texts{"x", "yy"}));
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(numbers(root.find_dataset(fmt::format("types/{}", i))->value),
              (std::vector<double>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(root.find_group("many")->datasets.size(), 300u);
  EXPECT_TRUE(bytes_of(root) == bytes_of(every_kind()));
}

TEST(Hdf5, WritesLongTextsAndManyOfThem) {
  H5Group root;
  const std::string config(200'000, 'x');
  root.attributes["model_config"] = config;
  Texts names;
  for (int i = 0; i < 4000; ++i) names.push_back(fmt::format("a_rather_long_layer_name_{}", i));
  root.attributes["layer_names"] = names;
  const H5Group read = parse_hdf5(blob_of(bytes_of(root)));
  EXPECT_EQ(read.attributes.at("model_config").texts, Texts{config});
  EXPECT_EQ(read.attributes.at("layer_names").texts, names);
  names.resize(5000);
  root.attributes["layer_names"] = names;
  EXPECT_ERROR(H5Image(root), "are possible");
}

TEST(Hdf5, RefusesToWriteWhatCannotBeRead) {
  H5Group root;
  root.groups["a/b"];
  EXPECT_ERROR(H5Image(root), "cannot be named \"a/b\"");
  root = {};
  root.groups["a"];
  root.add("a", "text");
  EXPECT_ERROR(H5Image(root), "\"a\" is both a group and a dataset");
  EXPECT_ERROR(root.add("a", "text"), "two datasets \"a\"");
}

TEST(Hdf5, AFullDiskLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  save_hdf5(folder / "a.h5", every_kind());
  H5Group changed = every_kind();
  changed.add("new", Array(DType::float32, {100, 100}));
  for (const rlim_t room : {0, 100, 10'000, 50'000}) {
    std::string error;
    {
      const FullDisk full(room);
      error = error_of([&] { save_hdf5(folder / "a.h5", changed); });
    }
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "File too large", error);
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_TRUE(bytes_of(load_hdf5(folder / "a.h5")) == bytes_of(every_kind()));
  }
}

TEST(Hdf5, RefusesEveryTruncation) {
  for (const char* name : {"keras_weights", "keras_weights_1_8", "legacy_weights"}) {
    const std::string whole(read_file(fixture(name)).text());
    for (size_t length = 0; length < whole.size(); ++length)
      EXPECT_ERROR(parse_hdf5(blob_of(whole.substr(0, length), "a.h5")), "a.h5, offset") << length;
    EXPECT_ERROR(parse_hdf5(blob_of(whole + "x", "a.h5")), "something was added to it");
  }
}

TEST(Hdf5, ProvesChecksums) {
  const std::string whole(read_file(fixture("keras_weights_1_8")).text());
  for (size_t at = whole.find("OHDR"); at != whole.npos; at = whole.find("OHDR", at + 1)) {
    std::string damaged = whole;
    damaged[at + 12] = static_cast<char>(damaged[at + 12] ^ 1);
    EXPECT_ERROR(parse_hdf5(blob_of(damaged)), "checksum differs");
  }
  EXPECT_EQ(h5::checksum({}), 0xdeadbeefu);
  const std::string_view text = "Four score and seven years ago";  // its author's own example
  EXPECT_EQ(h5::checksum(std::as_bytes(std::span(text))), 0x17770551u);
}

TEST(Hdf5, RefusesDepth) {
  H5Group root;
  std::string path = "a";
  for (int i = 0; i < 100; ++i) path += "/a";
  root.group(path);
  EXPECT_ERROR(parse_hdf5(blob_of(bytes_of(root))), "nested deeper than 64 levels");
}

}  // namespace
}  // namespace stoker
