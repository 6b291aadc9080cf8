#include "nn/training/logs/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "stoker/say.h"

namespace stoker::nn {
namespace {

constexpr ledger::Time redraw_interval = 100'000'000;  // ns
constexpr int64_t bar_width = 20;

std::string bar(int64_t step, int64_t steps) {
  const int64_t filled = steps > 0 ? std::min(bar_width, step * bar_width / steps) : 0;
  std::string text = " ";
  for (int64_t i = 0; i < bar_width; ++i) text += i < filled ? "━" : "─";
  return text;
}

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, starts_character));
}

}  // namespace

std::string cut_to_width(const std::string& text, size_t width) {
  if (width_of(text) <= width) return text;
  size_t end = 0;
  for (size_t taken = 0; end < text.size(); ++end)
    if (starts_character(text[end]) && ++taken >= width) break;
  return text.substr(0, end) + "…";
}

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
      live_((verbose == 1 || verbose == 3) && isatty(STDOUT_FILENO) != 0) {}

void Progress::begin() {
  start_ = ledger::now();
  next_draw_ = start_ + redraw_interval / 2;
  drawn_ = 0;
  lines_ = 0;
}

void Progress::begin_epoch(int64_t epoch, int64_t epochs) {
  begin();
  if (verbose_ > 0) say(stdout, fmt::format("Epoch {}/{}\n", epoch + 1, epochs));
  std::fflush(stdout);
}

std::string Progress::to_text(const Line& line, bool with_bar) const {
  const auto& [step, known_time, logs, done, waits] = line;
  const double elapsed = static_cast<double>(ledger::now() - start_) * 1e-9;
  const double per_step = known_time.value_or(step > 0 ? elapsed / static_cast<double>(step) : 0);
  const char* gap = verbose_ == 2 ? " - " : " ";
  std::string text = steps_ > 0
                         ? fmt::format("{0:>{2}}/{1}", step, steps_, std::to_string(steps_).size())
                         : fmt::format("{}/Unknown", step);
  if (with_bar) text += bar(step, steps_);
  if (!done && steps_ > 0)
    text += fmt::format(" ETA {}", format_duration(per_step * static_cast<double>(steps_ - step)));
  else
    text += gap + format_duration(elapsed);
  return text + gap + format_duration(per_step) + "/step" + format_logs(logs) + waits;
}

// Overwrites the current text, which may be longer.
void Progress::show(const std::string& text) {
  const size_t width = width_of(text);
  say(stdout, fmt::format("\r{}{}", text, std::string(width < drawn_ ? drawn_ - width : 0, ' ')));
  drawn_ = width;
}

void Progress::draw_lines(const std::string& text) {
  std::string shown = lines_ > 0 ? fmt::format("\x1b[{}F\x1b[J", lines_) : "";
  const size_t width = terminal_width() - 1;
  lines_ = 0;
  for (size_t begin = 0; begin < text.size(); ++lines_) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    shown += cut_to_width(text.substr(begin, end - begin), width) + "\n";
    begin = end + 1;
  }
  say(stdout, shown);
  std::fflush(stdout);
  next_draw_ = ledger::now() + redraw_interval;
}

void Progress::draw(int64_t step, std::optional<double> per_step, const Logs& logs,
                    const std::string& waits) {
  const size_t width = terminal_width() - 1;
  const Line line{step, per_step, logs, false, waits};
  const std::string text = to_text(line, true);
  // In a narrow terminal the metrics are more important than the bar.
  show(width_of(text) <= width ? text : cut_to_width(to_text(line, false), width));
  std::fflush(stdout);
  next_draw_ = ledger::now() + redraw_interval;
}

void Progress::finish(int64_t steps, std::optional<double> per_step, const Logs& logs, bool whole) {
  if (verbose_ == 0) return;
  const std::string text =
      to_text({steps, per_step, logs, true, {}}, live_) + (whole ? "" : " - interrupted");
  if (live_ && verbose_ != 3)
    show(text);
  else
    say(stdout, text);
  say(stdout, "\n");
  std::fflush(stdout);
}

}  // namespace stoker::nn
