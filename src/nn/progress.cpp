#include "nn/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stoker::nn {
namespace {

constexpr ledger::Time redraw_interval = 100'000'000;  // ns
constexpr int64_t bar_width = 20;

std::string bar(int64_t step, int64_t steps) {
  const int64_t filled = steps > 0 ? std::min(bar_width, step * bar_width / steps) : 0;
  std::string text;
  for (int64_t i = 0; i < bar_width; ++i) text += i < filled ? "━" : "─";
  return text;
}

}  // namespace

std::string format_logs(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += std::abs(value) > 1e-3 || value == 0 ? fmt::format(" - {}: {:.4f}", name, value)
                                                 : fmt::format(" - {}: {:.4e}", name, value);
  return text;
}

std::string format_duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f}us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f}ms", seconds * 1e3);
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Progress(int verbose, int64_t steps)
    : verbose_(verbose),
      steps_(steps),
      terminal_(isatty(STDOUT_FILENO) != 0),
      live_(verbose == 1 && terminal_) {}

void Progress::begin() {
  start_ = ledger::now();
  next_draw_ = start_ + redraw_interval / 2;
  drawn_ = 0;
}

void Progress::begin_epoch(int64_t epoch, int64_t epochs) {
  begin();
  if (verbose_ > 0) fmt::print("Epoch {}/{}\n", epoch + 1, epochs);
  std::fflush(stdout);
}

std::string Progress::line(int64_t step, const Logs& logs, bool done) const {
  const double elapsed = static_cast<double>(ledger::now() - start_) * 1e-9;
  const double per_step = step > 0 ? elapsed / static_cast<double>(step) : 0;
  std::string text =
      steps_ > 0 ? fmt::format("{}/{} ", step, steps_) : fmt::format("{}/Unknown ", step);
  if (terminal_) text += bar(step, steps_) + " ";
  if (!done && steps_ > 0)
    text += fmt::format("ETA {} ", format_duration(per_step * static_cast<double>(steps_ - step)));
  else
    text += format_duration(elapsed) + " ";
  return text + format_duration(per_step) + "/step" + format_logs(logs);
}

void Progress::draw(int64_t step, const Logs& logs) {
  std::string text = line(step, logs, false);
  const size_t width = text.size();
  if (width < drawn_) text.append(drawn_ - width, ' ');
  drawn_ = width;
  fmt::print("\r{}", text);
  std::fflush(stdout);
  next_draw_ = ledger::now() + redraw_interval;
}

void Progress::finish(int64_t steps, const Logs& logs) {
  if (verbose_ == 0) return;
  std::string text = line(steps, logs, true);
  if (live_ && text.size() < drawn_) text.append(drawn_ - text.size(), ' ');
  fmt::print("{}{}\n", live_ ? "\r" : "", text);
  std::fflush(stdout);
}

}  // namespace stoker::nn
