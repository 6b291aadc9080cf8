#include "compiler.h"

#include <gtest/gtest.h>

#include <regex>

#include "kernel_files.h"
#include "kernel_source.h"
#include "ops/node_testing.h"

namespace stoker::cuda {
namespace {

std::string missing_compiler() {
  try {
    nvrtc();
    return "";
  } catch (const CudaError& error) {
    return error.what();
  }
}

// The first statement of every kernel in a file.
std::vector<std::string> first_statements(const std::string& text) {
  static const std::regex kernel("extern \"C\" __global__[^{]*\\{\\s*([^;]*;)");
  std::vector<std::string> statements;
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
    statements.push_back((*at)[1]);
  return statements;
}

TEST(KernelFiles, EveryKernelBeginsByWaiting) {
  size_t kernels = 0;
  for (const KernelFile& file : kernel_files()) {
    if (std::string(file.name) == "trainer/train_dense_stack.cuh") continue;  // launched by itself
    for (const std::string& statement : first_statements(file.text)) {
      EXPECT_EQ(statement, "begin_kernel();") << file.name;
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 50u);
}

TEST(KernelFiles, IncludesOfIncludesAreFound) {
  const auto files = included_files("#include \"indexing/gather.cuh\"\n");
  ASSERT_EQ(files.size(), 6u);
  EXPECT_STREQ(files[0]->name, "indexing/gather.cuh");
  EXPECT_STREQ(files[2]->name, "common/vectors.cuh");
}

TEST(KernelFiles, AMissingOneIsNamed) {
  try {
    included_files("#include \"reduce/argmix.cuh\"\n");
    FAIL() << "nothing was thrown";
  } catch (const CudaError& error) {
    EXPECT_NE(std::string(error.what()).find("\"reduce/argmix.cuh\""), std::string::npos);
  }
}

TEST(Function, KnowsWhetherItsKernelsWaitAndCountBlocks) {
  const Function counts(KernelSource("reduce/rows.cuh"), "reduce");
  EXPECT_TRUE(counts.starts_early());
  EXPECT_TRUE(counts.counts_blocks());
  EXPECT_FALSE(Function(KernelSource("reduce/argmax.cuh"), "argmax").counts_blocks());
  EXPECT_FALSE(Function(KernelSource("trainer/train_dense_stack.cuh"), "x").starts_early());
}

TEST(KernelSource, IsConstantsAndAFile) {
  const std::string text = KernelSource("reduce/argmax.cuh")
                               .type("element_t", DType::float16)
                               .constant("lanes", 8)
                               .constant("large", int64_t{1} << 40)
                               .constant("is_max", true)
                               .constant("EPSILON", 0.5)
                               .macro("SPLIT", false)
                               .constant("RATE", 0.25f)
                               .list("dims", std::vector<int64_t>{3, 4})
                               .list("seeds", std::vector<uint64_t>{1});
  EXPECT_EQ(text,
            "#include \"prelude.cuh\"\nusing element_t = float16;\nconstexpr int lanes = 8;\n"
            "constexpr int64_t large = 1099511627776;\nconstexpr bool is_max = true;\n"
            "constexpr double EPSILON = 0.5;\n#define SPLIT 0\n"
            "constexpr float RATE = 2.500000000e-01f;\n"
            "__device__ constexpr int64_t dims[] = {3, 4, 0};\n"
            "__device__ constexpr uint64_t seeds[] = {1ull, 0};\n#include \"reduce/argmax.cuh\"\n");
}

// A kernel does not compile without its constants.
TEST(CudaText, AMessageNamesTheKernelFileAndTheLine) {
  if (const std::string reason = missing_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  try {
    compile_text(KernelSource("reduce/argmax.cuh"), planned_gpu(90));
    FAIL() << "it compiled";
  } catch (const CudaError& error) {
    EXPECT_TRUE(std::regex_search(error.what(), std::regex("reduce/argmax\\.cuh[(:]\\d+")))
        << error.what();
  }
}

TEST(CudaText, BecomesPtxForAGpuNewerThanTheCompiler) {
  if (const std::string reason = missing_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string text = "extern \"C\" __global__ void one(int* x) { *x = 1; }\n";
  const int newest = nvrtc().architectures.back();
  EXPECT_NE(compile_text(text, planned_gpu(newest + 10)).find(".target sm_"), std::string::npos);
  EXPECT_EQ(compile_text(text, planned_gpu(newest)).find(".target sm_"), std::string::npos);
  EXPECT_THROW(compile_text(text, planned_gpu(10)), CudaError);
}

}  // namespace
}  // namespace stoker::cuda
