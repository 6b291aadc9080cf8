#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "observe/doctor/checks.h"
#include "observe/sampler.h"

namespace stoker::observe {
namespace {

constexpr size_t megabyte = size_t{1} << 20;

// The functions of the CUDA driver needed for a copy.
struct Copier {
  int (*device)(int*, int);
  int (*retain)(void**, int);
  int (*release)(int);
  int (*set_current)(void*);
  int (*alloc)(unsigned long long*, size_t);
  int (*free)(unsigned long long);
  int (*alloc_host)(void**, size_t);
  int (*free_host)(void*);
  int (*copy)(unsigned long long, const void*, size_t);

  bool load(const SharedLibrary& library) {
    return library.load(device, "cuDeviceGet") &&
           library.load(retain, "cuDevicePrimaryCtxRetain") &&
           library.load(release, "cuDevicePrimaryCtxRelease_v2") &&
           library.load(set_current, "cuCtxSetCurrent") && library.load(alloc, "cuMemAlloc_v2") &&
           library.load(free, "cuMemFree_v2") && library.load(alloc_host, "cuMemAllocHost_v2") &&
           library.load(free_host, "cuMemFreeHost") && library.load(copy, "cuMemcpyHtoD_v2");
  }
  std::optional<double> rate(unsigned long long to, const void* from, size_t bytes) const {
    if (copy(to, from, bytes) != 0) return std::nullopt;  // warm-up, not timed
    constexpr int times = 8;
    const double begin = seconds_now();
    for (int i = 0; i < times; ++i)
      if (copy(to, from, bytes) != 0) return std::nullopt;
    return times * double(bytes) / (seconds_now() - begin);
  }
};

CopyRates measure(const Copier& c) {
  constexpr size_t bytes = 64 * megabyte;
  CopyRates rates;
  unsigned long long there = 0;
  if (c.alloc(&there, bytes) != 0) return rates;
  void* pinned = nullptr;
  if (c.alloc_host(&pinned, bytes) == 0) {
    std::memset(pinned, 1, bytes);
    rates.pinned = c.rate(there, pinned, bytes);
    c.free_host(pinned);
  }
  const std::vector<char> pageable(bytes, 1);
  rates.pageable = c.rate(there, pageable.data(), bytes);
  c.free(there);
  return rates;
}

// An unlinked file that is not in the page cache.
int uncached_file(const std::string& folder, size_t bytes) {
  std::string name = folder + "/.stoker_doctor_XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return -1;
  unlink(name.c_str());
  const std::vector<char> block(megabyte, 'x');
  for (size_t written = 0; written < bytes; written += block.size())
    if (write(file, block.data(), block.size()) != ssize_t(block.size())) return close(file), -1;
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  return file;
}

}  // namespace

CopyRates measure_copies() {
  const SharedLibrary library({"libcuda.so.1"});
  Copier c{};
  int device = 0;
  void* context = nullptr;
  if (!c.load(library) || c.device(&device, 0) != 0 || c.retain(&context, device) != 0) return {};
  c.set_current(context);
  const CopyRates rates = measure(c);
  c.release(device);
  return rates;
}

std::optional<double> measure_disk(const std::string& folder) {
  constexpr size_t bytes = 64 * megabyte;
  const int file = uncached_file(folder, bytes);
  if (file < 0) return std::nullopt;
  std::vector<char> block(4 * megabyte);
  lseek(file, 0, SEEK_SET);
  const double begin = seconds_now();
  size_t done = 0;
  for (ssize_t n = 0; (n = read(file, block.data(), block.size())) > 0;) done += size_t(n);
  const double seconds = seconds_now() - begin;
  close(file);
  return done == bytes ? std::optional(double(bytes) / seconds) : std::nullopt;
}

}  // namespace stoker::observe
