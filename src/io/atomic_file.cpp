#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <regex>
#include <utility>

#include "core/main_process.h"
#include "stoker/error.h"

namespace stoker {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string temporary_beside(const std::string& path) {
  static std::atomic<int> count{0};
  const std::string name = path.substr(path.rfind('/') + 1);
  return fmt::format("{}/.{}.{}.{}.tmp", folder_of(path), name, ::getpid(), count++);
}

// Locked while its writer lives, which distinguishes it from the leftover of a killed process. -1:
// cannot be created. The file may have been removed as such a leftover before it was locked: then
// it has no name any more, and another one is created.
int create_locked(const std::string& temporary) {
  for (;;) {
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    struct stat status {};
    const bool locked = ::flock(fd, LOCK_EX) == 0;
    if (!locked || ::fstat(fd, &status) != 0 || status.st_nlink > 0) return fd;
    ::close(fd);
  }
}

void remove_if_abandoned(const std::string& temporary) {
  const int fd = ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(temporary.c_str());
  ::close(fd);
}

// A process that is killed while writing cannot remove its temporary file.
void remove_abandoned(const std::string& folder) {
  static const std::regex temporary(R"(\..+\.\d+\.\d+\.tmp)");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (std::regex_match(entry.path().filename().string(), temporary))
      remove_if_abandoned(entry.path());
}

std::string hint_for(int error) {
  if (error == ENOENT) return "the folder does not exist.";
  if (error == EACCES || error == EROFS || error == EPERM)
    return "choose a folder you can write to.";
  if (error == ENOSPC || error == EDQUOT) return "free some space or choose another disk.";
  return {};
}

// The new file would take the place of /dev/null or of a named pipe.
void refuse_devices(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
    return;
  throw IoError(fmt::format("cannot write \"{}\": it is a device or a pipe.", path),
                "name a file: a new one is written next to it and then replaces it.");
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  refuse_devices(path_);
  temporary_ = temporary_beside(path_);
  fd_ = create_locked(temporary_);
  if (fd_ < 0) fail("create", errno);
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(std::string_view doing, int error) const {
  throw IoError(fmt::format("cannot {} \"{}\": {}.", doing, path_, std::strerror(error)),
                hint_for(error));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
    size_ += static_cast<size_t>(n);
  }
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail("write", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", errno);
  temporary_.clear();
  ::close(std::exchange(fd_, -1));  // locked until it was renamed; fsync has reported all errors
  // The rename survives a power failure only once the folder is on disk, too.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder may be writable but not readable
  const int status = ::fsync(folder), error = errno;
  ::close(folder);
  if (status != 0 && error != EINVAL) fail("write", error);  // EINVAL: no such thing there
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void ensure_writable_dir(const std::string& path) {
  if (!is_main_process()) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw IoError(fmt::format("cannot make the folder \"{}\": {}.", path, error.message()),
                  hint_for(error.value()));
  remove_abandoned(path);
  AtomicFile probe(path + "/write_test");
}

}  // namespace stoker
