#include "nn/training/ranks/start_together.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/feeds/feed.h"
#include "device/scope.h"
#include "distribution/collectives.h"
#include "exec/broadcast_states.h"
#include "nn/random_seed.h"
#include "nn/training/ranks/data_digest.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

std::string describe(const exec::States& states) {
  std::string text = fmt::format("{} states", states.size());
  for (const auto& state : states)
    text += fmt::format(", {} {}", state->name, to_string(state->type));
  return text;
}

// The steps of full and last batches share most states.
exec::States each_once(const exec::States& states) {
  exec::States found;
  for (const auto& state : states)
    if (std::ranges::find(found, state) == found.end()) found.push_back(state);
  return found;
}

// A model that cannot be saved is compared by its states alone.
std::string config_of(const Model& model) {
  try {
    return model.to_config().to_string();
  } catch (const Error&) {
    return "";
  }
}

std::string describe(const FitArgs& args, bool validates) {
  return fmt::format(
      "epochs {} to {}, steps_per_epoch {}, shuffle {}, {} validation data, validation_split {}, "
      "validation_freq {}, validation_steps {}, validation_batch_size {}",
      args.initial_epoch, args.epochs, args.steps_per_epoch, args.shuffle,
      validates ? "with" : "without", args.validation_split, args.validation_freq,
      args.validation_steps, args.validation_batch_size);
}

bool names_files(const std::string& key) {
  return key == "filename" || key == "filepath" || key == "log_dir" || key == "backup_dir";
}

// The arguments of callbacks; a rank may have folders of its own.
Config without_files(const Config& config) {
  if (config.is_list()) {
    Config::List kept;
    for (const Config& one : config.as_list()) kept.push_back(without_files(one));
    return kept;
  }
  if (!config.is_map()) return config;
  Config kept = Config::map();
  for (const auto& [key, value] : config.as_map())
    if (!names_files(key)) kept[key] = without_files(value);
  return kept;
}

void check_same_program() {
  distribution::check_same("the version", std::string(version()));
  distribution::check_same("the seed", std::to_string(global_seed()));
}

void check_same_data(const char* what, const RunData& data, int64_t batch_size) {
  const data::FeedPlan plan = data.source->plan(device::current_device(what));
  distribution::check_same(what, describe(data, plan, batch_size));
}

void check_batch_size(int64_t batch_size) {
  if (batch_size > 0 && batch_size < distribution::size())
    throw InvalidArgument(
        fmt::format("batch_size is {}, but {} processes divide every batch among them.", batch_size,
                    distribution::size()),
        "it is that of all processes together: make it larger, or start fewer of them.");
}

std::string describe(const std::optional<FitPosition>& at) {
  if (!at) return "none";
  return fmt::format("one of seed {} at epoch {}, batch {}", at->seed, at->epoch + 1,
                     at->batch + 1);
}

// In the order in which a rank runs them.
std::string sums_of(const exec::CompiledStep& step) {
  std::string text;
  for (const graph::Node& node : step.graph().nodes)
    if (node.op->name == "all_reduce")
      for (const graph::ValueId sum : node.outputs)
        text += to_string(step.graph().type(sum)) + ", ";
  return text;
}

}  // namespace

void check_together(const Model& model, const FitData& data, const FitArgs& args) {
  if (distribution::size() == 1) return;
  check_same_program();
  check_same_data("the training data", data.train, args.batch_size);
  distribution::check_same("fit", describe(args, data.validation.has_value()));
  if (data.validation)
    check_same_data("the validation data", *data.validation,
                    args.validation_batch_size > 0 ? args.validation_batch_size : args.batch_size);
  distribution::check_same("the model", config_of(model));
}

void check_together(const Model& model, const RunData& data, const EvaluateArgs& args) {
  if (distribution::size() == 1) return;
  check_same_program();
  check_same_data("the data", data, args.batch_size);
  distribution::check_same("evaluate", fmt::format("steps {}", args.steps));
  distribution::check_same("the model", config_of(model));
}

void check_callbacks_together(const Config& callbacks) {
  distribution::join();
  if (distribution::size() > 1)
    distribution::check_same("the list of callbacks", without_files(callbacks).to_string());
}

void start_together(const Session& session, const std::vector<exec::StepRef>& steps) {
  if (distribution::size() == 1) return;
  check_batch_size(session.feed->batch_size());
  const exec::States states = each_once(session.states);
  distribution::check_same("the model", describe(states));
  distribution::check_same("the checkpoint", describe(session.resumes));
  check_sums_together(steps);
  exec::broadcast_states(states);
}

void check_sums_together(const std::vector<exec::StepRef>& steps) {
  if (distribution::size() == 1) return;
  std::string sums;
  for (const exec::StepRef& step : steps) sums += sums_of(*step) + "; ";
  distribution::check_same("the order of the sums over all ranks", sums);
}

void start_together(const Model& model, const exec::CompiledStep& step) {
  if (distribution::size() == 1) return;
  exec::States states;
  for (const auto& use : step.graph().states) states.push_back(use.state);
  check_same_program();
  distribution::check_same("the model", describe(states));
  distribution::check_same("the model", config_of(model));
  exec::broadcast_states(states);
}

}  // namespace stoker::nn
