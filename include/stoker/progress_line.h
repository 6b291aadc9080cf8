#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace stoker {

// "packing 1200 of 60000, 3100/s, 19 s left". `total` < 0: unknown.
std::string progress_text(const std::string& doing, int64_t done, int64_t total, double seconds);

// That text, redrawn on stderr if it is a terminal, for operations that take a while.
class ProgressLine {
 public:
  ProgressLine(std::string doing, int64_t total);  // total < 0: unknown
  ~ProgressLine();                                 // erases it
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(int64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string doing_;
  int64_t total_;
  bool live_, shown_ = false;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::milliseconds(300);
};

}  // namespace stoker
