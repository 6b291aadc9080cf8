#include "stoker/record_datasets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "data/sources/braces.h"
#include "data/stage.h"
#include "io/atomic_file.h"
#include "io/records/example.h"
#include "io/records/test_inputs.h"
#include "io/records/tfrecord_frame.h"
#include "stoker/example.h"

namespace stoker {
namespace {

using Strings = std::vector<std::string>;

Strings texts_of(const Dataset& dataset) {
  Strings all;
  for (const Element& element : dataset)
    for (const Array& array : element.arrays())
      for (const std::string& text : array.texts()) all.push_back(text);
  return all;
}

std::string tfrecords(const Strings& records) {
  std::string file;
  for (const std::string& record : records) file += tfrecord::encode(record);
  return file;
}

// "a0", "a1", …
Strings named(const std::string& name, int count) {
  Strings all;
  for (int i = 0; i < count; ++i) all.push_back(name + std::to_string(i));
  return all;
}

struct ThreeFiles {
  ThreeFiles() {
    for (const auto& [name, count] : {std::pair{"a", 3}, {"b", 1}, {"c", 4}}) {
      files.push_back(folder / (std::string(name) + ".tfrecord"));
      write_file(files.back(), tfrecords(named(name, count)));
    }
  }
  TemporaryFolder folder;
  Strings files;
};

const Strings in_order{"a0", "a1", "a2", "b0", "c0", "c1", "c2", "c3"};

TEST(TFRecordDataset, GivesRecordsFileAfterFile) {
  const ThreeFiles three;
  const auto records = TFRecordDataset(three.files);
  EXPECT_EQ(to_string(records.element_spec()), "string()");
  EXPECT_EQ(records.cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(texts_of(records), in_order);
  EXPECT_EQ(texts_of(records.skip(2)), Strings(in_order.begin() + 2, in_order.end()));
  EXPECT_EQ(texts_of(records.skip(4).take(3)), Strings(in_order.begin() + 4, in_order.end() - 1));
  EXPECT_EQ(texts_of(records.batch(3)), in_order);
  std::vector<int64_t> sizes;
  for (const Element& batch : records.batch(3)) sizes.push_back(batch.array().length());
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 3, 2}));
  EXPECT_EQ(texts_of(records.batch(3, {.drop_remainder = true})).size(), 6u);
  EXPECT_EQ(texts_of(records.batch(3).skip(1)), Strings(in_order.begin() + 3, in_order.end()));
  EXPECT_EQ(texts_of(records.repeat(3).skip(17)), Strings(in_order.begin() + 1, in_order.end()));
  EXPECT_EQ(texts_of(records.repeat(2).skip(16)), Strings());
  EXPECT_EQ(texts_of(records.repeat().skip(30).take(2)),
            Strings(in_order.begin() + 6, in_order.end()));
}

// tf.data's order: round-robin over the files, one record each; a file that ends is replaced by the
// next.
TEST(TFRecordDataset, ReadingIsMeasured) {
  const ThreeFiles three;
  for (const Dataset& dataset :
       {TFRecordDataset(three.files), TFRecordDataset(three.files).batch(3)}) {
    EXPECT_EQ(texts_of(dataset).size(), 8u);
    const StageStatistics source = dataset.statistics().stages.front();
    EXPECT_GE(source.elements, 8);
    EXPECT_GT(source.seconds_per_element, 0);
  }
}

TEST(TFRecordDataset, ReadsSeveralFilesInTurn) {
  const ThreeFiles three;
  EXPECT_EQ(texts_of(TFRecordDataset(three.files, {.num_parallel_reads = 2})),
            (Strings{"a0", "b0", "a1", "a2", "c0", "c1", "c2", "c3"}));
  EXPECT_EQ(texts_of(TFRecordDataset(three.files, {.num_parallel_reads = 3}).batch(3)),
            (Strings{"a0", "b0", "c0", "a1", "c1", "a2", "c2", "c3"}));
}

TEST(TFRecordDataset, SaysWhichFileAndRecordIsDamaged) {
  const ThreeFiles three;
  std::string bytes = tfrecords(named("c", 4));
  bytes[bytes.size() / 4 * 2 + tfrecord::header_bytes] ^= 1;
  write_file(three.files[2], bytes);
  const auto records = TFRecordDataset(three.files);
  EXPECT_ERROR(texts_of(records), "c.tfrecord");
  EXPECT_ERROR(texts_of(records), "element 6 of TFRecordDataset, created");
  EXPECT_ERROR(texts_of(records.batch(3)), "record 2");
  EXPECT_ERROR(TFRecordDataset(three.folder / "d.tfrecord"), "is not there");
  EXPECT_ERROR(TFRecordDataset(three.folder.path()), "is a folder");
  EXPECT_ERROR(TFRecordDataset(Strings{}), "no file given");
  EXPECT_ERROR(TFRecordDataset(three.files, {.compression_type = "LZ4"}), "LZ4");
  EXPECT_ERROR(TFRecordDataset(three.files, {.num_parallel_reads = 0}), "num_parallel_reads");
  std::filesystem::remove(three.files[1]);
  EXPECT_ERROR(texts_of(records), "b.tfrecord");
}

// Reading continues after a damaged record and loses only that one, also when reading rows of a
// batch.
TEST(TFRecordDataset, LosesOnlyTheDamagedRecord) {
  const TemporaryFolder folder;
  std::string bytes = tfrecords(named("r", 5));
  bytes[bytes.size() / 5 * 1 + tfrecord::header_bytes] ^= 1;
  write_file(folder / "r.tfrecord", bytes);
  const auto batches = TFRecordDataset(folder / "r.tfrecord").batch(4);
  const auto cursor = batches.stage()->open({});
  Element batch;
  EXPECT_THROW(cursor->next(batch), IoError);
  ASSERT_TRUE(cursor->next(batch));
  EXPECT_EQ(batch.array().texts(), (Strings{"r0", "r2", "r3", "r4"}));
}

// Also if a thread has read further.
TEST(TFRecordDataset, GivesTheRecordsBeforeADamagedOneFirst) {
  const TemporaryFolder folder;
  std::string bytes = tfrecords(named("r", 5));
  bytes[bytes.size() / 5 * 3 + tfrecord::header_bytes] ^= 1;
  write_file(folder / "r.tfrecord", bytes);
  write_file(folder / "empty.tfrecord", "");
  const Dataset ahead = TFRecordDataset(Strings{folder / "r.tfrecord", folder / "empty.tfrecord"},
                                        {.num_parallel_reads = 2});
  EXPECT_EQ(texts_of(ahead.take(3)), named("r", 3));
  EXPECT_ERROR(texts_of(ahead), "record 3");
  const auto quiet = [](int64_t, const Error&) {};
  EXPECT_EQ(texts_of(ahead.ignore_errors({.report = quiet})), (Strings{"r0", "r1", "r2", "r4"}));
}

// As tf.data gives them, which refuses a file of a wrong length before its first record.
TEST(FixedLengthRecordDataset, GivesRecordsBetweenHeaderAndFooter) {
  const TemporaryFolder folder;
  write_file(folder / "a", "HHabcdefF");
  write_file(folder / "b", "HHF");
  write_file(folder / "c", "HHghF");
  const Strings files{folder / "a", folder / "b", folder / "c"};
  const FixedLengthArgs args{.header_bytes = 2, .footer_bytes = 1};
  const Dataset all = FixedLengthRecordDataset(files, 2, args);
  const Strings want{"ab", "cd", "ef", "gh"};
  EXPECT_EQ(texts_of(all), want);
  EXPECT_EQ(texts_of(all.skip(1)), Strings(want.begin() + 1, want.end()));
  EXPECT_EQ(texts_of(all.batch(3)), want);
  EXPECT_EQ(texts_of(FixedLengthRecordDataset(folder / "a", 3)), (Strings{"HHa", "bcd", "efF"}));
  EXPECT_EQ(texts_of(FixedLengthRecordDataset(
                Strings{files[0], files[2]}, 2,
                {.header_bytes = 2, .footer_bytes = 1, .num_parallel_reads = 2})),
            (Strings{"ab", "gh", "cd", "ef"}));
  write_file(folder / "z", compressed("HHabcdefF"));
  EXPECT_EQ(
      texts_of(FixedLengthRecordDataset(
          folder / "z", 2, {.header_bytes = 2, .footer_bytes = 1, .compression_type = "GZIP"})),
      (Strings{"ab", "cd", "ef"}));
  const Dataset wrong = FixedLengthRecordDataset(folder / "a", 4, args);
  EXPECT_EQ(texts_of(wrong.take(1)), Strings{"abcd"});
  EXPECT_ERROR(texts_of(wrong), "3 bytes are left, but a record has 4 and the footer 1");
  EXPECT_ERROR(texts_of(wrong), "record 1");
  EXPECT_ERROR(texts_of(FixedLengthRecordDataset(folder / "b", 2, {.header_bytes = 9})),
               "the file has 3 bytes, fewer than the header's 9");
  EXPECT_ERROR(FixedLengthRecordDataset(folder / "a", 0), "record_bytes must be positive");
  EXPECT_ERROR(FixedLengthRecordDataset(folder / "a", 2, {.compression_type = "LZ4"}), "LZ4");
}

TEST(TFRecordDataset, UnpacksGzip) {
  const TemporaryFolder folder;
  write_file(folder / "z", compressed(tfrecords(in_order)));
  EXPECT_EQ(texts_of(TFRecordDataset(folder / "z", {.compression_type = "GZIP"})), in_order);
}

TEST(TextLineDataset, GivesLinesOfAllFiles) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "one\ntwo\r\n\nfour");
  write_file(folder / "b.txt", compressed("five\n"));
  const auto lines = TextLineDataset({folder / "a.txt", folder / "b.txt"});
  EXPECT_EQ(texts_of(lines), (Strings{"one", "two", "", "four", "five"}));
  EXPECT_EQ(texts_of(lines.skip(1).batch(3)), (Strings{"two", "", "four", "five"}));
  EXPECT_EQ(
      texts_of(TextLineDataset({folder / "a.txt", folder / "b.txt"}, {.num_parallel_reads = 2})),
      (Strings{"one", "five", "two", "", "four"}));
}

TEST(ListFiles, MatchesPatternsInOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"b1.txt", "a2.txt", "a1.txt", "c.csv"}) write_file(folder / name, "x");
  const auto names = [&](const Dataset& dataset) {
    Strings all;
    for (const std::string& path : texts_of(dataset))
      all.push_back(std::filesystem::path(path).filename());
    return all;
  };
  const Strings sorted{"a1.txt", "a2.txt", "b1.txt"};
  EXPECT_EQ(names(Dataset::list_files(folder / "*.txt", {.shuffle = false})), sorted);
  EXPECT_EQ(
      names(Dataset::list_files({folder / "a?.txt", folder / "[a-b]1.txt"}, {.shuffle = false})),
      sorted);
  Strings shuffled = names(Dataset::list_files(folder / "*.txt", {.seed = 3}));
  EXPECT_EQ(shuffled, names(Dataset::list_files(folder / "*.txt", {.seed = 3})));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, sorted);
  EXPECT_ERROR(Dataset::list_files(folder / "*.png"), "no file matches");
}

TEST(ParseExample, GivesTablesOfFeatures) {
  const Strings records{
      serialize_example({{"id", std::vector<int64_t>{7}},
                         {"xy", std::vector<float>{1, 2}},
                         {"tags", Strings{"a", "b"}}}),
      serialize_example({{"id", std::vector<int64_t>{8}}, {"xy", std::vector<float>{3, 4}}})};
  const ExampleFeatures features{FixedLenFeature{"id", FeatureType::int64},
                                 FixedLenFeature{"xy", FeatureType::float32, {2}},
                                 VarLenFeature{"tags", FeatureType::bytes}};
  const auto serialized = Dataset::from_tensor_slices(Array::strings(records, {2}));
  const auto parsed =
      serialized.map([=](const Array& record) { return parse_single_example(record, features); });
  EXPECT_EQ(to_string(parsed.element_spec()), "{id: int64(), xy: float32(2,), tags: string(2,)}");
  for (const Element& batch : parsed.padded_batch(2)) {
    EXPECT_EQ(batch["id"].array().at(1), 8);
    EXPECT_EQ(batch["xy"].array().at(2), 3);
    EXPECT_EQ(batch["tags"].array().texts(), (Strings{"a", "b", "", ""}));
  }
  const ExampleFeatures fixed{FixedLenFeature{"xy", FeatureType::float32, {2}}};
  const Element batch = parse_example(Array::strings(records, {2}), fixed);
  EXPECT_EQ(to_string(spec_of(batch)), "{xy: float32(2, 2)}");
  EXPECT_EQ(batch["xy"].array().at(3), 4);
  EXPECT_ERROR(parse_example(Array::strings(records, {2}), features), "\"tags\" may have another");
  EXPECT_ERROR(parse_single_example(Array::strings(records, {2}), fixed), "takes one string");
  EXPECT_ERROR(parse_single_example(Array::scalar(1.0f), fixed), "asked for its strings");
}

TEST(Braces, ExpandAsInBash) {
  using data::expand_braces;
  EXPECT_EQ(expand_braces("s-{008..010}.tar"), (Strings{"s-008.tar", "s-009.tar", "s-010.tar"}));
  EXPECT_EQ(expand_braces("{2..1}{x,}"), (Strings{"2x", "2", "1x", "1"}));
  EXPECT_EQ(expand_braces("a{b}c{1..2"), (Strings{"a{b}c{1..2"}));
  EXPECT_ERROR(expand_braces("{0..99999999999}"), "more than");
}

// A tar archive of regular files.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  for (const auto& [name, content] : files) {
    std::string header(512, '\0');
    name.copy(header.data(), 100);
    fmt::format("{:011o}", content.size()).copy(header.data() + 124, 11);
    header[156] = '0';
    header.replace(257, 6, "ustar\0", 6);
    header.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    fmt::format("{:06o}", sum).copy(header.data() + 148, 6);
    header[154] = '\0';
    archive += header + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

TEST(WebDataset, GivesSamplesOfShards) {
  const TemporaryFolder folder;
  write_file(folder / "s-0.tar",
             tar_of({{"x1.txt", "hello"}, {"x1.cls", "3\n"}, {"x2.txt", "you"}, {"x2.cls", "4"}}));
  write_file(folder / "s-1.tar", tar_of({{"y.txt", "there"}, {"y.cls", "no"}}));
  const auto all = webdataset(folder / "s-{0..1}.tar");
  EXPECT_EQ(to_string(all.element_spec()), "{__key__: string(), txt: string(), cls: int64()}");
  for (const Element& batch : all.take(2).batch(2)) {
    EXPECT_EQ(batch["__key__"].array().texts(), (Strings{"x1", "x2"}));
    EXPECT_EQ(batch["cls"].array().at(1), 4);
  }
  EXPECT_ERROR(all.as_list(), "\"y.cls\" is not a class number");
  EXPECT_ERROR(all.as_list(), "element 2 of webdataset");
  const auto raw = webdataset(folder / "s-{0..1}.tar", {.extensions = {"cls"}, .decode = false});
  EXPECT_EQ(texts_of(raw), (Strings{"x1", "3\n", "x2", "4", "y", "no"}));
  EXPECT_EQ(texts_of(raw.skip(2)), (Strings{"y", "no"}));
  EXPECT_ERROR(webdataset(folder / "s-0.tar", {.extensions = {"jpg"}}).as_list(),
               "sample \"x1\" has no part \"jpg\", only txt, cls");
  EXPECT_EQ(texts_of(webdataset(folder / "s-{0..1}.tar",
                                {.extensions = {"txt"}, .num_parallel_reads = 2})),
            (Strings{"x1", "hello", "y", "there", "x2", "you"}));
}

}  // namespace
}  // namespace stoker
