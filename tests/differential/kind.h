#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "differential/family.h"
#include "support/golden.h"
#include "support/tolerance.h"

namespace stoker::differential {

// How cases of a kind ("layer", "loss" …) are run. A file registers its own.
struct Kind {
  std::vector<std::string> (*class_names)();  // what is there; others are skipped
  void (*run)(const Family& family, const Config& record);
  Config (*rewrite)(const Config& object) = nullptr;  // the config of what it describes
  bool writes_more = false;  // also arguments that Keras's own configs forget
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
// What was computed in another type than it is kept in.
inline ::testing::AssertionResult near(const Array& got, const Array& want, DType computed_in) {
  return golden::near(got, want, testing::keras_tolerance(computed_in));
}

}  // namespace stoker::differential
