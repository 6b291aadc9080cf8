#pragma once
#include <array>
#include <cstdint>

namespace stoker {

// Random numbers for one element of a dataset. They are a function of the seed, the pass over the
// data, the element's number and how many were drawn before: threads, buffers and restarts change
// nothing.
class Random {
 public:
  // `stage` tells streams of the same element apart.
  explicit Random(uint64_t seed, uint64_t pass = 0, uint64_t number = 0, uint64_t stage = 0)
      : seed_(seed), pass_(pass), number_(number), stage_(stage) {}

  uint32_t bits();
  float uniform();  // [0, 1)
  float uniform(float low, float high);
  float normal();              // mean 0, standard deviation 1
  int64_t below(int64_t end);  // 0 … end - 1, all equally likely
  bool chance(float probability) { return uniform() < probability; }

 private:
  uint64_t seed_, pass_, number_, stage_;
  uint64_t stream_ = 0, drawn_ = 0;
  std::array<uint32_t, 4> words_{};
};

}  // namespace stoker
