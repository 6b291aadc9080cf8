#include "io/records/text_lines.h"

#include <gtest/gtest.h>

#include "io/records/test_inputs.h"

namespace stoker {
namespace {

using Strings = std::vector<std::string>;

Strings lines_of(BufferedInput input) {
  TextLineReader lines(std::move(input));
  Strings out;
  for (std::string_view line; lines.next(line);) out.emplace_back(line);
  EXPECT_EQ(lines.position(), out.size());
  return out;
}

void expect_lines(std::string_view text, const Strings& expected) {
  EXPECT_EQ(lines_of(memory_input(text)), expected);
  for (size_t step : {1, 3, 100})
    for (size_t chunk : {1, 4, 100})
      EXPECT_EQ(lines_of(trickle_input(text, step, chunk)), expected);
  EXPECT_EQ(lines_of(unpack_input(memory_input(compressed(text)), Compression::automatic)),
            expected);
}

TEST(TextLines, EndWithOrWithoutCarriageReturn) {
  expect_lines("", {});
  expect_lines("\n", {""});
  expect_lines("a", {"a"});
  expect_lines("one\ntwo\r\n\r\nthree\rhalf\nlast line",
               {"one", "two", "", "three\rhalf", "last line"});
  expect_lines("a\r\nb\r\n", {"a", "b"});
  expect_lines("a\nb\r", {"a", "b\r"});
}

TEST(TextLines, LinesMayBeLongerThanTheBuffer) {
  const std::string line(1000, 'x');
  expect_lines(line + "\n" + line + line, {line, line + line});
}

TEST(TextLines, Skips) {
  TextLineReader lines(trickle_input("0\n1\n2\n3\n4"));
  std::string_view line;
  EXPECT_EQ(lines.skip(3), 3u);
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "3");
  EXPECT_EQ(lines.skip(3), 1u);
  EXPECT_FALSE(lines.next(line));
}

TEST(TextLines, OfAGzipFileCutShortAreAnErrorWithTheLine) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "\n";
  const std::string packed = compressed(text);
  for (size_t size = 2; size < packed.size(); ++size) {
    TextLineReader lines(
        unpack_input(memory_input(packed.substr(0, size)), Compression::automatic));
    EXPECT_ERROR(lines.skip(51), "cut short. At a, offset ");
    EXPECT_EQ(lines.skip(1), 0u);
  }
}

// Whether or not the damage is found in the same call of zlib.
TEST(TextLines, AllThatIsGoodComesBeforeDamage) {
  std::string packed = compressed("one\ntwo\n");
  packed[packed.size() - 6] ^= 1;  // the checksum
  for (const bool memory : {true, false}) {
    TextLineReader lines(unpack_input(memory ? memory_input(packed) : trickle_input(packed, 1),
                                      Compression::automatic));
    std::string_view line;
    EXPECT_TRUE(lines.next(line));
    EXPECT_TRUE(lines.next(line));
    EXPECT_EQ(line, "two");
    EXPECT_ERROR(lines.next(line), "damaged (incorrect data check). At a, offset ");
  }
}

}  // namespace
}  // namespace stoker
