#include "io/blob.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
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
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  const int fd;
};

[[noreturn]] void fail_reading(const std::string& path, int error) {
  throw IoError(fmt::format("cannot read \"{}\": {}.", path, std::strerror(error)));
}

// Non-blocking: opening a pipe would wait for its writer before it can be refused.
Descriptor opened(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail_reading(path, errno);
  return Descriptor(fd);
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
  // The exact size, so that AddressSanitizer detects a read past the end.
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

Blob map_file(const std::string& path) {
  const Descriptor file = opened(path);
  const size_t size = regular_size(file.fd, path);
  if (size == 0) return Blob::allocate(0, path);
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.fd, 0);
  if (at == MAP_FAILED)
    throw IoError(
        fmt::format("cannot map the {} bytes of \"{}\": {}.", size, path, std::strerror(errno)));
  Blob blob;
  blob.data_ = {static_cast<std::byte*>(at), [size](std::byte* p) { ::munmap(p, size); }};
  blob.size_ = size;
  blob.name_ = path;
  return blob;
}

Blob read_file(const std::string& path) {
  const Descriptor file = opened(path);
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
