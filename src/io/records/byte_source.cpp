#include "io/records/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "stoker/error.h"

namespace stoker {
namespace {

[[noreturn]] void refuse_path(const std::string& path, std::string_view reason) {
  throw IoError(fmt::format("cannot read \"{}\": {}.", path, reason));
}

// Read by copying, not memory-mapped: if another process truncates a mapped file, access kills this
// one with SIGBUS, and no check beforehand prevents that. The copy costs about a tenth of the time
// of a record of 100 bytes (bench/notes.md); files, pipes and compressed streams are handled alike.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path)
      : ByteSource(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) refuse_path(path, std::strerror(errno));
  }
  ~FileSource() override { ::close(fd_); }

  void prepare() {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) refuse_path(name(), std::strerror(errno));
    if (S_ISDIR(info.st_mode)) refuse_path(name(), "it is a folder, not a file");
    if (!S_ISREG(info.st_mode)) return;
    size_ = static_cast<uint64_t>(info.st_size);
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  size_t read(std::span<char> out) override {
    for (;;) {
      const ssize_t n = size_ ? ::pread(fd_, out.data(), out.size(), static_cast<off_t>(at_))
                              : ::read(fd_, out.data(), out.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(std::strerror(errno));
      if (n == 0 && size_ && at_ < *size_)
        fail(fmt::format("it had {} bytes when it was opened and became shorter", *size_));
      at_ += static_cast<uint64_t>(n);
      return static_cast<size_t>(n);
    }
  }

  uint64_t skip(uint64_t bytes) override {
    if (!size_) return ByteSource::skip(bytes);
    const uint64_t skipped = std::min(bytes, *remaining());
    at_ += skipped;
    return skipped;
  }

  std::optional<uint64_t> remaining() const override {
    if (!size_) return std::nullopt;
    return *size_ > at_ ? *size_ - at_ : 0;  // a file may grow while it is read
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const {
    IoError error(fmt::format("cannot read \"{}\": {}.", name(), reason));
    error.add_where(fmt::format("{}, offset {}", name(), at_));
    throw error;
  }

  int fd_;
  std::optional<uint64_t> size_;  // of a regular file
  uint64_t at_ = 0;
};

}  // namespace

uint64_t ByteSource::skip(uint64_t bytes) {
  std::array<char, 1 << 16> dropped;
  uint64_t skipped = 0;
  while (skipped < bytes) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(bytes - skipped, dropped.size()));
    const size_t n = read(std::span(dropped).first(wanted));
    if (n == 0) break;
    skipped += n;
  }
  return skipped;
}

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  auto file = std::make_unique<FileSource>(path);
  file->prepare();
  return file;
}

}  // namespace stoker
