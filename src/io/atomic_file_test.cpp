#include "io/atomic_file.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "io/test_files.h"

namespace stoker {
namespace {

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write("hello");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(read_file(folder / "a").text(), "hello");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, KeepsTheOldFileWhenAbandoned) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  { AtomicFile(folder / "a").write("new"); }
  EXPECT_EQ(read_file(folder / "a").text(), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, HasTheModeOfAnOrdinaryFile) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  write_file(folder / "a", "x");
  ::umask(mask);
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), std::filesystem::perms(0644));
}

TEST(AtomicFile, NamesPathAndReason) {
  const TemporaryFolder folder;
  EXPECT_ERROR(write_file(folder / "no/file", "x"),
               "cannot create \"" + (folder / "no/file") + "\": No such file or directory.");
  std::filesystem::create_directory(folder / "sub");
  write_file(folder / "sub/x", "x");
  EXPECT_ERROR(write_file(folder / "sub", "x"), "Is a directory");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, AFullDiskLeavesNothingBehind) {
  const TemporaryFolder folder;
  std::string error;
  {
    const FullDisk full(1000);
    error = error_of([&] { write_file(folder / "a", std::string(5000, 'x')); });
  }
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "File too large", error);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(AtomicFile, LeavesDevicesAndPipesInTheirPlace) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(write_file(folder / "pipe", "x"), "it is a device or a pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  std::filesystem::create_symlink("/dev/null", folder / "link");
  EXPECT_ERROR(write_file(folder / "link", "x"), "it is a device or a pipe");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(EnsureWritableDir, MakesTheFolderAndLeavesItEmpty) {
  const TemporaryFolder folder;
  ensure_writable_dir(folder / "a/b");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a/b"));
}

TEST(EnsureWritableDir, RemovesWhatAKilledWriterLeftAndNothingElse) {
  const TemporaryFolder folder;
  if (const pid_t child = ::fork(); child == 0) {
    AtomicFile killed(folder / "a");
    killed.write("half");
    ::raise(SIGKILL);
  } else {
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  AtomicFile living(folder / "a");
  write_file(folder / ".own.tmp", "x");
  EXPECT_EQ(folder.files(), 3u);
  ensure_writable_dir(folder / "");
  EXPECT_EQ(folder.files(), 2u);
  living.write("whole");
  living.commit();
  EXPECT_EQ(read_file(folder / "a").text(), "whole");
  EXPECT_TRUE(std::filesystem::exists(folder / ".own.tmp"));
}

TEST(EnsureWritableDir, RefusesAFileAndAFolderThatTakesNoFiles) {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  EXPECT_ERROR(ensure_writable_dir(folder / "file/sub"), "cannot make the folder");
  EXPECT_ERROR(ensure_writable_dir(folder / "file"), folder / "file");
  EXPECT_ERROR(ensure_writable_dir("/proc"), "/proc");
}

}  // namespace
}  // namespace stoker
