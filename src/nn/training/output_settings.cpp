#include "nn/training/output_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

using MetricLists = std::vector<Metrics>;

template <class T>
void check_names(const char* what, const std::map<std::string, T>& by_name,
                 const std::vector<std::string>& outputs) {
  for (const auto& [name, value] : by_name)
    if (std::ranges::find(outputs, name) == outputs.end())
      throw InvalidArgument(
          fmt::format("compile: {} has \"{}\", which is not an output.", what, name),
          did_you_mean(name, outputs));
}

void expect_fit(const char* what, size_t given, size_t outputs) {
  if (given != outputs)
    throw InvalidArgument(fmt::format("compile: {} {} for {} outputs.", given, what, outputs));
}

void set_losses(const CompileArgs& args, const std::vector<std::string>& outputs,
                std::vector<OutputSettings>& settings) {
  check_names("loss_by_output", args.loss_by_output, outputs);
  if (args.loss.size() > 1) expect_fit("losses", args.loss.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!args.loss.empty()) settings[i].loss = args.loss[args.loss.size() == 1 ? 0 : i];
    const auto named = args.loss_by_output.find(outputs[i]);
    if (named != args.loss_by_output.end()) settings[i].loss = named->second;
  }
}

void set_loss_weights(const CompileArgs& args, const std::vector<std::string>& outputs,
                      std::vector<OutputSettings>& settings) {
  check_names("loss_weights_by_output", args.loss_weights_by_output, outputs);
  if (!args.loss_weights.empty())
    expect_fit("loss_weights", args.loss_weights.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!args.loss_weights.empty()) settings[i].loss_weight = args.loss_weights[i];
    const auto named = args.loss_weights_by_output.find(outputs[i]);
    if (named != args.loss_weights_by_output.end()) settings[i].loss_weight = named->second;
  }
}

// Keras's rule: with several outputs, a list must have an entry for each.
MetricLists by_output(const char* what, const Metrics& flat, const MetricLists& lists,
                      const std::map<std::string, Metrics>& by_name,
                      const std::vector<std::string>& outputs) {
  check_names(what, by_name, outputs);
  MetricLists result(outputs.size());
  if (!lists.empty()) {
    expect_fit(fmt::format("lists of {}", what).c_str(), lists.size(), outputs.size());
    result = lists;
  }
  if (outputs.size() == 1) {
    result[0].insert(result[0].end(), flat.begin(), flat.end());
  } else if (!flat.empty()) {
    if (flat.size() != outputs.size())
      throw InvalidArgument(
          fmt::format("compile: {} {} for {} outputs.", flat.size(), what, outputs.size()),
          fmt::format("give one for each output, or output_{} a list for each.", what));
    for (size_t i = 0; i < flat.size(); ++i) result[i].push_back(flat[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (const auto named = by_name.find(outputs[i]); named != by_name.end())
      result[i].insert(result[i].end(), named->second.begin(), named->second.end());
  return result;
}

}  // namespace

std::vector<OutputSettings> output_settings(const CompileArgs& args,
                                            const std::vector<std::string>& outputs) {
  std::vector<OutputSettings> settings(outputs.size());
  set_losses(args, outputs, settings);
  set_loss_weights(args, outputs, settings);
  const auto plain =
      by_output("metrics", args.metrics, args.output_metrics, args.metrics_by_output, outputs);
  const auto weighted =
      by_output("weighted_metrics", args.weighted_metrics, args.output_weighted_metrics,
                args.weighted_metrics_by_output, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    settings[i].metrics = plain[i];
    settings[i].weighted_metrics = weighted[i];
  }
  return settings;
}

}  // namespace stoker::nn
