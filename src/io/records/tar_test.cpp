#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "io/records/tar_reader.h"
#include "io/records/test_inputs.h"
#include "io/records/webdataset_reader.h"

namespace stoker {
namespace {

using Texts = std::vector<std::string>;

std::string with_checksum(std::string block) {
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<uint8_t>(c);
  block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return block;
}

std::string header(const std::string& name, uint64_t size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, 11, fmt::format("{:011o}", size));
  block[156] = type;
  block.replace(257, 8, std::string("ustar\00000", 8));
  return with_checksum(block);
}

std::string member(const std::string& name, const std::string& content, char type = '0') {
  return header(name, content.size(), type) + content +
         std::string((512 - content.size() % 512) % 512, '\0');
}

std::string pax(const std::string& line, char type = 'x') { return member("pax", line, type); }

const std::string end(1024, '\0');

Texts members_of(BufferedInput input) {
  TarReader tar(std::move(input));
  Texts out;
  for (TarMember member; tar.next(member);)
    out.push_back(member.name + "=" + std::string(tar.content()));
  return out;
}

void expect_members(const std::string& archive, const Texts& expected) {
  EXPECT_EQ(members_of(memory_input(archive)), expected);
  EXPECT_EQ(members_of(trickle_input(archive, 100, 300)), expected);
  EXPECT_EQ(members_of(unpack_input(memory_input(compressed(archive)), Compression::automatic)),
            expected);
}

TEST(Tar, ReadsRegularFilesOnly) {
  expect_members(member("a", "1") + member("folder/", "", '5') + header("link", 7, '2') +
                     member("b/c", std::string(600, 'x')) + member("empty", "") + end,
                 {"a=1", "b/c=" + std::string(600, 'x'), "empty="});
  expect_members(end, {});
}

TEST(Tar, ReadsLongNames) {
  const std::string name = std::string(90, 'd') + "/" + std::string(200, 'n');
  expect_members(
      member("././@LongLink", name + '\0', 'L') + member("short", "1") + member("b", "2") + end,
      {name + "=1", "b=2"});
  const std::string line = " path=" + name + "\n";
  expect_members(pax(std::to_string(line.size() + 3) + line) + member("short", "1") + end,
                 {name + "=1"});
  std::string block = header("name", 0);
  block.replace(345, 6, "prefix");
  expect_members(with_checksum(block) + end, {"prefix/name="});
}

TEST(Tar, APaxSizeCounts) {
  expect_members(pax("20 comment=whatever\n", 'g') + pax("9 size=3\n") + header("a", 0) + "abc" +
                     std::string(509, '\0') + end,
                 {"a=abc"});
  EXPECT_ERROR(members_of(memory_input(pax("11 size=3\n") + end)),
               "a line's length is wrong. At a, offset 0, in member 0.");
  EXPECT_ERROR(members_of(memory_input(pax("10 size=x\n") + end)), "\"x\" is not a size");
  EXPECT_ERROR(members_of(memory_input(pax("25 GNU.sparse.size=10000\n") + end)), "a sparse file");
  EXPECT_ERROR(members_of(memory_input(member("s", "", 'S') + end)), "\"s\" is a sparse file");
}

TEST(Tar, PassesOverMembersOfMoreThanEightGibibytes) {
  const TemporaryFolder folder;
  constexpr uint64_t size = (uint64_t{9} << 30) + 5;
  std::string block = header("large", 0);
  block.replace(124, 12, std::string("\x80\0\0\0\0\0\0\x02\x40\0\0\x05", 12));
  std::ofstream(folder / "a.tar", std::ios::binary) << with_checksum(block);
  std::filesystem::resize_file(folder / "a.tar", 512 + (size + 511) / 512 * 512);
  std::ofstream(folder / "a.tar", std::ios::binary | std::ios::app) << member("small", "1") + end;
  TarReader tar(folder / "a.tar");
  TarMember found;
  ASSERT_TRUE(tar.next(found));
  EXPECT_EQ(found.size, size);
  ASSERT_TRUE(tar.next(found));
  EXPECT_EQ(found.name + std::string(tar.content()), "small1");
  EXPECT_FALSE(tar.next(found));
}

TEST(Tar, RefusesEveryTruncationAndChangeOfAHeader) {
  const std::string archive = member("a", "12345") + member("b", "6") + end;
  for (size_t size = 0; size <= 2048; ++size) {
    EXPECT_ERROR(members_of(memory_input(archive.substr(0, size))), "cut short");
    if (size % 50 == 0) {
      EXPECT_ERROR(members_of(trickle_input(archive.substr(0, size))), "cut short");
    }
  }
  for (size_t i = 0; i < 512; ++i) {
    std::string damaged = archive;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    if (i < 154 || i >= 156) {  // the checksum's terminator is not covered by it
      EXPECT_ERROR(members_of(memory_input(damaged)), "its checksum differs") << i;
    }
  }
  EXPECT_ERROR(members_of(memory_input(std::string(600, 'x'))), "Hint: is it a tar archive?");
}

TEST(Tar, ReadsJoinedArchives) {
  expect_members(member("a", "1") + end + member("b", "2") + end, {"a=1", "b=2"});
}

TEST(Tar, SkipsAndNamesPlaces) {
  TarReader tar(
      trickle_input(member("a", "1") + member("b", "2") + member("c", "3") + end, 99, 99));
  TarMember found;
  EXPECT_EQ(tar.skip(2), 2u);
  ASSERT_TRUE(tar.next(found));
  EXPECT_EQ(tar.content(), "3");
  EXPECT_EQ(tar.place(), "a, offset 2048 (\"c\"), in member 2");
  EXPECT_EQ(tar.skip(2), 0u);
}

Texts samples_of(BufferedInput input) {
  WebDatasetReader reader{TarReader(std::move(input))};
  std::vector<WebSample> samples;  // kept: their owners hold the bytes
  for (WebSample sample; reader.next(sample);) samples.push_back(sample);
  Texts out;
  for (const WebSample& sample : samples) {
    out.push_back(sample.key + ":");
    for (const auto& part : sample.parts)
      out.back() += " " + part.extension + "=" + std::string(part.bytes);
  }
  return out;
}

TEST(WebDataset, GroupsMembersByTheirKey) {
  const std::string archive = member("__index__/0.cls", "x") + member("a/0.JPG", "one") +
                              member("a/0.cls", "1") + member("readme", "x") +
                              member("a/._1.jpg", "x") + member("a.b/1.seg.png", "two") +
                              member("a.b/1.cls", "2") + member("2.cls", "3") + end;
  const Texts expected{"a/0: jpg=one cls=1", "a.b/1: seg.png=two cls=2", "2: cls=3"};
  EXPECT_EQ(samples_of(memory_input(archive)), expected);
  EXPECT_EQ(samples_of(trickle_input(archive, 70, 700)), expected);
  WebDatasetReader reader{TarReader(memory_input(archive))};
  WebSample sample;
  EXPECT_EQ(reader.skip(1), 1u);
  ASSERT_TRUE(reader.next(sample));
  EXPECT_EQ(sample.find("cls")->bytes, "2");
  EXPECT_EQ(sample.find("jpg"), nullptr);
  EXPECT_EQ(reader.skip(5), 1u);
  EXPECT_EQ(reader.position(), 3u);
}

TEST(WebDataset, NamesTheSampleOfAnError) {
  const std::string archive =
      member("0.cls", "1") + member("1.cls", "1") + member("1.cls", "2") + end;
  EXPECT_ERROR(samples_of(memory_input(archive)),
               "sample \"1\" has two files \".cls\". At a, offset 2048 (\"1.cls\"), in member 2, "
               "in sample 1.");
  for (size_t size = 0; size < archive.size() - 1023; size += 7)
    EXPECT_ERROR(samples_of(memory_input(archive.substr(0, size))), "cut short");
}

TEST(WebDataset, GoesOnBehindASampleWithTwoFilesOfOneKind) {
  WebDatasetReader reader{TarReader(memory_input(member("0.a", "1") + member("0.a", "2") +
                                                 member("0.b", "3") + member("1.a", "4") + end))};
  WebSample sample;
  EXPECT_ERROR(reader.next(sample), "two files \".a\"");
  ASSERT_TRUE(reader.next(sample));
  EXPECT_EQ(sample.key + std::string(sample.parts.at(0).bytes), "14");
  EXPECT_FALSE(reader.next(sample));
}

}  // namespace
}  // namespace stoker
