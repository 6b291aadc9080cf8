#include <fmt/format.h>

#include <algorithm>

#include "stoker/account.h"
#include "stoker/human_bytes.h"

namespace stoker {
namespace {

constexpr size_t label_width = 19;

std::string label(const std::string& text) { return fmt::format("{:<{}}", text, label_width); }

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string device_line(const Account& account) {
  std::string text = account.device;
  if (!account.device_name.empty()) text += " " + account.device_name;
  return fmt::format("{} · {} · {} steps · {}/step · {:.0f} samples/s · working {:.0f} %\n", text,
                     account.run, account.steps, duration(account.step_seconds),
                     account.samples_per_second,
                     account.wall > 0 ? 100 * account.busy / account.wall : 0);
}

std::string where(const Account& account) {
  std::string text = label(fmt::format("WHERE {} GO", duration(account.wall)));
  for (size_t i = 0; i < account.parts.size(); ++i)
    text += fmt::format("{}{} {}", i > 0 ? " | " : "", account.parts[i].cause,
                        duration(account.parts[i].seconds));
  return text + "\n";
}

// "1.34×", "2.7×", "110×"
std::string times(double ratio) {
  return fmt::format("{:.{}f}×", ratio, ratio < 2 ? 2 : ratio < 10 ? 1 : 0);
}

std::string gain(const Advice& advice) {
  if (advice.step_then <= 0) return "";
  return fmt::format("likely {} as fast (at most {}): {} a step instead of {}",
                     times(advice.step_now / advice.step_then),
                     times(advice.step_now / advice.step_low), duration(advice.step_then),
                     duration(advice.step_now));
}

std::string advice_lines(const std::string& title, const Advice& advice) {
  std::string text = label(title) + advice.sentence;
  if (!advice.place.empty()) text += fmt::format("  {}", advice.place);
  text += fmt::format("  [{}, {}]\n", advice.cause, advice.observed ? "observed" : "inferred");
  text += label("") + advice.remedy + "\n";
  if (const std::string won = gain(advice); !won.empty()) text += label("") + won + "\n";
  return text;
}

// " (61 % of the peak)": what is more comes out of caches.
std::string share_of(double rate, double peak) {
  if (peak <= 0) return "";
  if (rate > peak) return " (more than memory's rate: caches)";
  return fmt::format(" ({:.0f} % of the peak)", 100 * rate / peak);
}

// "WORK               24.1 GFLOP/s (13 % of the peak), 5.2 GB/s (22 % of the peak) · 1.9 of 2
// cores"
std::string work_line(const Account& account) {
  const Account::Work& work = account.work;
  if (work.flops <= 0 || account.busy <= 0) return "";
  const double per_second = static_cast<double>(account.steps) / account.busy;
  std::string text = fmt::format("{:.3g} GFLOP/s{}, {:.3g} GB/s{}", work.flops * per_second * 1e-9,
                                 share_of(work.flops * per_second, work.peak_flops),
                                 work.bytes * per_second * 1e-9,
                                 share_of(work.bytes * per_second, work.peak_bandwidth));
  if (!work.op.empty()) text += fmt::format(", most by {}", work.op);
  if (work.cores > 0) text += fmt::format(" · {:.1f} of {:.0f} cores", work.cores_used, work.cores);
  return label("WORK") + text + "\n";
}

// "MEMORY             41.00 GB of 141.00 GB · batch 64 → at most 212"
std::string memory_line(const Account& account) {
  std::string text;
  if (account.memory > 0)
    text = fmt::format("{} of {}", human_bytes(account.memory_used), human_bytes(account.memory));
  if (account.largest_batch > 0)
    text += fmt::format("{}batch {} → at most {}", text.empty() ? "" : " · ", account.batch_size,
                        account.largest_batch);
  return text.empty() ? "" : label("MEMORY") + text + "\n";
}

}  // namespace

std::string to_text(const Account& account) {
  std::string text = device_line(account) + where(account);
  if (account.advice.empty()) text += label("VERDICT") + account.verdict + "\n";
  for (size_t i = 0; i < std::min<size_t>(account.advice.size(), 3); ++i)
    text += advice_lines(i == 0 ? "DO THIS FIRST" : "THEN", account.advice[i]);
  return text + work_line(account) + memory_line(account);
}

}  // namespace stoker
