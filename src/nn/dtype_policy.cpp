#include "stoker/dtype_policy.h"

#include <fmt/format.h>

#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

DTypePolicy& global_policy() {
  static DTypePolicy policy("float32");
  return policy;
}

DType parse_policy_dtype(const std::string& name) {
  try {
    return parse_dtype(name);
  } catch (const InvalidArgument&) {
    std::vector<std::string> known{"mixed_float16", "mixed_bfloat16"};
    for (int i = 0; i < num_dtypes; ++i) known.emplace_back(name_of(static_cast<DType>(i)));
    throw InvalidArgument(fmt::format("unknown dtype policy \"{}\".", name),
                          did_you_mean(name, known));
  }
}

}  // namespace

DTypePolicy::DTypePolicy(const std::string& name) : name_(name) {
  if (name == "mixed_float16")
    compute_ = DType::float16;
  else if (name == "mixed_bfloat16")
    compute_ = DType::bfloat16;
  else
    compute_ = variable_ = parse_policy_dtype(name);
}

void set_dtype_policy(const DTypePolicy& policy) {
  if (!policy.defined() || !is_floating(policy.compute_dtype()))
    throw InvalidArgument(
        fmt::format("set_dtype_policy: \"{}\" is not a policy for all layers.", policy.name()),
        "use float32, float64, float16, bfloat16, mixed_float16 or mixed_bfloat16.");
  global_policy() = policy;
}

DTypePolicy dtype_policy() { return global_policy(); }

}  // namespace stoker
