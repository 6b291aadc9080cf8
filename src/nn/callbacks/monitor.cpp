#include "nn/callbacks/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/suggest.h"
#include "stoker/error.h"

namespace stoker::nn {
namespace {

// Mode "auto" goes by the name, as there may be no metric object behind it.
bool grows_when_better(const std::string& metric) {
  static const char* parts[] = {"acc", "auc", "precision", "recall", "f1", "iou", "top_k", "r2"};
  return std::ranges::any_of(parts, [&](const char* p) { return metric.find(p) != metric.npos; });
}

bool is_validation(const std::string& metric) { return metric.starts_with("val_"); }
// An epoch between those of validation_freq, or one that was interrupted.
bool lacks_validation(const Logs& logs) {
  return std::ranges::none_of(logs, [](const auto& log) { return is_validation(log.first); });
}

bool larger_is_better(const std::string& owner, const Monitor::Args& args) {
  static const std::vector<std::string> modes = {"auto", "min", "max"};
  if (std::ranges::find(modes, args.mode) == modes.end())
    throw InvalidArgument(fmt::format("{}: unknown mode \"{}\".", owner, args.mode),
                          did_you_mean(args.mode, modes));
  return args.mode == "auto" ? grows_when_better(args.metric) : args.mode == "max";
}

}  // namespace

Monitor::Monitor(std::string owner, const Args& args)
    : owner_(std::move(owner)), args_(args), larger_is_better_(larger_is_better(owner_, args)) {
  args_.min_delta = std::abs(args.min_delta);
}

std::optional<double> Monitor::value(const Logs& logs, const FitParams& params) {
  if (const double* found = logs.find(args_.metric)) return *found;
  const bool only_later = params.validates && is_validation(args_.metric) && lacks_validation(logs);
  if (only_later || std::exchange(warned_, true)) return {};
  std::vector<std::string> known;
  for (const auto& [name, value] : logs) known.push_back(name);
  fmt::print(stderr, "Warning: {} watches \"{}\", which is not available. There are: {}.\n", owner_,
             args_.metric, fmt::join(known, ", "));
  return {};
}

bool Monitor::improves(double value, const std::optional<double>& reference) const {
  if (std::isnan(value)) return false;
  if (!reference || std::isnan(*reference)) return true;
  return larger_is_better_ ? value - args_.min_delta > *reference
                           : value + args_.min_delta < *reference;
}

}  // namespace stoker::nn
