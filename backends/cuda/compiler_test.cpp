#include "compiler.h"

#include <gtest/gtest.h>

namespace stoker::cuda {
namespace {

TEST(CudaText, EveryKernelBeginsByWaiting) {
  const Function two(R"(
struct Range { int first, last; };
extern "C" __global__ void __launch_bounds__(256)
one(Range range) { if (range.first > 0) return; }
extern "C" __global__ void other(int* x) {
  *x = 1;
}
)",
                     "one");
  EXPECT_TRUE(two.starts_early());
  EXPECT_NE(two.text().find("one(Range range) { begin_kernel(); if"), std::string::npos);
  EXPECT_NE(two.text().find("other(int* x) { begin_kernel();\n"), std::string::npos);
}

TEST(CudaText, AKernelMadeByAMacroIsLeftAlone) {
  const Function one("#define KERNEL extern \"C\" __global__ void one()\nKERNEL { }\n", "one");
  EXPECT_FALSE(one.starts_early());
}

TEST(CudaText, WhatCountsBlocksSaysSo) {
  EXPECT_TRUE(Function("__device__ bool is_last_block() {}\n", "one").counts_blocks());
  EXPECT_FALSE(Function("__device__ bool is_first_block() {}\n", "one").counts_blocks());
}

TEST(CudaText, BecomesPtxForAGpuNewerThanTheCompiler) {
  try {
    nvrtc();
  } catch (const CudaError& error) {
    GTEST_SKIP() << error.what();
  }
  const std::string text = "extern \"C\" __global__ void one(int* x) { *x = 1; }\n";
  const int newest = nvrtc().architectures.back();
  EXPECT_NE(compile_text(text, newest + 10, {}).find(".target sm_"), std::string::npos);
  EXPECT_EQ(compile_text(text, newest, {}).find(".target sm_"), std::string::npos);
  EXPECT_THROW(compile_text(text, 10, {}), CudaError);
}

}  // namespace
}  // namespace stoker::cuda
