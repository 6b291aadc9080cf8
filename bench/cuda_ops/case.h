#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernel.h"
#include "stoker/shape.h"

namespace stoker::bench {

// A tensor of a case: `float32:32,784`, `float32:` (a scalar), `int32:64@0..9` (values' range).
struct CaseTensor {
  TensorType type;
  double low = -1, high = 1;
};

// One line: `matmul float32:32,784 float32:784,128 -> float32:32,128 transpose_b=0`. An attribute
// is an integer, a number with a point, a text, or integers as `[1,2]`.
class Case {
 public:
  explicit Case(const std::string& line);  // throws InvalidArgument
  std::string line, op;
  std::vector<CaseTensor> in, out;

  StokerNode node() const;  // valid as long as the case
  double bytes() const;     // read and written once
  double flops() const;     // of products, else 0

 private:
  void add_attribute(const std::string& name, const std::string& value);
  int64_t integer(const char* name) const;
  std::vector<StokerTensor> in_, out_;
  std::vector<StokerAttr> attrs_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<std::unique_ptr<std::vector<int64_t>>> lists_;
};

}  // namespace stoker::bench
