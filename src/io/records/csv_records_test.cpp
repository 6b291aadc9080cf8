#include "io/records/csv_records.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/records/test_inputs.h"

namespace stoker {
namespace {

using Values = std::vector<CsvValue>;
using Rows = std::vector<Values>;

Rows rows_of(BufferedInput input, const CsvRecordOptions& options = {}) {
  CsvRecords records(std::move(input), options);
  Rows rows;
  for (Values row; records.next(row);) rows.push_back(row);
  return rows;
}

void expect_rows(std::string_view text, const Rows& expected,
                 const CsvRecordOptions& options = {}) {
  EXPECT_EQ(rows_of(memory_input(text), options), expected);
  for (size_t step : {1, 5, 100})
    for (size_t chunk : {1, 9, 50})
      EXPECT_EQ(rows_of(trickle_input(text, step, chunk), options), expected);
  EXPECT_EQ(rows_of(unpack_input(memory_input(compressed(text)), Compression::automatic), options),
            expected);
}

CsvValue text(const char* value) { return std::string(value); }
CsvValue whole(int64_t value) { return value; }

TEST(CsvRecords, TypesAreInferred) {
  const char* file =
      "\xef\xbb\xbfid,size,\"name, \"\"q\"\"\"\n1, 2.5,red\r\n\n-3,4e2,\"a "
      "\"\"b\"\"\nc,\"\n7,1,5\"x\n";
  const Rows expected{{whole(1), 2.5f, text("red")},
                      {whole(-3), 400.0f, text("a \"b\"\nc,")},
                      {whole(7), 1.0f, text("5\"x")}};
  expect_rows(file, expected);
  const CsvRecords records(memory_input(file));
  EXPECT_EQ(records.columns()[0].type, CsvType::int64);
  EXPECT_EQ(records.columns()[1].type, CsvType::float32);
  EXPECT_EQ(records.columns()[2].name, "name, \"q\"");
  EXPECT_EQ(records.columns()[2].type, CsvType::string);
}

TEST(CsvRecords, ColumnsAreChosenByName) {
  expect_rows("a,b,c\n1,2,3\n4,5,6", {{whole(3), whole(1)}, {whole(6), whole(4)}},
              {.columns = {"c", "a"}});
  expect_rows("1;2\n3;4\n", {{2.0f}, {4.0f}},
              {.columns = {"y"},
               .names = {"x", "y"},
               .types = {{"y", CsvType::float32}},
               .delimiter = ';'});
  EXPECT_ERROR(CsvRecords(memory_input("label\n"), {.columns = {"lable"}}),
               "\"a\" has no column \"lable\". Hint: did you mean \"label\"?");
  EXPECT_ERROR(CsvRecords(memory_input("x\n"), {.types = {{"y", CsvType::string}}}),
               "no column \"y\"");
  EXPECT_ERROR(CsvRecords(memory_input("x,x\n")), "two columns are called \"x\"");
  EXPECT_ERROR(CsvRecords(memory_input("")), "the file is empty");
  expect_rows("only,a,header", {});
}

TEST(CsvRecords, MissingValues) {
  const char* file = "i,f,s\n1,,x\n2,1.5,\n";
  EXPECT_ERROR(rows_of(memory_input(file)),
               "nothing in column \"f\". At a:2:3, in row 0. Hint: give it a default");
  expect_rows(file, {{whole(1), 7.0f, text("x")}, {whole(2), 1.5f, text("")}},
              {.defaults = {{"f", 7.0f}}});
  expect_rows("i,s\n?,a\n2,?\n", {{whole(-1), text("a")}, {whole(2), text("none")}},
              {.na_value = "?", .defaults = {{"i", whole(-1)}, {"s", text("none")}}});
  const Rows rows = rows_of(memory_input("a\n1\n\"\"\n"), {.allow_missing = true});
  EXPECT_TRUE(std::isnan(std::get<float>(rows.at(1).at(0))));
  EXPECT_ERROR(CsvRecords(memory_input(file), {.defaults = {{"i", 1.0f}}}),
               "the default of column \"i\" has another type");
}

TEST(CsvRecords, BehindAWrongRowTheNextFollows) {
  const char* file = "a,b\n1,2\n3\n\"x\"y,4\n5,z\n6,7\n";
  for (const bool memory : {true, false}) {
    CsvRecords records(memory ? memory_input(file) : trickle_input(file), {.infer_rows = 1});
    Values row;
    ASSERT_TRUE(records.next(row));
    EXPECT_ERROR(records.next(row), "1 fields in this row, 2 in the header. At a:3:1, in row 1.");
    EXPECT_ERROR(records.next(row), "closing quote. At a:4:4, in row 2.");
    EXPECT_ERROR(
        records.next(row),
        "\"z\" in column \"b\" is not an integer. At a:5:3, in row 3. Hint: its type was inferred");
    ASSERT_TRUE(records.next(row));
    EXPECT_EQ(row, (Values{whole(6), whole(7)}));
    EXPECT_FALSE(records.next(row));
    EXPECT_EQ(records.position(), 5u);
  }
  EXPECT_ERROR(rows_of(trickle_input("a\n1\n\"2\n3\n")), "never closed. At a:3:1, in row 1.");
  EXPECT_ERROR(rows_of(memory_input("a\n1e39\n"), {.types = {{"a", CsvType::float32}}}),
               "does not fit into float32");
}

TEST(CsvRecords, SkipsRowsWithoutReadingThem) {
  const char* file = "a\n0\nx\n\"2\"2\n\"3\n3\"\n4\n";
  CsvRecords records(trickle_input(file), {.types = {{"a", CsvType::int64}}});
  Values row;
  EXPECT_EQ(records.skip(4), 4u);
  ASSERT_TRUE(records.next(row));
  EXPECT_EQ(row, Values{whole(4)});
  EXPECT_EQ(records.skip(4), 0u);
}

// Every truncation gives whole rows or an error.
TEST(CsvRecords, EveryTruncationGivesTheRowsBeforeIt) {
  const std::string file = "a,b\n1,\"x\"\n2,\"y\"\n";
  const std::string packed = compressed(file);
  for (size_t size = 0; size < file.size(); ++size) {
    const auto run = [&](BufferedInput input) {
      Rows rows;
      const std::string error = error_of([&] { rows = rows_of(std::move(input)); });
      return std::pair(rows, error);
    };
    const auto [rows, error] = run(memory_input(file.substr(0, size)));
    EXPECT_EQ(run(trickle_input(file.substr(0, size))), std::pair(rows, error));
    EXPECT_LE(rows.size(), 2u);
  }
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_ERROR(rows_of(unpack_input(memory_input(packed.substr(0, size)), Compression::gzip)),
                 "cut short");
}

}  // namespace
}  // namespace stoker
