#pragma once
#include <fmt/format.h>

#include "stoker/dataset.h"
#include "support/golden.h"

// Elements of datasets in the golden file "datasets".
namespace stoker::golden {

// Calls f with every case of a class.
template <class F>
void for_dataset_cases(const char* class_name, F f) {
  static const Group group = load("datasets");
  size_t count = 0;
  for (const Config& c : group.cases()) {
    if (c.find("class_name")->as_string() != class_name) continue;
    SCOPED_TRACE(c.to_string().substr(0, 600));
    f(c);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

// An element in the golden file's form: shape and values of each array.
inline std::string description(const Element& element) {
  std::string text;
  for (const Array& array : element.arrays()) {
    text += to_string(array.shape()) + ":";
    for (int64_t i = 0; i < array.size(); ++i) text += fmt::format(" {}", array.at(i));
    text += "; ";
  }
  return text;
}
inline std::string description(const Config& element) {
  std::string text;
  for (const Config& array : element.as_list()) {
    std::vector<int64_t> dims;
    for (const Config& dim : array.find("shape")->as_list()) dims.push_back(dim.as_int());
    text += to_string(Shape(dims)) + ":";
    for (const Config& value : array.find("values")->as_list())
      text += fmt::format(" {}", value.as_double());
    text += "; ";
  }
  return text;
}

inline void expect_elements(const Dataset& dataset, const Config& c) {
  std::vector<std::string> got, want;
  for (const Element& element : dataset.take(100)) got.push_back(description(element));
  for (const Config& element : c.find("elements")->as_list()) want.push_back(description(element));
  EXPECT_EQ(got, want);
}

}  // namespace stoker::golden
