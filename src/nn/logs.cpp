#include <fmt/format.h>

#include "stoker/callback.h"
#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {

void Logs::set(const std::string& name, double value) {
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
