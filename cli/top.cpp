#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <thread>

#include "command.h"
#include "interrupt.h"
#include "stoker/human_bytes.h"
#include "stoker/say.h"
#include "stoker/why.h"

namespace stoker::cli {
namespace {

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "–";
}
std::string bytes(const std::optional<double>& value) {
  return value ? human_bytes(static_cast<int64_t>(*value)) : "–";
}

// "/usr/bin/python train.py" → "python train.py"
std::string without_folder(const std::string& command) {
  const size_t slash = command.substr(0, command.find(' ')).rfind('/');
  return slash == command.npos ? command : command.substr(slash + 1);
}

std::string line(const TopRow& row) {
  return fmt::format("{:>3}  {:>7}  {:<24.24}  {:>5}  {:>5}  {:>9}  {:>5.1f}  {:>9}  {}",
                     row.gpu < 0 ? "–" : std::to_string(row.gpu),
                     row.pid > 0 ? std::to_string(row.pid) : "–", without_folder(row.process),
                     percent(row.gpu_busy), percent(row.sm_active), bytes(row.gpu_memory),
                     row.cores_used, bytes(row.resident_bytes), row.reason);
}

std::vector<std::string> lines_of(const TopWatch& watch) {
  std::vector<std::string> lines;
  if (!watch.no_gpu().empty())
    lines.push_back(fmt::format("No GPU is watched ({}): these processes use most of the CPU.",
                                watch.no_gpu()));
  lines.push_back(fmt::format("{:>3}  {:>7}  {:<24}  {:>5}  {:>5}  {:>9}  {:>5}  {:>9}  {}", "GPU",
                              "PID", "process", "busy", "SMs", "GPU mem", "cores", "memory",
                              "why"));
  for (const TopRow& row : watch.rows()) lines.push_back(line(row));
  return lines;
}

Config row_config(const TopRow& row) {
  const auto maybe = [](const std::optional<double>& value) {
    return value ? Config(*value) : Config();
  };
  return Config::map({{"gpu", row.gpu},
                      {"gpu_name", row.gpu_name},
                      {"pid", row.pid},
                      {"process", row.process},
                      {"gpu_busy", maybe(row.gpu_busy)},
                      {"sm_active", maybe(row.sm_active)},
                      {"gpu_memory", maybe(row.gpu_memory)},
                      {"gpu_memory_total", maybe(row.gpu_memory_total)},
                      {"cores_used", row.cores_used},
                      {"resident_bytes", row.resident_bytes},
                      {"cause", row.cause},
                      {"reason", row.reason}});
}

size_t terminal_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 160;
}

// Truncated to the terminal's width; multi-byte characters stay whole.
std::string cut(const std::string& text, size_t width) {
  size_t shown = 0, at = 0;
  while (at < text.size() && shown < width) {
    ++shown, ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return text.substr(0, at);
}

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(250)); }

void show_once(TopWatch& watch, double seconds, const Invocation& invocation) {
  for (double t = 0; t < seconds && !was_interrupted(); t += 0.25) pause(), watch.sample();
  Config::List rows;
  for (const TopRow& row : watch.rows()) rows.push_back(row_config(row));
  std::string text;
  for (const std::string& one : lines_of(watch)) text += (text.empty() ? "" : "\n") + one;
  invocation.print(Config::map({{"no_gpu", watch.no_gpu()}, {"rows", rows}}), text);
}

void show_live(TopWatch& watch) {
  for (int i = 1; !was_interrupted(); ++i) {
    pause();
    watch.sample();
    if (i % 4 != 0) continue;  // once a second
    std::string screen = "\033[H\033[J";
    for (const std::string& one : lines_of(watch)) screen += cut(one, terminal_width()) + "\n";
    say(stdout, screen + "Ctrl-C ends; stoker why PID says more.\n");
    std::fflush(stdout);
  }
}

}  // namespace

void add_top(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, invocation, "top", "list the GPUs and the processes on them, each with its bottleneck");
  auto seconds = std::make_shared<double>(2);
  auto once = std::make_shared<bool>(false);
  command->add_option("--seconds", *seconds, "how long to watch before printing once (default: 2)")
      ->check(CLI::Range(0.5, 3600.0, "SECONDS"));
  command->add_flag("--once", *once, "print once, even on a terminal");
  command->footer(
      "Example: stoker top --json\nOn a terminal it refreshes once a second until Ctrl-C; else it "
      "prints "
      "once.");
  command->callback([seconds, once, &invocation] {
    TopWatch watch;
    if (invocation.json || *once || isatty(STDOUT_FILENO) == 0)
      show_once(watch, *seconds, invocation);
    else
      show_live(watch);
  });
}

}  // namespace stoker::cli
