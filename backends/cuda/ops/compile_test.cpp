#include <gtest/gtest.h>

#include <cstdlib>

#include "ops/node_testing.h"
#include "test_places.h"

// Plans every node of the list for two kinds of GPU and compiles what all of its implementations
// would launch. NVRTC needs no GPU for that.
namespace stoker::cuda {

std::vector<CompileCase>& compile_cases() {
  static std::vector<CompileCase> cases;
  return cases;
}

namespace {

std::string missing_compiler() {
  setenv("STOKER_CACHE_DIR", STOKER_BINARY_DIR "/compiled_kernels", 0);
  try {
    nvrtc();
    return "";
  } catch (const CudaError& error) {
    return error.what();
  }
}

class Compile : public ::testing::TestWithParam<int> {};

TEST_P(Compile, EveryPlannedKernel) {
  if (const std::string reason = missing_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  const Gpu gpu = planned_gpu(GetParam());
  const GpuScope scope(gpu);
  for (const CompileCase& one : compile_cases()) {
    SCOPED_TRACE(one.node.op() + ": " + one.name);
    const auto kernels = one.node.describe_to([](const StokerNode& node) {
      plan(NodeView(node));  // throws what each implementation refuses
      return plan_all(NodeView(node));
    });
    EXPECT_FALSE(kernels.empty());
    for (const auto& kernel : kernels)
      for (const auto& function : kernel->functions)
        EXPECT_NO_THROW(compile_text(function->text(), gpu, function->options()))
            << kernel->implementation;
  }
}

INSTANTIATE_TEST_SUITE_P(For, Compile, ::testing::Values(80, 90));

}  // namespace
}  // namespace stoker::cuda
