#include "nn/profile/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "device/scope.h"
#include "exec/compiled_step.h"
#include "ledger/account.h"
#include "nn/memory/device_of_model.h"
#include "nn/model_impl.h"
#include "nn/profile/layer_costs.h"
#include "nn/profile/memory_over_time.h"
#include "nn/profile/step_work.h"
#include "nn/profile/timeline.h"

namespace stoker {
namespace nn {
namespace {

Config settings_of(const FitArgs& args, int64_t batch_size) {
  Config settings = Config::map({{"batch_size", batch_size},
                                 {"epochs", args.epochs},
                                 {"initial_epoch", args.initial_epoch},
                                 {"shuffle", args.shuffle},
                                 {"validation_split", args.validation_split},
                                 {"validation_freq", args.validation_freq},
                                 {"steps_per_epoch", args.steps_per_epoch},
                                 {"callbacks", static_cast<int64_t>(args.callbacks.size())}});
  settings["recompute"] = args.recompute.always();
  return settings;
}

// The epochs for which a metric has values: all, or those with validation.
std::vector<int64_t> epochs_of(const History& history, size_t values, int64_t validation_freq) {
  std::vector<int64_t> epochs;
  for (const int64_t epoch : history.epoch)
    if (values == history.epoch.size() || (epoch + 1) % validation_freq == 0)
      epochs.push_back(epoch + 1);
  while (epochs.size() < values) epochs.push_back(epochs.empty() ? 1 : epochs.back() + 1);
  epochs.resize(values);
  return epochs;
}

std::vector<RunRecord::Curve> curves_of(const RunNotes& notes, const History& history) {
  std::vector<RunRecord::Curve> curves;
  for (const auto& [name, values] : history.history) {
    curves.push_back({name, epochs_of(history, values.size(), notes.validation_freq), values});
    for (double& value : curves.back().values)
      if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
  return curves;
}

RunRecord::Profile profile_of(const RunNotes& notes) {
  const ProfiledSteps& profile = notes.profile;
  RunRecord::Profile found{.asked = profile.asked,
                           .steps = static_cast<int64_t>(profile.steps.size()),
                           .note = profile.note};
  if (found.steps > 0) {
    const double steps = static_cast<double>(found.steps);
    found.step_seconds = static_cast<double>(profile.measured) * 1e-9 / steps;
    for (const device::Span& call : profile.calls)
      found.call_seconds += static_cast<double>(call.end - call.begin) * 1e-9 / steps;
  }
  const bool whole = profile.calls.size() == profile.steps.size() && !profile.calls.empty();
  if (whole)
    found.note = fmt::format("The whole step is one kernel ({}): its parts cannot be told apart.",
                             profile.calls[0].name);
  else if (found.note.empty() && profile.asked.to > 0 && found.steps == 0)
    found.note =
        fmt::format("Steps {} to {} should have been profiled, but the run had only {} steps.",
                    profile.asked.from, profile.asked.to, notes.steps);
  if (profile.dropped > 0)
    found.note += fmt::format(
        "{}{} calls of these steps were dropped for lack of room, so the times are too short: "
        "profile fewer steps.",
        found.note.empty() ? "" : " ", profile.dropped);
  return found;
}

void add_model(RunRecord& run, const Model& model) {
  run.name = model.name();
  for (const LayerRef& layer : model.layers())
    run.model.push_back(
        {layer->name(), layer->class_name(), layer->built() ? layer->count_params() : 0});
}

}  // namespace

RunNotes begin_notes(const FitArgs& args, int64_t batch_size) {
  RunNotes notes;
  notes.started = fmt::format(
      "{:%Y-%m-%d %H:%M:%S} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  notes.batch_size = batch_size;
  notes.validation_freq = args.validation_freq;
  notes.settings = settings_of(args, batch_size);
  return notes;
}

void finish_notes(RunNotes& notes, const History& history) {
  notes.history = history;
  notes.state = history.interrupted ? "interrupted" : "finished";
}

void flatten(const Config& config, const std::string& prefix, TextPairs& into) {
  if (config.is_map())
    for (const auto& [key, value] : config.as_map())
      flatten(value, prefix.empty() ? key : prefix + "." + key, into);
  else if (config.is_list() && !config.as_list().empty() && !config.as_list()[0].is_number())
    for (size_t i = 0; i < config.as_list().size(); ++i)
      flatten(config.as_list()[i], fmt::format("{}.{}", prefix, i), into);
  else if (!config.is_null())
    into.emplace_back(prefix, config.is_string() ? config.as_string() : config.to_string());
}

RunRecord record_of(Model& model, const ledger::RunFacts& facts) {
  const Fits& fits = model.impl().fits;
  const Session* const running = fits.running;
  const RunNotes& notes = running ? running->notes : fits.last.notes;
  const device::Device device = device_of(model, "record");
  const device::Scope scope(device);

  RunRecord run;
  add_model(run, model);
  run.started = notes.started;
  run.state = notes.started.empty() ? "not run" : notes.state;
  run.account = ledger::account_of(facts);
  run.account_line = running ? ledger::line_of(facts.wall, facts.host) : fits.last.account;
  run.curves = curves_of(notes, running ? running->history : notes.history);
  run.profile = profile_of(notes);
  run.timeline = timeline_of(running ? running->ledger : fits.last.ledger, notes);
  if (const exec::StepRef step = notes.step.lock()) {
    add_layers(run, *step, notes.profile, !running);
    add_work(*step, run.account.work);
    run.memory = memory_over_time(*step, notes.batch_size);
  }
  run.input = facts.input;
  flatten(notes.settings, "fit", run.settings);
  flatten(model.get_compile_config(), "compile", run.settings);
  run.environment = environment_of(device);
  return run;
}

}  // namespace nn

RunRecord Model::record() {
  const nn::Session* const running = impl_->fits.running;
  const bool runs = running && running->facts_so_far;
  return nn::record_of(*this, runs ? running->facts_so_far() : impl_->fits.last.times);
}

}  // namespace stoker
