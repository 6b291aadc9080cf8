#include "io/text/csv.h"

#include <cmath>

#include "io/test_files.h"

namespace stoker {
namespace {

Array parse(std::string_view text, const CsvOptions& options = {}) {
  return parse_csv(blob_of(text, "d.csv"), options);
}

std::vector<double> values(const Array& array) {
  std::vector<double> out;
  for (int64_t i = 0; i < array.size(); ++i) out.push_back(array.at(i));
  return out;
}

using Values = std::vector<double>;

TEST(Csv, ReadsNumbersWithAndWithoutAHeader) {
  for (const char* text : {"1,2.5\n-3,+4e2\n", "x,y\n1,2.5\n-3,+4e2",
                           "\xef\xbb\xbfx,y\r\n1, 2.5 \r\n\r\n-3,400\r\n"}) {
    const Array array = parse(text);
    EXPECT_EQ(array.type(), (TensorType{DType::float32, {2, 2}})) << text;
    EXPECT_EQ(values(array), (Values{1, 2.5, -3, 400})) << text;
  }
}

TEST(Csv, ChoosesColumnsByNameAndPlace) {
  const char* text = "id,\"a, \"\"b\"\"\",label\nx7,1,2\nx8,3,4\n";
  EXPECT_EQ(values(parse(text, {.columns = {"label", 1}})), (Values{2, 1, 4, 3}));
  EXPECT_EQ(values(parse(text, {.columns = {"a, \"b\""}})), (Values{1, 3}));
  EXPECT_EQ(values(parse(text, {.columns = {-1}})), (Values{2, 4}));
  EXPECT_EQ(values(parse("5\"x,y\n1,2\n", {.columns = {"5\"x"}})), (Values{1}));
  EXPECT_ERROR(parse(text, {.columns = {"lable"}}), "\"d.csv\" has no column \"lable\".");
  EXPECT_ERROR(parse(text, {.columns = {"lable"}}), "did you mean \"label\"?");
  EXPECT_ERROR(parse(text, {.columns = {3}}), "column 3 of \"d.csv\", which has 3 columns");
  EXPECT_ERROR(parse("1,2\n", {.columns = {"a"}, .header = false}), "read without a header");
}

TEST(Csv, AsksWhenTheFirstRowIsAMixture) {
  EXPECT_ERROR(parse("5.1,setosa\n"), "both numbers and words, such as \"setosa\". At d.csv:1:5");
  EXPECT_EQ(values(parse("a,2020\n1,2\n", {.header = true})), (Values{1, 2}));
  EXPECT_EQ(values(parse("5.1,setosa\n", {.columns = {0}})), (Values{5.1f}));
}

TEST(Csv, ReadsQuotedFieldsAndLineBreaksInThem) {
  EXPECT_EQ(values(parse("\"x\ny\",z\n\"1\",\"2\"\n", {.columns = {"x\ny", "z"}})), (Values{1, 2}));
  EXPECT_ERROR(parse("1,\"2\n3,4\n"), "never closed. At d.csv:1:3");
  EXPECT_ERROR(parse("1,\"2\"3\n"), "closing quote. At d.csv:1:6");
}

TEST(Csv, NamesThePlaceOfABadField) {
  EXPECT_ERROR(parse("a,b\n1,2\n3,x4\n"), "\"x4\" is not a number. At d.csv:3:3");
  EXPECT_ERROR(parse("a,b\n1,2\n3\n"), "1 fields in this row, 2 in the first. At d.csv:3:1");
  EXPECT_ERROR(parse("a,b\n1,\n"), "an empty field. At d.csv:2:3");
  EXPECT_ERROR(parse("1e39\n"), "1e39 does not fit into float32");
  EXPECT_ERROR(parse(""), "the file is empty");
  EXPECT_ERROR(parse("a,b\n"), "no row follows the header");
}

TEST(Csv, ReadsMissingValuesIfAllowed) {
  const Array array = parse("a,b\n1,\n,2\n", {.allow_missing = true});
  EXPECT_TRUE(std::isnan(array.at(1)) && std::isnan(array.at(2)));
  EXPECT_EQ(array.at(3), 2);
  EXPECT_ERROR(parse("1,\n", {.allow_missing = true, .dtype = DType::int32}),
               "integers have no NaN");
}

TEST(Csv, KeepsIntegersExact) {
  const Array array = parse("9007199254740993\n", {.dtype = DType::int64});
  EXPECT_EQ(array.data<int64_t>()[0], 9007199254740993);
  EXPECT_EQ(parse("255\n", {.dtype = DType::uint8}).data<uint8_t>()[0], 255);
  EXPECT_ERROR(parse("256\n", {.dtype = DType::uint8}), "256 does not fit into uint8");
  EXPECT_ERROR(parse("1.5\n", {.dtype = DType::int32}), "\"1.5\" is not an integer");
  EXPECT_ERROR(parse("1\n", {.dtype = DType::boolean}), "cannot be read as bool");
}

TEST(Csv, ReadsOtherDelimiters) {
  EXPECT_EQ(values(parse("1\t2\n", {.delimiter = '\t'})), (Values{1, 2}));
}

}  // namespace
}  // namespace stoker
