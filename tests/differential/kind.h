#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "differential/family.h"
#include "stoker/tensor.h"
#include "support/golden.h"
#include "support/tolerance.h"

namespace stoker::differential {

// How cases of a kind ("layer", "loss" …) are run. Each file registers its own.
struct Kind {
  std::vector<std::string> (*class_names)();  // supported ones; others are skipped
  void (*run)(const Family& family, const Config& record);
  Config (*rewrite)(const Config& object) = nullptr;  // the config of what it describes
  bool writes_more = false;  // also arguments that Keras's own configs omit
};

inline std::map<std::string, Kind>& kinds() {
  static std::map<std::string, Kind> all;
  return all;
}

struct RegisterKind {
  RegisterKind(const std::string& name, const Kind& kind) { kinds()[name] = kind; }
};

// {class_name, config} as Keras wrote it.
inline const Config& object_of(const Config& record) { return *record.find("object"); }

inline ::testing::AssertionResult near(const Array& got, const Array& want) {
  return golden::near(got, want, testing::keras_tolerance(want.dtype()));
}
// For values computed in another type than they are stored in.
inline ::testing::AssertionResult near(const Array& got, const Array& want, DType computed_in) {
  return golden::near(got, want, testing::keras_tolerance(computed_in));
}

inline bool is_zero(const Array& array) {
  for (int64_t i = 0; i < array.size(); ++i)
    if (array.at(i) != 0) return false;
  return true;
}

// Undefined and zero gradients are equivalent. Where Keras has numbers, they are compared.
inline ::testing::AssertionResult is_gradient(const Tensor& found, const Array& wanted,
                                              DType computed_in) {
  if (found.defined() && wanted.defined()) return near(found.array(), wanted, computed_in);
  if (found.defined() && !is_zero(found.array()))
    return ::testing::AssertionFailure() << "there is one, but Keras has None";
  if (wanted.defined() && !is_zero(wanted))
    return ::testing::AssertionFailure() << "there is none, but Keras has one";
  return ::testing::AssertionSuccess();
}

}  // namespace stoker::differential
