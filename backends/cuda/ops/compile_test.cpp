#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "ops/node_testing.h"
#include "test_places.h"

// Plans every node of the list for two kinds of GPU and compiles the kernels of all
// implementations. NVRTC needs no GPU for that.
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

// Nodes of ops whose folders have no tests.
[[maybe_unused]] const bool added = [] {
  const TensorType flag{DType::boolean, {}};
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const TensorType table{dtype, {1000, 16}}, values{dtype, {500, 16}}, rows{DType::int64, {500}};
    AddCompileCase("large table", {"scatter_add", {values, rows}, {table}});
    AddCompileCase("several", {"all_finite", {table, values}, {flag}});
    const TensorType log_p{dtype, {2, 10, 8}}, labels{DType::int32, {2, 5}};
    AddCompileCase("labels", {"ctc_loss", {labels, log_p}, {{dtype, {2}}, log_p}});
    AddCompileCase("scaled",
                   {"adam_update_if",
                    {table, table, table, table, {dtype, {}}, flag, {dtype, {}}},
                    {table, table, table}},
                   "scaled", int64_t{1}, "beta_1", 0.9, "beta_2", 0.999, "epsilon", 1e-7);
  }
  return true;
}();

// The types and the file of a program: without its sizes.
std::string without_sizes(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("using ") || line.starts_with("#include ")) kept += line + '\n';
  return kept;
}

class Compile : public ::testing::TestWithParam<int> {};

TEST_P(Compile, EveryPlannedKernel) {
  if (const std::string reason = missing_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  const Gpu gpu = planned_gpu(GetParam());
  const GpuScope scope(gpu);
  std::set<std::string> compiled;  // sizes make no difference between two kinds of GPU
  const auto is_new = [&](const std::string& text) {
    return gpu.capability >= 90 || compiled.insert(without_sizes(text)).second;
  };
  for (const CompileCase& one : compile_cases()) {
    SCOPED_TRACE(one.node.op() + ": " + one.name);
    const auto kernels = one.node.describe_to([](const StokerNode& node) {
      plan(NodeView(node));  // throws if all implementations refuse
      return plan_all(NodeView(node));
    });
    EXPECT_FALSE(kernels.empty());
    for (const auto& kernel : kernels)
      for (const auto& function : kernel->functions)
        if (is_new(function->text())) {
          EXPECT_NO_THROW(compile_text(function->text(), gpu, function->options()))
              << kernel->implementation;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(For, Compile, ::testing::Values(80, 90));

}  // namespace
}  // namespace stoker::cuda
