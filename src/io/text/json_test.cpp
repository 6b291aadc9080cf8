#include <fmt/format.h>

#include <cmath>

#include "io/test_files.h"
#include "stoker/io.h"

namespace stoker {
namespace {

TEST(Json, ReadsEveryKindInOrder) {
  const Config config = parse_json(
      R"({"z": [1, -2, 2.0, true, null], "a": {"text": "\u00e9\n\"", "empty": {}, "none": []}})");
  EXPECT_EQ(config, Config::map({{"z", Config::List{1, -2, 2.0, true, Config()}},
                                 {"a", Config::map({{"text", "\xc3\xa9\n\""},
                                                    {"empty", Config::map()},
                                                    {"none", Config::List{}}})}}));
  EXPECT_TRUE(config.find("z")->as_list()[0].is_int());
  EXPECT_FALSE(config.find("z")->as_list()[2].is_int());
}

TEST(Json, ReadsBackWhatConfigWrites) {
  const Config config = Config::map({{"b", 1.0},
                                     {"a", Config::List{1e-7, 0.1, 1e300, -3.0, 7}},
                                     {"quoted \"key\"\n", Config()},
                                     {"big", int64_t{9007199254740993}}});
  EXPECT_EQ(parse_json(config.to_string()), config);
}

TEST(Json, AScalarIsADocument) { EXPECT_EQ(parse_json(" 3 ").as_int(), 3); }

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_ERROR(parse_json("{\"a\": 1,\n \"a\": 2}", "c.json"), "\"a\" occurs twice. At c.json:2:");
  EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])").as_list().size(), 2u);
}

TEST(Json, RefusesDeepNesting) {
  const auto nested = [](size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(parse_json(nested(64)).is_list());
  EXPECT_ERROR(parse_json(nested(65), "c.json"), "nested deeper than 64 levels. At c.json:1:65");
  EXPECT_ERROR(parse_json(std::string(1'000'000, '[')), "nested deeper");
}

TEST(Json, SaysWhereItStopsBeingJson) {
  EXPECT_ERROR(parse_json("{\"a\": 1,\n \"b\": }", "c.json"),
               "this is not JSON: a value is expected here, at '}'");
  EXPECT_ERROR(parse_json("{\"a\": 1,\n \"b\": }", "c.json"), "At c.json:2:7");
  EXPECT_ERROR(parse_json("", "c.json"), "At c.json:1:1");
  EXPECT_ERROR(parse_json("1 2", "c.json"), "At c.json:1:3");
  EXPECT_ERROR(parse_json("\"\xff\""), "this is not JSON");
  for (const char* text : {"",
                           "{",
                           "[",
                           "[1",
                           "[1,]",
                           "[,1]",
                           "{,}",
                           "{\"a\"}",
                           "{\"a\":1,}",
                           "{1:2}",
                           "1e999",
                           "tru",
                           "nan",
                           "Inf",
                           "-",
                           "+1",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "0x1",
                           "'a'",
                           "\"",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\n\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\xe2\x82\"",
                           "[1}",
                           "1 2",
                           "[] x",
                           "// x\n1"})
    EXPECT_NE(error_of([&] { parse_json(text); }), "no error") << text;
}

TEST(Json, ReadsAndWritesPythonsNumbersThatAreNone) {
  const Config config = parse_json("[NaN, Infinity, -Infinity]");
  EXPECT_TRUE(std::isnan(config.as_list()[0].as_double()));
  EXPECT_EQ(config.as_list()[1].as_double(), HUGE_VAL);
  EXPECT_EQ(config.as_list()[2].as_double(), -HUGE_VAL);
  EXPECT_EQ(config.to_string(), "[NaN, Infinity, -Infinity]");
  EXPECT_ERROR(config.as_list()[1].as_int(), "expected an integer");
}

TEST(Json, ReadsNumbersExactly) {
  EXPECT_EQ(parse_json("0.0010000000474974513").as_double(), 0.0010000000474974513);
  EXPECT_EQ(parse_json("1e-400").as_double(), 0.0);
  EXPECT_EQ(parse_json("4.9e-324").as_double(), 4.9e-324);
  EXPECT_EQ(parse_json("-0.5E+2").as_double(), -50.0);
  EXPECT_EQ(parse_json("-12").as_int(), -12);
}

TEST(Json, ReadsEscapesAndEveryLengthOfUtf8) {
  EXPECT_EQ(parse_json(R"("\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00")").as_string(),
            "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(parse_json("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"").as_string(),
            "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Json, RefusesIntegersBeyond64Bits) {
  EXPECT_EQ(parse_json("9223372036854775807").as_int(), INT64_MAX);
  EXPECT_ERROR(parse_json("9223372036854775808"), "does not fit");
}

}  // namespace
}  // namespace stoker
