#include "io/event_file.h"

#include <cstring>

#include "io/protobuf.h"
#include "io/records/test_inputs.h"
#include "io/test_files.h"

namespace stoker {
namespace {

TEST(Protobuf, WritesFields) {
  EXPECT_EQ(protobuf::varint(300), "\xac\x02");
  EXPECT_EQ(protobuf::field(1, 150), "\x08\x96\x01");
  EXPECT_EQ(protobuf::field(2, "testing"), "\x12\x07testing");
}

TEST(EventFile, HoldsWhatTensorBoardReads) {
  const TemporaryFolder folder;
  EventFile file(folder / "logs/train");
  file.add_scalar("epoch_loss", 0.5, 3);
  EXPECT_EQ(all_of(TFRecordReader(file.path())).size(), 1u);
  file.flush();
  const auto records = all_of(TFRecordReader(file.path()));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(std::string_view(records[0]).substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  EXPECT_EQ(std::string_view(records[1]).substr(9, 2), "\x10\x03");
  EXPECT_EQ(std::string_view(records[1]).substr(11),
            std::string_view("\x2a\x29\x0a\x27\x0a\x0a"
                             "epoch_loss"
                             "\x42\x0a\x08\x01\x12\0\x2a\x04\0\0\0\x3f"
                             "\x4a\x0d\x0a\x09\x0a\x07"
                             "scalars"
                             "\x20\x01",
                             43));
}

TEST(EventFile, NamesWhatCannotBeMade) {
  const TemporaryFolder folder;
  { EventFile(folder / "a"); }
  EXPECT_ERROR(EventFile("/proc/none"), "cannot create \"/proc/none/events.out.tfevents.");
}

// A float64 tensor of 30 rows (left, right, count), as the histogram plugin reads it.
std::vector<double> histogram_of(const Array& values) {
  const TemporaryFolder folder;
  EventFile file(folder / "logs");
  file.add_histogram("w/histogram", values, 2);
  file.flush();
  const auto records = all_of(TFRecordReader(file.path()));
  const std::string_view text = records.at(1);
  const std::string_view before("\x08\x02\x12\x08\x12\x02\x08\x1e\x12\x02\x08\x03\x22\xd0\x05", 15);
  const size_t at = text.find(before);
  EXPECT_NE(at, text.npos);
  EXPECT_NE(text.find("histograms"), text.npos);
  std::vector<double> numbers(90);
  std::memcpy(numbers.data(), text.data() + at + before.size(), 90 * sizeof(double));
  return numbers;
}

TEST(EventFile, CountsValuesInThirtyParts) {
  std::vector<float> ramp;
  for (int i = 0; i <= 60; ++i) ramp.push_back(static_cast<float>(i));
  const auto rows = histogram_of(Array::from(ramp, {61}));
  EXPECT_EQ(rows[0], 0);
  EXPECT_EQ(rows[1], 2);
  EXPECT_EQ(rows[2], 2);  // 0 and 1
  EXPECT_EQ(rows[87], 58);
  EXPECT_EQ(rows[88], 60);
  EXPECT_EQ(rows[89], 3);  // 58, 59 and the maximum
  const auto same = histogram_of(Array::from<float>({7, 7, 7}, {3}));
  EXPECT_EQ(same[0], 7);
  EXPECT_EQ(same[2], 0);
  EXPECT_EQ(same[88], 7);
  EXPECT_EQ(same[89], 3);
}

}  // namespace
}  // namespace stoker
