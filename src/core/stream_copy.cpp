#include "core/stream_copy.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace stoker {

#ifdef __SSE2__
void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t vector = sizeof(__m128i), few = 512;  // for which waiting at the end costs more
  if (bytes < few) {
    std::memcpy(to, from, bytes);
    return;
  }
  const size_t head = (vector - reinterpret_cast<uintptr_t>(to) % vector) % vector;
  const size_t whole = (bytes - head) / vector * vector;
  std::memcpy(to, from, head);
  for (size_t i = head; i < head + whole; i += vector)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  std::memcpy(to + head + whole, from + head + whole, bytes - head - whole);
  _mm_sfence();  // whoever is told that it is done may let a device read it
}
#else
void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

}  // namespace stoker
