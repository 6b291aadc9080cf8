#include "io/blob.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "stoker/error.h"

namespace stoker {
namespace {

constexpr size_t alignment = 64;

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void fail_reading(const std::string& path, int error) {
  throw IoError(fmt::format("cannot read \"{}\": {}.", path, std::strerror(error)));
}

size_t regular_size(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail_reading(path, errno);
  if (!S_ISREG(info.st_mode))
    throw IoError(fmt::format("cannot read \"{}\": it is {}, not a file.", path,
                              S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe"));
  return static_cast<size_t>(info.st_size);
}

}  // namespace

Blob Blob::allocate(size_t size, std::string name) {
  // The exact size, so that AddressSanitizer sees a read past the end.
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, std::max<size_t>(size, 1)) != 0) memory = nullptr;
  if (!memory) throw OutOfMemory(fmt::format("cannot allocate {} bytes for {}.", size, name));
  Blob blob;
  blob.data_ = {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
  blob.size_ = size;
  blob.name_ = std::move(name);
  return blob;
}

Blob Blob::copy(std::span<const std::byte> bytes, std::string name) {
  Blob blob = allocate(bytes.size(), std::move(name));
  std::copy(bytes.begin(), bytes.end(), blob.mutable_data());
  return blob;
}

Blob Blob::slice(size_t begin, size_t size) const {
  if (begin > size_ || size > size_ - begin)
    throw Internal(fmt::format("bytes {} to {}+{} of {} bytes.", begin, begin, size, size_));
  Blob part = *this;
  part.data_ = {data_, data_.get() + begin};
  part.size_ = size;
  part.origin_ += begin;
  return part;
}

Blob Blob::renamed(std::string name) const {
  Blob blob = *this;
  blob.name_ = std::move(name);
  blob.origin_ = 0;
  return blob;
}

void Blob::fail(size_t offset, std::string message, std::string hint) const {
  IoError error(std::move(message), std::move(hint));
  error.add_where(fmt::format("{}, offset {}", name_, origin_ + offset));
  throw error;
}

Blob read_file(const std::string& path) {
  // Non-blocking, or opening a pipe would wait for its writer before it can be refused.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) fail_reading(path, errno);
  Blob blob = Blob::allocate(regular_size(file.fd, path), path);
  for (size_t done = 0; done < blob.size();) {
    const ssize_t n = ::read(file.fd, blob.mutable_data() + done, blob.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_reading(path, errno);
    if (n == 0) blob.fail(done, "the file became shorter while it was read.");
    done += static_cast<size_t>(n);
  }
  return blob;
}

}  // namespace stoker
