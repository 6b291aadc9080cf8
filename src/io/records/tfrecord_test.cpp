#include <filesystem>
#include <fstream>

#include "io/atomic_file.h"
#include "io/records/test_inputs.h"
#include "io/records/tfrecord_frame.h"
#include "io/records/tfrecord_reader.h"
#include "io/records/tfrecord_writer.h"

namespace stoker {
namespace {

using tfrecord::encode;
using Strings = std::vector<std::string>;

// Made with tf.io.TFRecordWriter.
const std::string hello("\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello\xbb\x1f\x1c\x19", 21);

TEST(TFRecord, IsWhatTensorFlowWrites) {
  EXPECT_EQ(encode("hello"), hello);
  const std::string file = hello + encode("") + hello;
  EXPECT_EQ(all_of(TFRecordReader(memory_input(file))), (Strings{"hello", "", "hello"}));
  EXPECT_EQ(all_of(TFRecordReader(trickle_input(file))), (Strings{"hello", "", "hello"}));
  EXPECT_EQ(all_of(TFRecordReader(memory_input(""))), Strings{});
}

TEST(TFRecord, RefusesEveryTruncationAndChange) {
  for (size_t i = 1; i < hello.size(); ++i)
    for (auto* input : {+[](std::string_view text) { return memory_input(text); },
                        +[](std::string_view text) { return trickle_input(text); }}) {
      EXPECT_ERROR(all_of(TFRecordReader(input(hello.substr(0, i)))), "the file is cut short");
      EXPECT_ERROR(TFRecordReader(input(hello.substr(0, i))).skip(1), "the file is cut short");
      std::string damaged = hello;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      EXPECT_ERROR(all_of(TFRecordReader(input(damaged))), "its checksum differs");
    }
}

TEST(TFRecord, ErrorsNameTheRecord) {
  TFRecordReader reader(memory_input(hello + hello.substr(0, 15)));
  std::string_view record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(reader.place(), "a, offset 0, in record 0");
  EXPECT_ERROR(reader.next(record), "needs 21 bytes, 15 are left. At a, offset 21, in record 1.");
  EXPECT_FALSE(reader.next(record));
}

TEST(TFRecord, GoesOnBehindADamagedRecordButNotBehindADamagedLength) {
  std::string file = hello + encode("two") + encode("three");
  file[21 + 13] ^= 1;
  TFRecordReader reader(memory_input(file));
  std::string_view record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_ERROR(reader.next(record), "a record is damaged");
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(record, "three");
  file[21] ^= 1;
  TFRecordReader other(memory_input(file));
  EXPECT_TRUE(other.next(record));
  EXPECT_ERROR(other.next(record), "length is damaged: its checksum differs. No later record");
  EXPECT_FALSE(other.next(record));
}

TEST(TFRecord, SkipsWithoutReading) {
  std::string file;
  for (int i = 0; i < 10; ++i) file += encode(std::to_string(i));
  file[12] = 'x';  // its checksum is not verified
  for (const bool memory : {true, false}) {
    TFRecordReader reader(memory ? memory_input(file) : trickle_input(file));
    std::string_view record;
    EXPECT_EQ(reader.skip(4), 4u);
    EXPECT_TRUE(reader.next(record));
    EXPECT_EQ(record, "4");
    EXPECT_EQ(reader.skip(100), 5u);
    EXPECT_EQ(reader.position(), 10u);
    EXPECT_FALSE(reader.next(record));
  }
}

TEST(TFRecord, ReadsCompressedFiles) {
  const TemporaryFolder folder;
  const std::string file = hello + encode(std::string(1000, 'x'));
  write_file(folder / "g", compressed(file));
  write_file(folder / "z", compressed(file, 0));
  const Strings expected{"hello", std::string(1000, 'x')};
  EXPECT_EQ(all_of(TFRecordReader(folder / "g", "GZIP")), expected);
  EXPECT_EQ(all_of(TFRecordReader(folder / "z", "ZLIB")), expected);
  EXPECT_ERROR(all_of(TFRecordReader(folder / "g")),
               "Hint: it looks compressed: set compression_type to \"GZIP\".");
  EXPECT_ERROR(all_of(TFRecordReader(folder / "z")), "set compression_type to \"ZLIB\".");
  EXPECT_ERROR(TFRecordReader(folder / "g", "zip"), "compression_type \"zip\"");
  const std::string packed = compressed(file);
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_ERROR(all_of(TFRecordReader(
                     unpack_input(memory_input(packed.substr(0, size)), Compression::gzip))),
                 "cut short. At a, offset ");
}

// Nothing of the declared size is allocated, and it can still be skipped.
TEST(TFRecord, ARecordMayBeLargerThanMemory) {
  const TemporaryFolder folder;
  constexpr uint64_t size = uint64_t{5} << 30;
  std::ofstream(folder / "a", std::ios::binary) << tfrecord::header(size);
  std::filesystem::resize_file(folder / "a", size + 16);
  std::ofstream(folder / "a", std::ios::binary | std::ios::app) << hello;
  std::string_view record;
  EXPECT_ERROR(TFRecordReader(folder / "a").next(record),
               "a record of 5368709124 bytes is too large");
  TFRecordReader reader(folder / "a");
  EXPECT_EQ(reader.skip(1), 1u);
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(record, "hello");
}

TEST(TFRecord, TheWriterLeavesAWholeFileOrNone) {
  const TemporaryFolder folder;
  { TFRecordWriter(folder / "a").write("lost"); }
  EXPECT_EQ(folder.files(), 0u);
  TFRecordWriter writer(folder / "a");
  Strings expected;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back(std::string(static_cast<size_t>(i), 'x'));
    writer.write(expected.back());
  }
  EXPECT_EQ(writer.records(), 3000u);
  writer.close();
  EXPECT_EQ(all_of(TFRecordReader(folder / "a")), expected);
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace stoker
