#pragma once
#include "stoker/dtype_policy.h"

namespace stoker::testing {

// The global dtype policy for a scope.
class PolicyScope {
 public:
  explicit PolicyScope(const DTypePolicy& policy) : before_(dtype_policy()) {
    set_dtype_policy(policy);
  }
  ~PolicyScope() { set_dtype_policy(before_); }
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  DTypePolicy before_;
};

}  // namespace stoker::testing
