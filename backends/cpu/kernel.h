#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/implementations.h"

namespace stoker::cpu {

// A planned kernel. arguments: the inputs, then the outputs.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(void* const* arguments, void* workspace) noexcept = 0;
  uint64_t workspace = 0;
  const char* implementation = "";
};

// A kernel from a lambda (void* const* arguments, void* workspace).
template <class F>
std::unique_ptr<Kernel> make_kernel(F body, uint64_t workspace = 0) {
  struct Lambda : Kernel {
    explicit Lambda(F f) : body(std::move(f)) {}
    void run(void* const* arguments, void* scratch) noexcept override { body(arguments, scratch); }
    F body;
  };
  auto kernel = std::make_unique<Lambda>(std::move(body));
  kernel->workspace = workspace;
  return kernel;
}

using Planner = Implementations<Kernel>::Planner;

// `const RegisterKernel matmul{"matmul", "gemm", optimised, plan};` in the kernel's own file.
struct RegisterKernel {
  RegisterKernel(const char* op, const char* implementation, Rank rank, Planner planner,
                 std::source_location place = std::source_location::current());
};

// The first implementation that accepts the node; throws Unsupported with every refusal.
// STOKER_CPU_IMPLEMENTATION=reference restricts it to an op's reference rank.
std::unique_ptr<Kernel> plan(const NodeView& node);
// All that accept the node, for tests that compare them.
std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node);

// Calls f with a value of the C++ type for dtype; false for a dtype that the CPU does not compute
// in.
template <class F>
bool with_float_type(DType dtype, F&& f) {
  if (dtype == DType::float32) return f(float{}), true;
  if (dtype == DType::float64) return f(double{}), true;
  return false;
}
template <class F>
bool with_index_type(DType dtype, F&& f) {
  if (dtype == DType::int64) return f(int64_t{}), true;
  if (dtype == DType::int32) return f(int32_t{}), true;
  if (dtype == DType::int8) return f(int8_t{}), true;
  if (dtype == DType::uint8) return f(uint8_t{}), true;
  return false;
}
template <class F>
bool with_size_type(DType dtype, F&& f) {  // for ops that only move bytes
  switch (size_of(dtype)) {
    case 1:
      return f(uint8_t{}), true;
    case 2:
      return f(uint16_t{}), true;
    case 4:
      return f(uint32_t{}), true;
    default:
      return f(uint64_t{}), true;
  }
}

}  // namespace stoker::cpu
