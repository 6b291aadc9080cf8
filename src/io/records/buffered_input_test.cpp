#include "io/records/buffered_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "io/atomic_file.h"
#include "io/records/test_inputs.h"

namespace stoker {
namespace {

using Text = std::string_view;

TEST(BufferedInput, GivesTheSameBytesInAnyPieces) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (size_t step : {1, 2, 5, 100})
    for (size_t wanted : {1, 3, 8, 20}) {
      BufferedInput input = trickle_input(text, step, 6);
      std::string seen;
      for (;;) {
        const uint64_t offset = input.offset();
        const Text bytes = input.peek(wanted);
        EXPECT_EQ(offset, seen.size());
        if (bytes.empty()) break;
        EXPECT_GE(bytes.size(), std::min(wanted, text.size() - seen.size()));
        seen += bytes.substr(0, wanted);
        input.consume(std::min(wanted, bytes.size()));
      }
      EXPECT_EQ(seen, text);
    }
}

TEST(BufferedInput, AnOwnerKeepsWhatWasSeen) {
  BufferedInput input = trickle_input("abcdefghijklmnopqrstuvwxyz", 4, 4);
  std::vector<std::pair<Text, std::shared_ptr<const void>>> seen;
  for (Text bytes; !(bytes = input.peek(1)).empty(); input.consume(bytes.size()))
    seen.emplace_back(bytes, input.owner());
  std::string joined;
  for (const auto& [bytes, owner] : seen) joined += bytes;
  EXPECT_EQ(joined, "abcdefghijklmnopqrstuvwxyz");
}

TEST(BufferedInput, SkipsAndKnowsWhereItIs) {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789abcdef");
  for (const bool file : {true, false}) {
    BufferedInput input =
        file ? BufferedInput(open_source(folder / "a"), 4) : trickle_input("0123456789abcdef");
    EXPECT_EQ(input.peek(2).substr(0, 2), "01");
    EXPECT_EQ(input.skip(10), 10u);
    EXPECT_EQ(input.offset(), 10u);
    EXPECT_EQ(input.peek(3).substr(0, 3), "abc");
    EXPECT_EQ(input.skip(100), 6u);
    EXPECT_EQ(input.offset(), 16u);
    EXPECT_EQ(input.peek(1), "");
  }
}

// The buffer grows with the data read, not with the declared length.
TEST(BufferedInput, DoesNotBelieveALength) {
  BufferedInput input = trickle_input("abc");
  EXPECT_EQ(input.peek(BufferedInput::largest_record), "abc");
  BufferedInput other = trickle_input("abc");
  EXPECT_ERROR(other.peek(BufferedInput::largest_record + 1), "too large to be held in memory");
}

TEST(BufferedInput, ReadsPipes) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text(60000, 'x');  // a pipe's capacity is 65536
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), 60000);
  ::close(ends[1]);
  BufferedInput input = open_input(fmt::format("/proc/self/fd/{}", ends[0]));
  EXPECT_EQ(input.skip(1000), 1000u);
  EXPECT_EQ(input.peek(text.size()), text.substr(1000));
  ::close(ends[0]);
}

TEST(BufferedInput, NamesWhatItCannotRead) {
  const TemporaryFolder folder;
  EXPECT_ERROR(open_input(folder / "none"), "none\": No such file or directory.");
  EXPECT_ERROR(open_input(folder.path()), "it is a folder, not a file");
}

TEST(BufferedInput, AFileThatBecomesShorterIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string(100, 'x'));
  BufferedInput input(open_source(folder / "a"), 10);
  input.consume(input.peek(10).size());
  std::filesystem::resize_file(folder / "a", 50);
  EXPECT_EQ(input.peek(40).size(), 40u);
  input.consume(40);
  EXPECT_ERROR(input.peek(1), "it had 100 bytes when it was opened and became shorter. At ");
}

std::string unpack(std::string_view packed, Compression compression) {
  BufferedInput input = unpack_input(trickle_input(packed), compression);
  std::string out;
  for (Text bytes; !(bytes = input.peek(1)).empty(); input.consume(bytes.size())) out += bytes;
  return out;
}

TEST(Unpacked, ReadsGzipAndZlib) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i);
  EXPECT_EQ(unpack(compressed(text), Compression::automatic), text);
  EXPECT_EQ(unpack(compressed(text), Compression::gzip), text);
  EXPECT_EQ(unpack(compressed(text, 0), Compression::zlib), text);
  EXPECT_EQ(unpack("plain", Compression::automatic), "plain");
  EXPECT_EQ(unpack(compressed(""), Compression::gzip), "");
  const std::string two = compressed("one ") + compressed("two") + std::string(20, '\0');
  EXPECT_EQ(unpack(two, Compression::gzip), "one two");
}

TEST(Unpacked, RefusesEveryTruncationAndWhatFollows) {
  for (const int format : {16, 0}) {
    const Compression compression = format ? Compression::gzip : Compression::zlib;
    const std::string packed = compressed("some text, some text, some text", format);
    for (size_t size = 0; size < packed.size(); ++size)
      EXPECT_ERROR(unpack(packed.substr(0, size), compression),
                   fmt::format("cut short. At a, offset {}", size).c_str());
    EXPECT_ERROR(unpack(packed + "x", compression), "other bytes follow the compressed data");
    std::string damaged = packed;
    damaged[packed.size() - 6] ^= 1;
    EXPECT_ERROR(unpack(damaged, compression), "is damaged (");
  }
  EXPECT_ERROR(unpack("plain", Compression::gzip), "damaged (incorrect header check). At a");
}

}  // namespace
}  // namespace stoker
