#include "nn/training/logs/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stoker/human_bytes.h"

namespace stoker::nn {
namespace {

constexpr size_t width = 48;
constexpr double worth_saying = 0.05;  // share of the time

double total(const std::vector<Account::Part>& parts) {
  double sum = 0;
  for (const auto& part : parts) sum += part.seconds;
  return std::max(sum, 1e-9);
}

std::string bar(double share) {
  const auto filled = static_cast<size_t>(std::lround(share * static_cast<double>(width)));
  std::string text;
  for (size_t i = 0; i < width; ++i) text += i < filled ? "█" : "░";
  return text;
}

std::string part_lines(const std::vector<Account::Part>& parts) {
  std::string text;
  const double all = total(parts);
  for (const auto& part : parts)
    if (const double share = part.seconds / all; share >= worth_saying / 5)
      text += fmt::format("{:<12} {} {:>3.0f} %\n", part.cause, bar(share), 100 * share);
  return text;
}

}  // namespace

std::string sparkline(const std::vector<double>& values, size_t columns) {
  static const char* const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.size() < 2) return "";
  const auto [low, high] = std::ranges::minmax(values);
  const double range = std::max(high - low, 1e-30);
  const size_t count = std::min(columns, values.size());
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const double value = values[i * (values.size() - 1) / (count - 1)];
    text += levels[static_cast<size_t>(std::clamp(7 * (value - low) / range, 0.0, 7.0))];
  }
  return text;
}

std::string waiting_text(const std::vector<Account::Part>& parts) {
  const double all = total(parts);
  std::string text;
  for (const auto& part : parts)
    if (part.cause == "working")
      text = fmt::format(" - working {:.0f} %", 100 * part.seconds / all);
  const auto cause = std::ranges::find_if(parts, [&](const Account::Part& part) {
    return part.cause != "working" && part.seconds >= worth_saying * all;
  });
  if (cause != parts.end()) text += fmt::format(", waits: {}", cause->cause);
  return text;
}

void LiveView::remember(const Logs& logs) {
  const double* loss = logs.find("loss");
  if (!loss || !std::isfinite(*loss)) return;
  losses_.push_back(*loss);
  if (losses_.size() < most) return;
  for (size_t i = 0; 2 * i < losses_.size(); ++i) losses_[i] = losses_[2 * i];
  losses_.resize((losses_.size() + 1) / 2);
}

std::string LiveView::draw(const Now& now) {
  remember(now.logs);
  const Account& account = now.account;
  std::string text =
      fmt::format("{} {}  epoch {}/{}  step {}{}  {:.0f} samples/s\n", account.device,
                  account.device_name, now.epoch + 1, now.epochs, now.step,
                  now.steps > 0 ? fmt::format("/{}", now.steps) : "", account.samples_per_second);
  text += part_lines(account.parts);
  if (account.memory > 0)
    text += fmt::format("memory       {} of {}\n", human_bytes(account.memory_used),
                        human_bytes(account.memory));
  for (const auto& [name, value] : now.logs)
    text += fmt::format("{:<12} {:.4g}  {}\n", name, value,
                        name == "loss" ? sparkline(losses_, width) : "");
  if (!account.advice.empty())
    text += fmt::format("do first     {}\n", account.advice.front().remedy);
  return text;
}

}  // namespace stoker::nn
