#pragma once
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text/texts.h"
#include "stoker/element.h"

namespace stoker::data {

// A growing column of values that becomes an array: strings, float32 or int64.
class ValueColumn {
 public:
  static ValueColumn strings() { return ValueColumn(std::make_shared<Texts>()); }
  static ValueColumn floats() { return ValueColumn(std::vector<float>()); }
  static ValueColumn integers() { return ValueColumn(std::vector<int64_t>()); }

  void add(std::string_view text) { std::get<Strings>(values_)->add(text); }
  void add(float value) { std::get<std::vector<float>>(values_).push_back(value); }
  void add(int64_t value) { std::get<std::vector<int64_t>>(values_).push_back(value); }

  int64_t size() const {
    if (const auto* texts = std::get_if<Strings>(&values_))
      return static_cast<int64_t>((*texts)->size());
    if (const auto* numbers = std::get_if<std::vector<float>>(&values_))
      return static_cast<int64_t>(numbers->size());
    return static_cast<int64_t>(std::get<std::vector<int64_t>>(values_).size());
  }
  Array array(const Shape& shape) const {  // nothing can be added afterwards
    if (const auto* texts = std::get_if<Strings>(&values_)) return {*texts, shape};
    if (const auto* numbers = std::get_if<std::vector<float>>(&values_))
      return Array::from(*numbers, shape);
    return Array::from(std::get<std::vector<int64_t>>(values_), shape);
  }

 private:
  using Strings = std::shared_ptr<Texts>;
  using Values = std::variant<Strings, std::vector<float>, std::vector<int64_t>>;
  explicit ValueColumn(Values values) : values_(std::move(values)) {}
  Values values_;
};

}  // namespace stoker::data
