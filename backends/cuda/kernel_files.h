#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stoker::cuda {

// A file of kernels/ as it was when the backend was built.
struct KernelFile {
  const char* name;  // "reduce/argmax.cuh", as #include has it
  const char* text;
};

std::span<const KernelFile> kernel_files();            // written at build by embed_kernels.cmake
const KernelFile& kernel_file(std::string_view name);  // throws CudaError where there is none

// Those that a text includes, and those that they include: each once.
std::vector<const KernelFile*> included_files(std::string_view text);

}  // namespace stoker::cuda
