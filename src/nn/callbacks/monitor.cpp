#include "nn/callbacks/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

#include "stoker/error.h"
#include "stoker/metric.h"
#include "stoker/model.h"
#include "stoker/say.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

// By the metric's class or name; case and underscores are ignored.
bool grows_when_better(std::string metric) {
  static const char* parts[] = {"acc",         "auc",  "precision",  "recall",      "f1",
                                "fbeta",       "iou",  "similarity", "sensitivity", "specificity",
                                "correlation", "topk", "r2"};
  std::erase(metric, '_');
  std::ranges::transform(metric, metric.begin(), [](unsigned char c) { return std::tolower(c); });
  return !metric.ends_with("loss") &&
         std::ranges::any_of(parts, [&](const char* p) { return metric.find(p) != metric.npos; });
}

bool is_validation(const std::string& metric) { return metric.starts_with("val_"); }

// The class of the model's metric, which may have any name, or else the name itself.
std::string kind_of(const std::string& metric, const Model& model) {
  static const std::set<std::string> any = {"Metric", "Mean", "MeanMetricWrapper"};
  const std::string name = is_validation(metric) ? metric.substr(4) : metric;
  for (const auto& found : model.metrics())
    if (found->name() == name && !any.contains(found->class_name())) return found->class_name();
  return name;
}

// An epoch without validation due to validation_freq, or an interrupted one.
bool lacks_validation(const Logs& logs) {
  return std::ranges::none_of(logs, [](const auto& log) { return is_validation(log.first); });
}

void check_mode(const std::string& owner, const Monitor::Args& args) {
  static const std::vector<std::string> modes = {"auto", "min", "max"};
  if (std::ranges::find(modes, args.mode) == modes.end())
    throw InvalidArgument(fmt::format("{}: unknown mode \"{}\".", owner, args.mode),
                          did_you_mean(args.mode, modes));
}

}  // namespace

Monitor::Monitor(std::string owner, const Args& args) : owner_(std::move(owner)), args_(args) {
  check_mode(owner_, args);
  args_.min_delta = std::abs(args.min_delta);
}

std::optional<double> Monitor::value(const Logs& logs, const FitParams& params,
                                     const Model& model) {
  larger_is_better_ =
      args_.mode == "auto" ? grows_when_better(kind_of(args_.metric, model)) : args_.mode == "max";
  if (const double* found = logs.find(args_.metric)) return *found;
  const bool only_later = params.validates && is_validation(args_.metric) && lacks_validation(logs);
  if (only_later || std::exchange(warned_, true)) return {};
  std::vector<std::string> known;
  for (const auto& [name, value] : logs) known.push_back(name);
  say(stderr, fmt::format("Warning: {} monitors \"{}\", which is not available. Available: {}.\n",
                          owner_, args_.metric, fmt::join(known, ", ")));
  return {};
}

bool Monitor::improves(double value, const std::optional<double>& reference) const {
  if (std::isnan(value)) return false;
  if (!reference || std::isnan(*reference)) return true;
  return larger_is_better_ ? value - args_.min_delta > *reference
                           : value + args_.min_delta < *reference;
}

}  // namespace stoker::nn
