#pragma once
#include <string>

#include "stoker/dtype.h"

namespace stoker {

// A layer's compute dtype and variable dtype: "float32", "float64", "float16", "bfloat16", or
// "mixed_float16" and "mixed_bfloat16", which compute in 16 bits with float32 weights.
class DTypePolicy {
 public:
  DTypePolicy() = default;                                                // none: the global one
  DTypePolicy(const std::string& name);                                   // NOLINT
  DTypePolicy(const char* name) : DTypePolicy(std::string(name)) {}       // NOLINT
  DTypePolicy(DType dtype) : DTypePolicy(std::string(name_of(dtype))) {}  // NOLINT

  bool defined() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  DType compute_dtype() const { return compute_; }
  DType variable_dtype() const { return variable_; }
  bool operator==(const DTypePolicy&) const = default;

 private:
  std::string name_;
  DType compute_ = DType::float32, variable_ = DType::float32;
};

// The policy of layers created from now on without one of their own; initially "float32".
void set_dtype_policy(const DTypePolicy& policy);
DTypePolicy dtype_policy();

}  // namespace stoker
