#include "graph/attrs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stoker::graph {

Attrs::Attrs(std::initializer_list<std::pair<std::string, Attr>> items) {
  for (const auto& [name, value] : items) set(name, value);
}

void Attrs::set(const std::string& name, Attr value) {
  auto place =
      std::lower_bound(items_.begin(), items_.end(), name,
                       [](const auto& item, const std::string& key) { return item.first < key; });
  if (place != items_.end() && place->first == name)
    place->second = std::move(value);
  else
    items_.insert(place, {name, std::move(value)});
}

const Attr* Attrs::find(std::string_view name) const {
  for (const auto& [key, value] : items_)
    if (key == name) return &value;
  return nullptr;
}

template <class T>
static T get_or(const Attr* attr, T fallback) {
  const T* value = attr ? std::get_if<T>(attr) : nullptr;
  return value ? *value : fallback;
}

int64_t Attrs::integer(std::string_view name, int64_t fallback) const {
  return get_or(find(name), fallback);
}
double Attrs::number(std::string_view name, double fallback) const {
  return get_or(find(name), fallback);
}
std::string Attrs::text(std::string_view name, std::string fallback) const {
  return get_or(find(name), std::move(fallback));
}
std::vector<int64_t> Attrs::integers(std::string_view name) const {
  return get_or(find(name), std::vector<int64_t>{});
}
std::vector<double> Attrs::numbers(std::string_view name) const {
  return get_or(find(name), std::vector<double>{});
}

std::string Attrs::to_string() const {
  std::string text;
  for (const auto& [name, value] : items_) {
    if (!text.empty()) text += ", ";
    text += std::visit([&n = name](const auto& v) { return fmt::format("{}={}", n, v); }, value);
  }
  return text;
}

}  // namespace stoker::graph
