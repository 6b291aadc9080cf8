#include "io/arrays/safetensors.h"

#include <fmt/format.h>

#include "io/test_files.h"

namespace stoker {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

SafeTensors parse(const std::string& header, const std::string& data) {
  return parse_safetensors(blob_of(file_of(header, data), "w.safetensors"));
}

TEST(SafeTensors, KeepsEveryDTypeNameOrderAndMetadata) {
  const TemporaryFolder folder;
  NamedArrays saved;
  for (int i = 0; i < num_dtypes; ++i)
    saved.emplace_back(fmt::format("layer/{} \"{}\"", i, name_of(static_cast<DType>(i))),
                       Array::from<float>({0, 1, 1}, {3, 1}).astype(static_cast<DType>(i)));
  saved.emplace_back("empty", Array(DType::float32, {0, 4}));
  saved.emplace_back("scalar", Array::scalar(2.5));
  save_safetensors(folder / "w", saved, {{"format", "stoker"}, {"step", "12"}});
  const SafeTensors loaded = load_safetensors(folder / "w");
  EXPECT_EQ(loaded.metadata.at("step"), "12");
  ASSERT_EQ(loaded.tensors.size(), saved.size());
  for (size_t i = 0; i < saved.size(); ++i) {
    const auto& [name, array] = loaded.tensors[i];
    EXPECT_EQ(name, saved[i].first);
    ASSERT_EQ(array.type(), saved[i].second.type());
    for (int64_t k = 0; k < array.size(); ++k)
      EXPECT_EQ(array.at(k), saved[i].second.at(k)) << name;
  }
}

TEST(SafeTensors, HeaderIsPaddedAndDataAligned) {
  const TemporaryFolder folder;
  save_safetensors(folder / "w",
                   {{"b", Array(DType::uint8, {3})}, {"f", Array(DType::float64, {2})}});
  const Blob file = read_file(folder / "w");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const Config header = parse_json(file.text().substr(8, length));
  EXPECT_EQ(header.find("f")->find("data_offsets")->to_string(), "[0, 16]");
  EXPECT_EQ(header.find("b")->find("data_offsets")->to_string(), "[16, 19]");
}

TEST(SafeTensors, ReadsTensorsInAnyOrderOfTheirData) {
  const SafeTensors file = parse(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},)"
                                 R"("a":{"dtype":"U16","shape":[],"data_offsets":[0,2]}}   )",
                                 "\1\1\7");
  EXPECT_EQ(file.tensors[0].first, "b");
  EXPECT_EQ(file.tensors[0].second.at(0), 7);
  EXPECT_EQ(file.tensors[1].second.at(0), 257);
}

TEST(SafeTensors, RefusesHolesOverlapsAndTrailingData) {
  const auto two = [](int begin, int end, const std::string& data) {
    return parse(fmt::format(R"({{"a":{{"dtype":"U8","shape":[2],"data_offsets":[0,2]}},)"
                             R"("b":{{"dtype":"U8","shape":[2],"data_offsets":[{},{}]}}}})",
                             begin, end),
                 data);
  };
  EXPECT_EQ(two(2, 4, "1234").tensors.size(), 2u);
  EXPECT_ERROR(two(3, 5, "12345"), "begins at 3, not at 2");
  EXPECT_ERROR(two(1, 3, "123"), "begins at 1, not at 2");
  EXPECT_ERROR(two(2, 5, "12345"), "ends at 4, its data_offsets say 5");
  EXPECT_ERROR(two(2, 4, "12345"), "1 bytes follow");
  EXPECT_ERROR(two(2, 4, "123"), "cut short");
  EXPECT_ERROR(two(4, 2, "1234"), "no valid data_offsets");
}

TEST(SafeTensors, RefusesBadHeaders) {
  EXPECT_ERROR(parse("[]", ""), "does not begin with '{'");
  EXPECT_ERROR(parse(" {}", ""), "does not begin with '{'");
  EXPECT_ERROR(parse("{", ""), "this is not JSON");
  EXPECT_ERROR(parse(R"({"a":{"dtype":"U8","shape":[1]}})", "1"),
               "needs dtype, shape and data_offsets");
  EXPECT_ERROR(parse(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "1"),
               "unknown dtype");
  EXPECT_ERROR(parse(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "1"),
               "not a count");
  EXPECT_ERROR(
      parse(R"({"a":{"dtype":"U8","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", ""),
      "impossible");
  EXPECT_ERROR(parse(R"({"a":{},"a":{}})", ""), "occurs twice");
  EXPECT_ERROR(parse(R"({"__metadata__":{"a":1}})", ""), "is not a string");
  EXPECT_ERROR(parse(R"({"a":3})", ""), "needs dtype");
  EXPECT_ERROR(parse_safetensors(blob_of("\xff\xff\xff\xff\xff\xff\xff\xff{}")), "are supported");
  EXPECT_ERROR(parse_safetensors(blob_of("1234")), "cut short");
}

TEST(SafeTensors, RefusesNamesItCannotKeepApart) {
  const Array one = Array::scalar(1.0f);
  EXPECT_ERROR(save_safetensors("/nowhere", {{"a", one}, {"a", one}}), "\"a\" is used twice");
  EXPECT_ERROR(save_safetensors("/nowhere", {{"__metadata__", one}}), "is reserved");
}

}  // namespace
}  // namespace stoker
