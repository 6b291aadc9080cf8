#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

namespace stoker::bench {

// Seconds of one call: the minimum of several short runs, since other load only adds.
template <typename F>
double best_seconds(F&& call, double budget = 0.25) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  call();
  const auto start = Clock::now();
  double best = 1e30;
  int repeats = 1;
  while (seconds(Clock::now() - start) < budget) {
    const auto begin = Clock::now();
    for (int i = 0; i < repeats; ++i) call();
    const double once = seconds(Clock::now() - begin) / repeats;
    best = std::min(best, once);
    repeats = std::max(1, static_cast<int>(2e-4 / once));
  }
  return best;
}

// Aligned, touched memory.
class Buffer {
 public:
  explicit Buffer(size_t floats, float fill = 0.01f)
      : data_(static_cast<float*>(
            std::aligned_alloc(4096, (floats * 4 + 4095) / 4096 * 4096 + 4096))) {
    std::fill_n(data_.get(), floats, fill);
  }
  float* get() { return data_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
};

void bench_gemm();
void bench_conv();

}  // namespace stoker::bench
