#include "stoker/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "stoker/say.h"

namespace stoker {

std::string progress_text(const std::string& doing, int64_t done, int64_t total, double seconds) {
  const double rate = static_cast<double>(done) / std::max(1e-3, seconds);
  std::string text = fmt::format("{} {}", doing, done);
  if (total >= 0) text += fmt::format(" of {}", total);
  text += fmt::format(", {:.0f}/s", rate);
  if (total >= 0 && rate > 0)
    text += fmt::format(", {:.0f} s left", static_cast<double>(total - done) / rate);
  return text;
}

ProgressLine::ProgressLine(std::string doing, int64_t total)
    : doing_(std::move(doing)), total_(total), live_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) say(stderr, "\r\033[K");
}

void ProgressLine::show(int64_t done) {
  const auto now = Clock::now();
  if (!live_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  say(stderr, "\r" + progress_text(doing_, done, total_, seconds) + "\033[K");
}

}  // namespace stoker
