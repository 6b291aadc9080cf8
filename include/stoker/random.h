#pragma once
#include <array>
#include <cstdint>

namespace stoker {

// Random numbers for one element of a dataset. They depend only on the seed, the pass over the
// data, the element's index and how many were drawn before: not on threads, buffers or restarts.
class Random {
 public:
  // `stage` distinguishes streams of the same element.
  explicit Random(uint64_t seed, uint64_t pass = 0, uint64_t number = 0, uint64_t stage = 0)
      : seed_(seed), pass_(pass), number_(number), stage_(stage) {}

  uint32_t bits();
  float uniform();  // [0, 1)
  float uniform(float low, float high);
  float normal();              // mean 0, standard deviation 1
  int64_t below(int64_t end);  // uniform on 0 … end - 1
  bool chance(float probability) { return uniform() < probability; }

 private:
  uint64_t seed_, pass_, number_, stage_;
  uint64_t stream_ = 0, drawn_ = 0;
  std::array<uint32_t, 4> words_{};
};

}  // namespace stoker
