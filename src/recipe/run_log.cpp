#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recipe/run_folder.h"
#include "stoker/config.h"

namespace stoker::nn {

void RunLog::add(int64_t epoch, const Logs& logs) {
  const std::lock_guard lock(mutex_);
  rows_.emplace_back(epoch, logs);
}
void RunLog::set(std::vector<Row> rows) {
  const std::lock_guard lock(mutex_);
  rows_ = std::move(rows);
}
std::vector<RunLog::Row> RunLog::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

void RunLog::interrupt(const PartialEpoch& part) {
  const std::lock_guard lock(mutex_);
  interrupted_ = part;
}

std::string RunLog::history() const {
  History history;
  for (const auto& [epoch, logs] : rows()) history.add(epoch, logs);
  const std::lock_guard lock(mutex_);
  history.interrupted = interrupted_;
  return to_config(history).to_string() + "\n";
}

// Not every epoch has all metrics: validation metrics depend on validation_freq.
std::vector<std::string> RunLog::metrics() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const auto add = [&](const Logs& logs) {
    for (const auto& [name, value] : logs)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const auto& [epoch, logs] : rows_) add(logs);
  if (interrupted_) add(interrupted_->logs);
  return names;
}

std::string RunLog::csv() const {
  const auto names = metrics();
  std::string text = "epoch";
  for (const std::string& name : names) text += "," + name;
  for (const auto& [epoch, logs] : rows()) {
    text += fmt::format("\n{}", epoch);
    for (const std::string& name : names) {
      const double* value = logs.find(name);
      text += value ? fmt::format(",{}", *value) : ",";
    }
  }
  return text + "\n";
}

Config to_config(const History& history) {
  Config table = Config::map();
  for (const auto& [name, values] : history.history) {
    Config::List list;
    for (const double value : values)
      list.push_back(std::isfinite(value) ? Config(value) : Config());
    table[name] = list;
  }
  if (history.interrupted) table["interrupted"] = stoker::to_config(*history.interrupted);
  return table;
}

}  // namespace stoker::nn
