#include <fmt/format.h>

#include <cmath>

#include "data/tuning/consumer.h"

namespace stoker::data {
namespace {

constexpr double worth_saying = 0.05;  // fraction of the time spent waiting
constexpr int64_t enough = 8;          // elements

std::string grouped(double number) {  // 2,150
  const std::string digits = fmt::format("{:.0f}", number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

// Thread time of a stage per element of the last stage.
struct Share {
  const StageStatistics* stage = nullptr;
  double elements = 0, seconds = 0;
};

Share share_of(const StageStatistics& stage, int64_t taken) {
  const double elements = static_cast<double>(stage.elements) / static_cast<double>(taken);
  return {&stage, elements, elements * stage.seconds_per_element};
}

struct Limits {
  Share serial, parallel;       // the slower of the two bounds
  double parallel_seconds = 0;  // of all stages that share the threads
};

Limits limits_of(const PipelineStatistics& of) {
  Limits limits;
  for (const StageStatistics& stage : of.stages) {
    const Share share = share_of(stage, of.taken);
    if (stage.parallel) limits.parallel_seconds += share.seconds;
    Share& slowest = stage.parallel ? limits.parallel : limits.serial;
    if (share.seconds > slowest.seconds) slowest = share;
  }
  return limits;
}

std::string sentence(const Share& share, double seconds, double possible, int64_t cores,
                     const std::string& remedy) {
  return fmt::format(
      "{} ({}) limits you to {} elements/s on {} core{}; the device takes {}: {} or a cache after "
      "it would feed it.",
      share.stage->name, share.stage->where, grouped(share.elements / seconds), cores,
      cores == 1 ? "" : "s", grouped(share.elements * possible), remedy);
}

}  // namespace

std::string verdict_on(const PipelineStatistics& of) {
  if (of.taken < enough || of.waited_seconds < worth_saying * of.seconds) return {};
  const double possible =
      static_cast<double>(of.taken) / std::max(of.seconds - of.waited_seconds, 1e-9);
  const Limits limits = limits_of(of);
  const double shared = limits.parallel_seconds / static_cast<double>(of.threads);
  const double needed = std::ceil(possible * limits.parallel_seconds);
  if (limits.serial.seconds > shared && limits.serial.seconds * possible > 1)
    return sentence(limits.serial, limits.serial.seconds, possible, 1,
                    limits.serial.stage->name == "map"
                        ? "num_parallel_calls = AUTOTUNE (if its calls share nothing)"
                        : "making its work a parallel map");
  if (limits.parallel.stage && needed > static_cast<double>(of.threads))
    return sentence(limits.parallel, shared, possible, of.threads,
                    fmt::format("{} cores", grouped(needed)));
  return {};
}

}  // namespace stoker::data
