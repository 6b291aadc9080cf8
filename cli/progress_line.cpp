#include "progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "stoker/say.h"

namespace stoker::cli {

ProgressLine::ProgressLine(std::string doing, int64_t total)
    : doing_(std::move(doing)), total_(total), live_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (live_) say(stderr, "\r\033[K");
}

void ProgressLine::show(int64_t done) {
  const auto now = Clock::now();
  if (!live_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double rate = static_cast<double>(done) /
                      std::max(1e-3, std::chrono::duration<double>(now - begin_).count());
  std::string text = fmt::format("\r{} {}", doing_, done);
  if (total_ >= 0) text += fmt::format(" of {}", total_);
  text += fmt::format(", {:.0f}/s", rate);
  if (total_ >= 0 && rate > 0)
    text += fmt::format(", {:.0f} s left", static_cast<double>(total_ - done) / rate);
  say(stderr, text + "\033[K");
}

}  // namespace stoker::cli
