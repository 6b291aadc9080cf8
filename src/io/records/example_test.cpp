#include "io/records/example.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/little_endian.h"
#include "io/protobuf.h"
#include "io/records/test_inputs.h"

namespace stoker {
namespace {

using protobuf::field;
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;
using Views = std::vector<std::string_view>;
constexpr FeatureType bytes = FeatureType::bytes, float32 = FeatureType::float32,
                      int64 = FeatureType::int64;

std::vector<FeatureValues> parse(std::string_view example, const std::vector<FeatureSpec>& specs) {
  std::vector<FeatureValues> out;
  ExampleParser(specs).parse(example, out);
  return out;
}

const Features photo{{"label", Ints{3}},
                     {"image", Strings{std::string("\0jpeg", 5)}},
                     {"weights", Floats{0.5f, -1, 2}},
                     {"ids", Ints{-1, 300, std::numeric_limits<int64_t>::min()}}};

TEST(Example, ReadsWhatWasWritten) {
  const std::string record = serialize_example(photo);
  const auto out =
      parse(record, {FixedLenFeature{"weights", float32, {3}}, FixedLenFeature{"image", bytes},
                     VarLenFeature{"ids", int64}, VarLenFeature{"none", float32}});
  EXPECT_EQ(std::get<Floats>(out[0]), (Floats{0.5f, -1, 2}));
  EXPECT_EQ(std::get<Views>(out[1]), (Views{std::string_view("\0jpeg", 5)}));
  EXPECT_EQ(std::get<Ints>(out[2]), (Ints{-1, 300, std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(std::get<Floats>(out[3]), Floats{});
  EXPECT_EQ(array_of(out[0], {3}).type(), (TensorType{DType::float32, {3}}));
  EXPECT_EQ(array_of(out[2], {3, 1}).at(1), 300);
}

TEST(Example, UsesItsMemoryAgain) {
  const ExampleParser parser(
      {VarLenFeature{"label", int64}, FixedLenFeature{"x", float32, {2}, Floats{1}}});
  std::vector<FeatureValues> out;
  for (int round = 0; round < 2; ++round) {
    parser.parse(serialize_example(photo), out);
    EXPECT_EQ(std::get<Ints>(out[0]), Ints{3});
    EXPECT_EQ(std::get<Floats>(out[1]), (Floats{1, 1}));
  }
  parser.parse("", out);
  EXPECT_EQ(std::get<Ints>(out[0]), Ints{});
}

TEST(Example, MissingFeaturesTakeTheirDefaultOrAreErrors) {
  const std::string record = serialize_example(photo);
  const ExampleParser parser({FixedLenFeature{"t", bytes, {2}, Strings{"a", "b"}}});
  std::vector<FeatureValues> out;
  parser.parse(record, out);
  EXPECT_EQ(std::get<Views>(out[0]), (Views{"a", "b"}));
  EXPECT_ERROR(parse(record, {FixedLenFeature{"lable", int64}}),
               "feature \"lable\" is missing and has no default. Hint:");
  const std::string unset =
      field(1, field(1, field(1, "x") + field(2, "")));  // a Feature of no kind
  EXPECT_EQ(std::get<Ints>(parse(unset, {FixedLenFeature{"x", int64, {}, Ints{4}}})[0]), Ints{4});
  EXPECT_ERROR(parse(unset, {FixedLenFeature{"x", int64}}), "\"x\" is missing");
}

TEST(Example, WrongTypesAndCountsAreErrors) {
  const std::string record = serialize_example({{"x", Ints{1, 2, 3}}});
  EXPECT_ERROR(parse(record, {FixedLenFeature{"x", float32, {3}}}),
               "\"x\" has int64 values, not the requested float32. At byte 2 of the message.");
  EXPECT_ERROR(parse(record, {FixedLenFeature{"x", int64, {2, 2}}}),
               "\"x\" has 3 values, shape (2, 2) needs 4");
  EXPECT_ERROR(ExampleParser({VarLenFeature{"x"}, VarLenFeature{"x"}}), "\"x\" is requested twice");
  EXPECT_ERROR(ExampleParser({FixedLenFeature{"x", int64, {-1}}}),
               "Hint: VarLenFeature takes any number");
  EXPECT_ERROR(ExampleParser({FixedLenFeature{"x", int64, {3}, Ints{1, 2}}}),
               "has 2 values as its default, shape (3,) has 3");
  EXPECT_ERROR(ExampleParser({FixedLenFeature{"x", int64, {}, Floats{1}}}),
               "is of int64 but its default of float32");
}

// Written by hand: unpacked values, the key after the value, unknown fields.
TEST(Example, ReadsUnpackedAndUnknownFields) {
  const auto fixed32 = [](float value) {
    return std::string("\x0d") + little_endian(std::bit_cast<uint32_t>(value));
  };
  const std::string unknown = field(9, 7) + protobuf::double_field(8, 1.0) + field(7, "x");
  const std::string floats = field(2, unknown + fixed32(1) + fixed32(2) +
                                          field(1, little_endian(std::bit_cast<uint32_t>(3.0f))));
  const std::string ints =
      field(3, field(1, 5) + field(1, protobuf::varint(6) + protobuf::varint(7)));
  const auto entry = [&](const char* key, const std::string& feature) {
    return field(1, field(2, feature + unknown) + field(1, key));
  };
  const std::string record =
      unknown + field(1, entry("f", floats)) + field(1, unknown + entry("i", ints));
  const auto out = parse(record, {VarLenFeature{"f", float32}, VarLenFeature{"i", int64}});
  EXPECT_EQ(std::get<Floats>(out[0]), (Floats{1, 2, 3}));
  EXPECT_EQ(std::get<Ints>(out[1]), (Ints{5, 6, 7}));
  const auto last = parse(field(1, entry("i", ints) + entry("i", field(3, field(1, 1)))),
                          {VarLenFeature{"i", int64}});
  EXPECT_EQ(std::get<Ints>(last[0]), Ints{1});
}

TEST(Example, DamageIsAnErrorWithItsPlace) {
  const std::vector<FeatureSpec> specs{VarLenFeature{"x", int64}};
  EXPECT_ERROR(parse("\x0a\x05", specs),
               "it is cut short: 5 bytes are needed, 0 are left. At byte 2 of the message");
  EXPECT_ERROR(parse(std::string("\0\0", 2), specs), "a field of number 0");
  EXPECT_ERROR(parse("\x0b", specs), "wire type 3, which nothing here has. At byte 1");
  EXPECT_ERROR(parse("\x08\x01", specs), "field 1 has wire type 0 instead of 2. At byte 0");
  EXPECT_ERROR(parse("\x10" + std::string(11, '\xff'), specs), "a number of more than ten bytes");
  EXPECT_ERROR(parse("\x10\xff", specs), "cut short inside a number");
}

// An Example has one field, so no truncation of it is valid.
TEST(Example, RefusesEveryTruncation) {
  const std::string record = serialize_example(photo);
  for (size_t size = 1; size < record.size(); ++size)
    EXPECT_ERROR(parse(record.substr(0, size), {}), "cut short");
}

struct Sequence {
  std::vector<FeatureValues> context;
  std::vector<SequenceValues> lists;
};
Sequence parse_sequence(std::string_view record, std::vector<FeatureSpec> context,
                        std::vector<FeatureSpec> lists) {
  Sequence out;
  SequenceExampleParser(std::move(context), std::move(lists)).parse(record, out.context, out.lists);
  return out;
}

TEST(SequenceExample, ReadsContextAndLists) {
  const std::string record = serialize_sequence_example(
      {{"id", Ints{7}}}, {{"words", {Strings{"a"}, Strings{"b", "c"}, Strings{}}},
                          {"xy", {Floats{1, 2}, Floats{3, 4}}}});
  const Sequence out =
      parse_sequence(record, {FixedLenFeature{"id", int64}},
                     {VarLenFeature{"words", bytes}, FixedLenFeature{"xy", float32, {2}},
                      VarLenFeature{"none", int64}});
  EXPECT_EQ(std::get<Ints>(out.context[0]), Ints{7});
  EXPECT_EQ(std::get<Views>(out.lists[0].values), (Views{"a", "b", "c"}));
  EXPECT_EQ(out.lists[0].lengths, (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(std::get<Floats>(out.lists[1].values), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(out.lists[1].lengths, (std::vector<size_t>{2, 2}));
  EXPECT_TRUE(out.lists[2].lengths.empty());
  EXPECT_ERROR(parse_sequence(record, {}, {FixedLenFeature{"words", bytes}}),
               "\"words\" has 2 values in step 1, shape () needs 1. At byte ");
  EXPECT_ERROR(parse_sequence(record, {}, {FixedLenFeature{"id", int64}}),
               "\"id\" is missing among the lists");
  EXPECT_ERROR(parse_sequence(record, {FixedLenFeature{"xy", float32}}, {}),
               "\"xy\" is missing and has no default");
}

}  // namespace
}  // namespace stoker
