#include "kernel_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "ops/gemm/gemm.h"
#include "ops/node_testing.h"
#include "trainer/kernel_text.h"

// Every file of kernels/ is part of a program that a test compiles. tools/compile_kernels.py writes
// them to a folder, one for each file, and compiles them with nvcc.
namespace stoker::cuda {
namespace {

// Programs that no node is planned with without a GPU.
std::vector<std::string> further_programs(int capability) {
  const Gemm step{.m = 64,
                  .n = 64,
                  .k = 64,
                  .adam = true,
                  .bias_step = true,
                  .beta_1 = 0.9,
                  .beta_2 = 0.999,
                  .epsilon = 1e-7};
  std::vector<std::string> texts{
      KernelSource("program/staging.cuh"),
      KernelSource("program/copy_bytes.cuh"),
      KernelSource("program/host_rows.cuh"),
      KernelSource("conv/transpose_kernel.cuh").type("T", DType::float16),
      KernelSource("conv/add_borders.cuh").type("T", "int4"),
      gemm_source("gemm/bias_step.cuh", step).constant("COLUMN_VECTOR", 4),
      gemm_source("gemm/transpose_operands.cuh", step)};
  for (const char* file : {"attention/rows_forward.cuh", "attention/rows_backward.cuh"})
    texts.push_back(KernelSource(file)
                        .type("In", DType::float32)
                        .constant("CAUSAL", true)
                        .constant("MASKED", true)
                        .constant("SIZE", 64)
                        .constant("VALUES", 64)
                        .constant("SCALE", 0.125));
  if (capability < 90) return texts;
  trainer::StackSpec spec{.batch = 32, .inputs = 784, .loss = "sparse_categorical_crossentropy"};
  spec.layers = {{.units = 128, .activation = "relu"}, {.units = 10, .activation = "linear"}};
  std::string refusal;
  texts.push_back(trainer::kernel_text(spec, *trainer::lay_out(spec, refusal)));
  return texts;
}

// For each file that no other one includes: the program of the first case that uses it.
std::map<std::string, std::string> programs(int capability) {
  const Gpu gpu = planned_gpu(capability);
  const GpuScope scope(gpu);
  std::map<std::string, std::string> found;
  const auto add = [&](const std::string& text) {
    const size_t at = text.rfind("#include \"") + 10;
    found.try_emplace(text.substr(at, text.find('"', at) - at), text);
  };
  for (const CompileCase& one : compile_cases())
    for (const auto& kernel :
         one.node.describe_to([](const StokerNode& node) { return plan_all(NodeView(node)); }))
      for (const auto& function : kernel->functions) add(function->text());
  for (const std::string& text : further_programs(capability)) add(text);
  return found;
}

void write_all(const std::map<std::string, std::string>& texts,
               const std::filesystem::path& folder) {
  for (const auto& [file, text] : texts) {
    const std::filesystem::path path = (folder / file).replace_extension(".cu");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
}

TEST(KernelFiles, EveryOneIsInAProgramThatIsCompiled) {
  std::set<std::string> missing;
  for (const KernelFile& file : kernel_files()) missing.insert(file.name);
  const char* folder = std::getenv("STOKER_KERNEL_PROGRAMS");
  for (const int capability : {80, 90}) {
    const auto texts = programs(capability);
    for (const auto& [name, text] : texts)
      for (const KernelFile* file : included_files(text)) missing.erase(file->name);
    if (folder) write_all(texts, std::filesystem::path(folder) / std::to_string(capability));
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

}  // namespace
}  // namespace stoker::cuda
