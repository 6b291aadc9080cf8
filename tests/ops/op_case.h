#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "graph/attrs.h"
#include "stoker/array.h"

// The table that op_case_test.cpp expands: one line per op and situation.
namespace stoker::testing {

using Plain = std::function<std::vector<double>(const std::vector<Array>& inputs)>;

struct OpCase {
  std::string op, name;
  std::vector<Array> inputs;  // float64 if floating-point
  graph::Attrs attrs = {};
  Plain plain = nullptr;  // the first output, computed without our kernels
};

// Inputs or arguments that an op must refuse.
struct Refusal {
  std::string op, name;
  std::vector<TensorType> inputs;
  graph::Attrs attrs = {};
  std::string says;  // part of the message
};

inline void PrintTo(const OpCase& one, std::ostream* out) { *out << one.op << " " << one.name; }
inline void PrintTo(const Refusal& one, std::ostream* out) { *out << one.op << " " << one.name; }

std::vector<OpCase>& op_cases();
std::vector<Refusal>& refusals();

// `const AddCases cases{{…}, {…}};` in the file of an op's family.
struct AddCases {
  explicit AddCases(std::vector<OpCase> cases, std::vector<Refusal> refused = {});
};

// Computes every element of the output from its index; for the `plain` side of a case.
inline std::vector<double> from_index(int64_t size, const std::function<double(int64_t)>& element) {
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(element(i));
  return values;
}

}  // namespace stoker::testing
