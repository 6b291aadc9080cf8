#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace stoker::cli {

// "packing 1200 of 60000, 3100/s, 19 s left", redrawn on stderr if that is a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string doing, int64_t total);  // total < 0: not known
  ~ProgressLine();                                 // wipes it away
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(int64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string doing_;
  int64_t total_;
  bool live_;
  Clock::time_point begin_ = Clock::now(), next_ = begin_;
};

}  // namespace stoker::cli
