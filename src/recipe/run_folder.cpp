#include "recipe/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/atomic_file.h"
#include "nn/callbacks/fit_states.h"
#include "nn/saving/named_weights.h"
#include "stoker/io.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

constexpr const char* best_weights = "best.safetensors";
constexpr const char* last_weights = "last.safetensors";

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

RunRecorder::RunRecorder(const RunFolder& folder, std::string monitor, std::string recipe,
                         std::shared_ptr<OutputFiles> files)
    : folder_(folder),
      monitor_("output.monitor", {std::move(monitor), "auto"}),
      recipe_(std::move(recipe)),
      files_(std::move(files)) {}

void RunRecorder::on_train_begin(const Logs&) {
  names_.clear();
  weights_.clear();
  for (const auto& [name, variable] : named_weights(model(), "train")) {
    names_.push_back(name);
    weights_.push_back(variable.state());
  }
}

void RunRecorder::on_epoch_end(int64_t epoch, Logs& logs) {
  const auto booked = book(model(), ledger::Activity::checkpoint);
  log_->add(epoch, logs);
  epoch_ = epoch + 1;
  save_weights(is_best(logs));
  write_texts();
}

// Saves its weights; as best ones only if there are no others.
void RunRecorder::on_interrupt(const PartialEpoch& part) {
  const auto booked = book(model(), ledger::Activity::checkpoint);
  if (epoch_ == 0 && part.step == 0) return;
  log_->interrupt(part);
  const bool first = epoch_ == 0;
  epoch_ = part.epoch + 1;
  save_weights(first);
  write_texts();
}

// The optimizer may have replaced them by averages.
void RunRecorder::on_train_end(const Logs&) {
  const auto booked = book(model(), ledger::Activity::checkpoint);
  if (epoch_ > 0) save_weights(false);
}

void RunRecorder::save_weights(bool best) {
  const auto copies = copy_if_finite(weights_);
  if (!copies) return;
  const auto write = [names = names_, copies, epoch = epoch_,
                      last_saved = last_saved_](const std::string& path) {
    const std::vector<Array> values = copies->arrays();
    NamedArrays arrays;
    for (size_t i = 0; i < values.size(); ++i) arrays.emplace_back(names[i], values[i]);
    save_safetensors(path, arrays, {{"stoker", stoker::version()}});
    *last_saved = epoch;
  };
  if (best) submit(best_weights, write);
  submit(last_weights, write);
}

void RunRecorder::write_texts() {
  submit("history.json",
         [log = log_](const std::string& path) { write_file(path, log->history()); });
  submit("log.csv", [log = log_](const std::string& path) { write_file(path, log->csv()); });
  if (!std::exchange(recipe_written_, true))
    submit("recipe.toml",
           [recipe = recipe_](const std::string& path) { write_file(path, recipe); });
}

void RunRecorder::submit(const std::string& name,
                         std::function<void(const std::string& path)> write) {
  const std::string path = folder_.file(name);
  model().impl().fits.running->writer.submit(
      path, [path, write, files = files_] { files->write(path, [&] { write(path); }); });
}

std::string RunRecorder::why_unsaved() const {
  std::string why = files_->why_failed(folder_.file(last_weights));
  return why.empty() ? files_->why_failed(folder_.file(best_weights)) : why;
}

callbacks::CallbackState RunRecorder::state() const {
  Config::List epochs;
  for (const auto& [epoch, logs] : log_->rows()) {
    Config values = Config::map();
    for (const auto& [name, value] : logs) values[name] = value;
    epochs.emplace_back(Config::map({{"epoch", epoch}, {"logs", values}}));
  }
  return {Config::map(
      {{"epochs", epochs}, {"best", optional_value(best_)}, {"any_saved", any_saved_}})};
}

void RunRecorder::resume(const callbacks::CallbackState& state) {
  std::vector<RunLog::Row> rows;
  for (const Config& done : state.values.find("epochs")->as_list()) {
    Logs& logs = rows.emplace_back(done.find("epoch")->as_int(), Logs()).second;
    for (const auto& [name, value] : done.find("logs")->as_map()) logs.set(name, value.as_double());
  }
  if (!rows.empty())  // written by the previous run
    for (const char* name : {best_weights, last_weights, "history.json", "log.csv", "recipe.toml"})
      if (std::filesystem::exists(folder_.file(name))) files_->add(folder_.file(name));
  epoch_ = rows.empty() ? 0 : rows.back().first + 1;
  log_->set(std::move(rows));
  best_ = optional_value(state.values, "best");
  any_saved_ = state.values.find("any_saved")->as_bool();
}

// An epoch without validation has no val_ metrics; the first one is the best anyway.
bool RunRecorder::is_best(const Logs& logs) {
  const auto value = monitor_.value(logs, params(), model());
  const bool comparable = value && std::isfinite(*value);
  if (any_saved_ && !(comparable && monitor_.improves(*value, best_))) return false;
  best_ = comparable ? value : std::nullopt;
  any_saved_ = true;
  return true;
}

}  // namespace stoker::nn
