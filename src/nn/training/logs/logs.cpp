#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stoker/callback.h"
#include "stoker/config.h"
#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {

void Logs::set(const std::string& name, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();  // never "-nan"
  for (auto& [key, known] : items_)
    if (key == name) {
      known = value;
      return;
    }
  items_.emplace_back(name, value);
}

const double* Logs::find(const std::string& name) const {
  for (const auto& [key, value] : items_)
    if (key == name) return &value;
  return nullptr;
}

double Logs::operator[](const std::string& name) const {
  if (const double* value = find(name)) return *value;
  std::vector<std::string> known;
  for (const auto& [key, value] : items_) known.push_back(key);
  throw InvalidArgument(fmt::format("the logs have no \"{}\".", name), did_you_mean(name, known));
}

Config to_config(const PartialEpoch& part) {
  Config logs = Config::map();
  for (const auto& [name, value] : part.logs)  // JSON has no NaN
    logs[name] = std::isfinite(value) ? Config(value) : Config();
  return Config::map({{"epoch", part.epoch}, {"step", part.step}, {"of", part.of}, {"logs", logs}});
}

bool History::contains(const std::string& name) const {
  for (const auto& [key, values] : history)
    if (key == name) return true;
  return false;
}

void History::add(int64_t number, const Logs& logs) {
  epoch.push_back(number);
  for (const auto& [name, value] : logs) {
    auto known = history.begin();
    while (known != history.end() && known->first != name) ++known;
    if (known == history.end()) known = history.insert(known, {name, {}});
    known->second.push_back(value);
  }
}

const std::vector<double>& History::operator[](const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [key, values] : history) {
    if (key == name) return values;
    known.push_back(key);
  }
  throw InvalidArgument(fmt::format("the history has no \"{}\".", name), did_you_mean(name, known));
}

}  // namespace stoker
