#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/counted.h"

namespace stoker {

// The strings of an array, contiguous in one block of memory. Filled by one thread; then any number
// may read it.
class Texts {
 public:
  void reserve(size_t count, size_t bytes);
  void add(std::string_view text);

  size_t size() const { return ends_.size(); }
  size_t bytes() const { return bytes_.size(); }
  std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }
  // Their fingerprints in tensors. Computed, and added to the interned strings, on first use: most
  // strings are only read on the host.
  const int64_t* ids() const;

 private:
  std::basic_string<char, std::char_traits<char>, HostAllocator<char>> bytes_;
  std::vector<size_t, HostAllocator<size_t>> ends_;
  mutable std::once_flag once_;
  mutable std::vector<int64_t> ids_;
};

}  // namespace stoker
