#include "core/stream_copy.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace stoker {
namespace {

#ifdef __SSE2__
constexpr size_t few = 512;  // that stay in the caches: non-temporal stores would be slower

// Without a fence after it.
void copy_past_caches(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t vector = sizeof(__m128i);
  const size_t head = std::min(bytes, (vector - reinterpret_cast<uintptr_t>(to) % vector) % vector);
  const size_t whole = (bytes - head) / vector * vector;
  std::memcpy(to, from, head);
  for (size_t i = head; i < head + whole; i += vector)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  std::memcpy(to + head + whole, from + head + whole, bytes - head - whole);
}

// After the fence a device may read the copied data.
void fence() { _mm_sfence(); }
#else
constexpr size_t few = 0;
void copy_past_caches(std::byte* to, const std::byte* from, size_t bytes) {
  std::memcpy(to, from, bytes);
}
void fence() {}
#endif

// Prefetches the beginning of a long row; the hardware prefetcher does the rest.
void prefetch(const std::byte* row, size_t bytes) {
  constexpr size_t line = 64, most = 1024;
  for (size_t i = 0; i < std::min(bytes, most); i += line) __builtin_prefetch(row + i);
}

}  // namespace

void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  if (bytes < few) {
    std::memcpy(to, from, bytes);
    return;
  }
  copy_past_caches(to, from, bytes);
  fence();
}

// One fence for all rows: a fence after each row of 784 bytes costs twice as much as the copy.
void stream_rows(std::byte* to, const std::byte* table, std::span<const int64_t> numbers,
                 size_t row_bytes) {
  constexpr size_t ahead = 2;
  const auto row = [&](size_t k) { return table + static_cast<size_t>(numbers[k]) * row_bytes; };
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (k + ahead < numbers.size()) prefetch(row(k + ahead), row_bytes);
    if (row_bytes < few)
      std::memcpy(to + k * row_bytes, row(k), row_bytes);
    else
      copy_past_caches(to + k * row_bytes, row(k), row_bytes);
  }
  fence();
}

}  // namespace stoker
