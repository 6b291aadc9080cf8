#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stoker::graph {

using Attr = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

// An op's arguments, sorted by name so that equal argument lists compare equal.
class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, Attr>> items);

  void set(const std::string& name, Attr value);
  const Attr* find(std::string_view name) const;

  // A missing attribute has the default value; without a default it is an internal error.
  int64_t integer(std::string_view name, int64_t fallback = 0) const;
  double number(std::string_view name, double fallback = 0) const;
  std::string text(std::string_view name, std::string fallback = {}) const;
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  bool flag(std::string_view name) const { return integer(name, 0) != 0; }

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  size_t size() const { return items_.size(); }
  bool operator==(const Attrs&) const = default;
  std::string to_string() const;

 private:
  std::vector<std::pair<std::string, Attr>> items_;
};

}  // namespace stoker::graph
