#include "nn/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/atomic_file.h"
#include "nn/callbacks/callback_states.h"
#include "stoker/config.h"
#include "stoker/model.h"

namespace stoker::nn {
namespace {

constexpr const char* best_weights = "best.safetensors";
constexpr const char* last_weights = "last.safetensors";

// JSON has no NaN.
Config number(const double* value) {
  return value && std::isfinite(*value) ? Config(*value) : Config();
}

}  // namespace

RunFolder::RunFolder(const std::string& path) : path_(path) {
  std::error_code ignored;
  for (std::filesystem::path p = path; !p.empty() && !std::filesystem::exists(p, ignored);
       p = p.parent_path())
    if (p.has_filename()) made_.push_back(p.string());
  ensure_writable_dir(path);
}

RunFolder::~RunFolder() {
  std::error_code not_empty;
  for (const auto& made : made_)
    if (!std::filesystem::remove(made, not_empty)) break;
}

RunRecorder::RunRecorder(const RunFolder& folder, std::string monitor, std::string recipe)
    : folder_(folder),
      monitor_("output.monitor", {std::move(monitor), "auto"}),
      recipe_(std::move(recipe)) {}

void RunRecorder::on_epoch_end(int64_t epoch, Logs& logs) {
  epochs_.emplace_back(epoch, logs);
  if (is_best(logs)) {
    model().save_weights(folder_.file(best_weights));
    add_file(best_weights);
  }
  model().save_weights(folder_.file(last_weights));
  add_file(last_weights);
  write("history.json", history());
  write("log.csv", log());
  if (epochs_.size() == 1) write("recipe.toml", recipe_);
}

// The optimizer may have put averages in their place.
void RunRecorder::on_train_end(const Logs&) {
  if (!epochs_.empty()) model().save_weights(folder_.file(last_weights));
}

callbacks::CallbackState RunRecorder::state() const {
  Config::List epochs;
  for (const auto& [epoch, logs] : epochs_) {
    Config values = Config::map();
    for (const auto& [name, value] : logs) values[name] = value;
    epochs.emplace_back(Config::map({{"epoch", epoch}, {"logs", values}}));
  }
  return {Config::map({{"epochs", epochs},
                       {"best", optional_value(best_)},
                       {"any_saved", any_saved_},
                       {"files", Config::List(files_.begin(), files_.end())}})};
}

void RunRecorder::resume(const callbacks::CallbackState& state) {
  epochs_.clear();
  for (const Config& done : state.values.find("epochs")->as_list()) {
    Logs& logs = epochs_.emplace_back(done.find("epoch")->as_int(), Logs()).second;
    for (const auto& [name, value] : done.find("logs")->as_map()) logs.set(name, value.as_double());
  }
  best_ = optional_value(state.values, "best");
  any_saved_ = state.values.find("any_saved")->as_bool();
  for (const Config& file : state.values.find("files")->as_list()) add_file(file.as_string());
}

// An epoch that was cut short has no val_ metrics; the first one counts as the best all the same.
bool RunRecorder::is_best(const Logs& logs) {
  const auto value = monitor_.value(logs, params(), model());
  const bool comparable = value && std::isfinite(*value);
  if (any_saved_ && !(comparable && monitor_.improves(*value, best_))) return false;
  best_ = comparable ? value : std::nullopt;
  any_saved_ = true;
  return true;
}

void RunRecorder::write(const std::string& name, const std::string& text) {
  write_file(folder_.file(name), text);
  add_file(name);
}

void RunRecorder::add_file(const std::string& name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
}

// Not every epoch has all of them: val_ metrics come with validation_freq.
std::vector<std::string> RunRecorder::metrics() const {
  std::vector<std::string> names;
  for (const auto& [epoch, logs] : epochs_)
    for (const auto& [name, value] : logs)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::string RunRecorder::history() const {
  Config::List numbers;
  Config values_of = Config::map();
  for (const std::string& name : metrics()) {
    Config::List values;
    for (const auto& [epoch, logs] : epochs_) values.push_back(number(logs.find(name)));
    values_of[name] = values;
  }
  for (const auto& [epoch, logs] : epochs_) numbers.emplace_back(epoch);
  return Config::map({{"epoch", numbers}, {"history", values_of}}).to_string() + "\n";
}

std::string RunRecorder::log() const {
  std::string text = "epoch";
  const auto names = metrics();
  for (const std::string& name : names) text += "," + name;
  for (const auto& [epoch, logs] : epochs_) {
    text += fmt::format("\n{}", epoch);
    for (const std::string& name : names) {
      const double* value = logs.find(name);
      text += value ? fmt::format(",{}", *value) : ",";
    }
  }
  return text + "\n";
}

}  // namespace stoker::nn
