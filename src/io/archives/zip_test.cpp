#include "io/archives/zip.h"

#include "io/test_files.h"

namespace stoker {
namespace {

struct SavedZip : ::testing::Test {
  SavedZip() {
    ZipWriter zip(path);
    for (const std::string name : {"one", "two"}) zip.add(name, {std::as_bytes(std::span(name))});
    zip.commit();
    bytes = read_file(path).text();
  }
  void replace(const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = bytes.find(from, at)) != bytes.npos; at += to.size())
      bytes.replace(at, from.size(), to);
  }
  ZipReader open() const { return ZipReader(blob_of(bytes, "a.zip")); }
  size_t directory() const { return bytes.find("PK\1\2"); }

  TemporaryFolder folder;
  std::string path = folder / "a.zip", bytes;
};

TEST_F(SavedZip, ReadsWhatWasWritten) {
  EXPECT_EQ(open().names(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(open().read("two").text(), "two");
  EXPECT_FALSE(open().contains("three"));
  EXPECT_ERROR(open().read("three"), "a.zip has no member \"three\"");
}

TEST_F(SavedZip, RefusesEveryTruncation) {
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_ERROR(ZipReader(blob_of(bytes.substr(0, length), "a.zip")), "a.zip, offset") << length;
}

TEST_F(SavedZip, RefusesNamesThatLeaveTheFolder) {
  for (const std::string name : {"/ab", "../", "a\\b"}) {
    replace("one", name);
    EXPECT_ERROR(open(), "unsafe name") << name;
    replace(name, "one");
  }
}

TEST_F(SavedZip, WritesOnlyNamesThatCanBeRead) {
  ZipWriter zip(path);
  zip.add("dense/kernel:0", {});
  EXPECT_ERROR(zip.add("dense/kernel:0", {}), "its name is taken");
  EXPECT_ERROR(zip.add("../out", {}), "its name is unsafe");
  zip.commit();
  EXPECT_EQ(ZipReader(read_file(path)).names(), std::vector<std::string>{"dense/kernel:0"});
}

TEST_F(SavedZip, RefusesDuplicates) {
  replace("two", "one");
  EXPECT_ERROR(open(), "two members named \"one\"");
}

TEST_F(SavedZip, RefusesAnotherNameAtTheData) {
  bytes[bytes.find("two")] = 'x';
  EXPECT_ERROR(open(), "another name at its data");
}

TEST_F(SavedZip, RefusesOverlaps) {
  // The first member claims to extend into the second.
  const size_t entry = directory();
  bytes[entry + 20] = bytes[entry + 24] = 10;
  EXPECT_ERROR(open(), "members \"one\" and \"two\" overlap");
}

TEST_F(SavedZip, RefusesBytesThatBelongToNoMember) {
  const std::string whole = bytes;
  const size_t first = directory(), second = whole.find("PK\1\2", first + 1);
  bytes = "junk" + whole;
  EXPECT_ERROR(open(), "does not end where it should");
  // The first member is missing in the directory.
  bytes = whole.substr(0, first) + whole.substr(second);
  const size_t end = bytes.find("PK\5\6");
  bytes[end + 8] = bytes[end + 10] = 1;
  bytes[end + 12] = static_cast<char>(second - first);
  EXPECT_ERROR(open(), "bytes belong to no member");
}

TEST_F(SavedZip, RefusesSizesBeyondTheFile) {
  const size_t entry = directory();
  bytes[entry + 22] = bytes[entry + 26] = 0x7f;
  EXPECT_ERROR(open(), "more than the archive");
}

TEST_F(SavedZip, RefusesLinksEncryptionAndOddMethods) {
  const size_t entry = directory();
  bytes[entry + 41] = static_cast<char>(0xa0);
  EXPECT_ERROR(open(), "symbolic link");
  bytes[entry + 41] = 0;
  bytes[entry + 8] = 1;
  EXPECT_ERROR(open(), "encrypted");
  bytes[entry + 8] = 0;
  bytes[entry + 10] = 12;
  EXPECT_ERROR(open(), "compression method 12");
}

TEST_F(SavedZip, ProvesTheChecksum) {
  bytes[bytes.rfind("two", directory())] = 'T';
  EXPECT_ERROR(open().read("two"), "its checksum differs");
}

TEST_F(SavedZip, WritesSizesAndPlacesOf64Bits) {
  for (const uint64_t from : {0, 3, 20, 50, 100}) {
    ZipWriter zip(path, from);
    for (const std::string name : {"one", "two", "three"})
      zip.add(name, {std::as_bytes(std::span(name))});
    zip.commit();
    bytes = read_file(path).text();
    EXPECT_EQ(bytes.find("PK\6\6") != bytes.npos, true) << from;
    for (const std::string name : {"one", "two", "three"})
      EXPECT_EQ(open().read(name).text(), name);
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_ERROR(ZipReader(blob_of(bytes.substr(0, length), "a.zip")), "a.zip, offset") << from;
  }
}

TEST_F(SavedZip, AFullDiskLeavesTheOldFileWhole) {
  for (const rlim_t room : {0, 10, 40, 100, 150}) {
    std::string error;
    {
      const FullDisk full(room);
      error = error_of([&] {
        ZipWriter zip(path);
        for (const std::string name : {"three", "four"})
          zip.add(name, {std::as_bytes(std::span(name))});
        zip.commit();
      });
    }
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "File too large", error);
    EXPECT_EQ(read_file(path).text(), bytes);
    EXPECT_EQ(folder.files(), 1u);
  }
}

TEST_F(SavedZip, AllowsAComment) {
  bytes[bytes.size() - 2] = 5;
  bytes += "hello";
  EXPECT_EQ(open().names().size(), 2u);
  EXPECT_ERROR(ZipReader(blob_of(bytes + "!", "a.zip")), "directory is missing");
}

}  // namespace
}  // namespace stoker
