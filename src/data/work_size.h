#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace stoker::data {

// How many elements a worker gets at once, so that the cost of handing them over is negligible.
class WorkSize {
 public:
  // The number of elements that are enough work, at most `most`; one until the cost is known.
  int64_t elements(int64_t most, double more_seconds_each = 0) const {
    constexpr double worthwhile = 100e-6;
    const double seconds = seconds_each_.load(std::memory_order_relaxed) + more_seconds_each;
    if (seconds_each_.load(std::memory_order_relaxed) <= 0) return 1;
    return std::clamp<int64_t>(static_cast<int64_t>(worthwhile / seconds), 1, most);
  }
  // Runs the work on so many elements and measures its time; from any thread.
  template <class Work>
  void run(int64_t elements, Work work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const double each = took.count() / static_cast<double>(elements),
                 before = seconds_each_.load(std::memory_order_relaxed);
    seconds_each_.store(before <= 0 ? each : 0.75 * before + 0.25 * each,
                        std::memory_order_relaxed);
  }

 private:
  std::atomic<double> seconds_each_ = 0;
};

}  // namespace stoker::data
