#pragma once
#include "module.h"

// Barriers, warps, atomics.
using stoker_emulator::Word;

#define __syncthreads() ((void)stoker_emulated_module.runtime->wait_for_block(true, __LINE__))
#define __syncthreads_count(x) stoker_emulated_module.runtime->wait_for_block((x) != 0, __LINE__)
#define __syncthreads_or(x) (__syncthreads_count(x) != 0)
#define __syncthreads_and(x) (__syncthreads_count(!(x)) == 0)
#define __syncwarp(...) ((void)emulated_warp(emulated_mask(__VA_ARGS__), 0, __LINE__))
#define __trap() stoker_emulated_module.runtime->trap(__LINE__)

static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned int) {}

static inline unsigned int emulated_mask(unsigned int mask = 0xffffffffu) { return mask; }
static inline const Word* emulated_warp(unsigned int mask, Word word, int line) {
  return stoker_emulated_module.runtime->wait_for_warp(mask, word, line);
}
static inline int emulated_lane() {
  const unsigned int in_plane = threadIdx.y + blockDim.y * threadIdx.z;
  return int((threadIdx.x + blockDim.x * in_plane) % 32);
}

template <class T>
static inline Word emulated_word(T value) {
  static_assert(sizeof(T) <= sizeof(Word), "a warp exchanges at most 8 bytes a lane");
  Word word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
static inline T emulated_value(Word word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}

// The lane that a shuffle reads: inside the segment of its width, else its own.
static inline int emulated_within(int source, int first, int width) {
  return source < first || source >= first + width ? emulated_lane() : source;
}
template <class T>
static inline T emulated_shuffle(unsigned int mask, T value, int source, int line) {
  return emulated_value<T>(emulated_warp(mask, emulated_word(value), line)[source]);
}
static inline int emulated_index(int at, int width = 32) {
  return (emulated_lane() & ~(width - 1)) | (at & (width - 1));
}
static inline int emulated_up(int delta, int width = 32) {
  return emulated_within(emulated_lane() - delta, emulated_lane() & ~(width - 1), width);
}
static inline int emulated_down(int delta, int width = 32) {
  return emulated_within(emulated_lane() + delta, emulated_lane() & ~(width - 1), width);
}
static inline int emulated_xor(int mask, int width = 32) {
  return emulated_within(emulated_lane() ^ mask, emulated_lane() & ~(width - 1), width);
}
#define __shfl_sync(mask, value, ...) \
  emulated_shuffle(mask, value, emulated_index(__VA_ARGS__), __LINE__)
#define __shfl_up_sync(mask, value, ...) \
  emulated_shuffle(mask, value, emulated_up(__VA_ARGS__), __LINE__)
#define __shfl_down_sync(mask, value, ...) \
  emulated_shuffle(mask, value, emulated_down(__VA_ARGS__), __LINE__)
#define __shfl_xor_sync(mask, value, ...) \
  emulated_shuffle(mask, value, emulated_xor(__VA_ARGS__), __LINE__)

// Lanes outside the mask contribute nothing.
template <class F>
static inline unsigned int emulated_lanes(unsigned int mask, const Word* words, F holds) {
  unsigned int lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && holds(words[lane])) lanes |= 1u << lane;
  return lanes;
}
static inline unsigned int emulated_ballot(unsigned int mask, bool value, int line) {
  // An exited lane's word is all ones.
  return emulated_lanes(mask, emulated_warp(mask, value, line), [](Word w) { return w == 1; });
}
#define __ballot_sync(mask, x) emulated_ballot(mask, (x) != 0, __LINE__)
#define __any_sync(mask, x) (__ballot_sync(mask, x) != 0)
#define __all_sync(mask, x) (__ballot_sync(mask, !(x)) == 0)

template <class T, class F>
static inline T emulated_reduce(unsigned int mask, T value, F combine, int line) {
  const Word* words = emulated_warp(mask, emulated_word(value), line);
  bool first = true;
  T result = value;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const T other = emulated_value<T>(words[lane]);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}
#define EMULATED_REDUCE(mask, x, expression) \
  emulated_reduce(                           \
      mask, x, [](auto a, auto b) { return expression; }, __LINE__)
#define __reduce_add_sync(mask, x) EMULATED_REDUCE(mask, x, a + b)
#define __reduce_min_sync(mask, x) EMULATED_REDUCE(mask, x, a < b ? a : b)
#define __reduce_max_sync(mask, x) EMULATED_REDUCE(mask, x, a > b ? a : b)
#define __reduce_and_sync(mask, x) EMULATED_REDUCE(mask, x, a& b)
#define __reduce_or_sync(mask, x) EMULATED_REDUCE(mask, x, a | b)
#define __reduce_xor_sync(mask, x) EMULATED_REDUCE(mask, x, a ^ b)

// Two words from every lane at once: for the emulation of tensor cores.
static inline void emulated_gather(unsigned int first, unsigned int second,
                                   unsigned int (&from)[32][2]) {
  const Word* words = emulated_warp(0xffffffffu, Word(second) << 32 | first, -1);
  __builtin_memcpy(from, words, sizeof from);
}

#define EMULATED_ATOMIC(name, expression)         \
  template <class T, class V>                     \
  static inline T name(volatile T* at, V given) { \
    const T old = *at, v = T(given);              \
    *at = T(expression);                          \
    return old;                                   \
  }
EMULATED_ATOMIC(atomicAdd, old + v)
EMULATED_ATOMIC(atomicSub, old - v)
EMULATED_ATOMIC(atomicExch, v)
EMULATED_ATOMIC(atomicMin, v < old ? v : old)
EMULATED_ATOMIC(atomicMax, v > old ? v : old)
EMULATED_ATOMIC(atomicAnd, old& v)
EMULATED_ATOMIC(atomicOr, old | v)
EMULATED_ATOMIC(atomicXor, old ^ v)
EMULATED_ATOMIC(atomicInc, old >= v ? T(0) : old + T(1))
EMULATED_ATOMIC(atomicDec, old == 0 || old > v ? v : old - T(1))
template <class T, class V, class W>
static inline T atomicCAS(volatile T* at, V expected, W desired) {
  const T old = *at;
  if (old == T(expected)) *at = T(desired);
  return old;
}
