#include <fmt/format.h>

#include "io/records/example.h"
#include "io/records/tar_reader.h"
#include "io/records/tfrecord_frame.h"
#include "io/records/tfrecord_reader.h"
#include "io/test_files.h"
#include "support/golden.h"

// Record files written by TensorFlow and Python's tarfile.
namespace stoker {
namespace {

const golden::Group& group() {
  static const golden::Group loaded = golden::load("records");
  return loaded;
}

Blob file_of(const Config& c) {
  const Array bytes = group().array(c, "file");
  return Blob::copy({bytes.raw(), bytes.bytes()}, golden::id(c));
}

template <class F>
void for_cases(const char* class_name, F f) {
  size_t count = 0;
  for (const Config& c : group().cases()) {
    if (c.find("class_name")->as_string() != class_name) continue;
    SCOPED_TRACE(golden::id(c));
    f(c);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return out;
}

TEST(GoldenRecords, TFRecordsAreTensorFlows) {
  for_cases("TFRecord", [](const Config& c) {
    const std::string type = c.find("compression_type")->as_string();
    TFRecordReader reader(unpack_input(BufferedInput(file_of(c)), type == "GZIP" ? Compression::gzip
                                                                  : type == "ZLIB"
                                                                      ? Compression::zlib
                                                                      : Compression::none));
    std::string_view record;
    std::string written;
    for (const Config& expected : c.find("records")->as_list()) {
      ASSERT_TRUE(reader.next(record));
      EXPECT_EQ(hex(record), expected.as_string());
      written += tfrecord::encode(record);
    }
    EXPECT_FALSE(reader.next(record));
    if (type.empty()) {
      EXPECT_EQ(written, file_of(c).text());
    }
  });
}

FeatureType type_named(const std::string& name) {
  return name == "bytes"     ? FeatureType::bytes
         : name == "float32" ? FeatureType::float32
                             : FeatureType::int64;
}

FeatureList default_of(const Config& value, FeatureType type) {
  std::vector<double> values;
  if (!value.is_list()) values.push_back(value.as_double());
  if (value.is_list())
    for (const Config& one : value.as_list()) values.push_back(one.as_double());
  if (type == FeatureType::float32) return std::vector<float>(values.begin(), values.end());
  return std::vector<int64_t>(values.begin(), values.end());
}

FeatureSpec spec_of(const Config& feature) {
  const std::string key = feature.find("key")->as_string();
  const FeatureType type = type_named(feature.find("dtype")->as_string());
  if (feature.find("shape")->is_null()) return VarLenFeature{key, type};
  FixedLenFeature spec{key, type};
  std::vector<int64_t> dims;
  for (const Config& dim : feature.find("shape")->as_list()) dims.push_back(dim.as_int());
  spec.shape = Shape(dims);
  const Config* value = feature.find("default_value");
  if (!value->is_null()) spec.default_value = default_of(*value, type);
  return spec;
}

std::vector<FeatureSpec> specs_of(const Config& c, const char* field) {
  std::vector<FeatureSpec> specs;
  for (const Config& feature : c.find(field)->as_list()) specs.push_back(spec_of(feature));
  return specs;
}

void expect_values(const FeatureValues& got, const Config& feature) {
  SCOPED_TRACE(feature.find("key")->as_string());
  const auto& values = feature.find("values")->as_list();
  std::visit(
      [&](const auto& list) {
        ASSERT_EQ(list.size(), values.size());
        for (size_t i = 0; i < list.size(); ++i) {
          using Value = std::decay_t<decltype(list[i])>;
          if constexpr (std::is_same_v<Value, std::string_view>)
            EXPECT_EQ(hex(list[i]), values[i].as_string());
          else if constexpr (std::is_same_v<Value, float>)
            EXPECT_EQ(list[i], static_cast<float>(values[i].as_double()));
          else
            EXPECT_EQ(list[i], values[i].as_int());
        }
      },
      got);
}

TEST(GoldenRecords, ExamplesAreReadAsByTensorFlow) {
  for_cases("Example", [](const Config& c) {
    const Blob record = file_of(c);
    std::vector<FeatureValues> out;
    ExampleParser(specs_of(c, "features")).parse(record.text(), out);
    for (size_t i = 0; i < out.size(); ++i) expect_values(out[i], c.find("features")->as_list()[i]);
  });
}

TEST(GoldenRecords, SequenceExamplesAreReadAsByTensorFlow) {
  for_cases("SequenceExample", [](const Config& c) {
    const Blob record = file_of(c);
    std::vector<FeatureValues> context;
    std::vector<SequenceValues> lists;
    SequenceExampleParser(specs_of(c, "context"), specs_of(c, "lists"))
        .parse(record.text(), context, lists);
    expect_values(context.at(0), c.find("context")->as_list()[0]);
    for (size_t i = 0; i < lists.size(); ++i) {
      const Config& expected = c.find("lists")->as_list()[i];
      expect_values(lists[i].values, expected);
      std::vector<size_t> lengths;
      for (const Config& length : expected.find("lengths")->as_list())
        lengths.push_back(static_cast<size_t>(length.as_int()));
      EXPECT_EQ(lists[i].lengths, lengths);
    }
  });
}

TEST(GoldenRecords, TarArchivesArePythons) {
  for_cases("tar", [](const Config& c) {
    TarReader tar(unpack_input(BufferedInput(file_of(c)), Compression::automatic));
    TarMember member;
    for (const Config& expected : c.find("members")->as_list()) {
      ASSERT_TRUE(tar.next(member));
      EXPECT_EQ(member.name, expected.as_list()[0].as_string());
      EXPECT_EQ(hex(tar.content()), expected.as_list()[1].as_string());
    }
    EXPECT_FALSE(tar.next(member));
  });
}

}  // namespace
}  // namespace stoker
