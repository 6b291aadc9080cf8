#include "kernel_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "libraries/library.h"

namespace stoker::cuda {
namespace {

void add_included(std::string_view text, std::vector<const KernelFile*>& found) {
  constexpr std::string_view directive = "#include \"";
  for (size_t at = text.find(directive); at != text.npos; at = text.find(directive, at)) {
    at += directive.size();
    const KernelFile& file = kernel_file(text.substr(at, text.find('"', at) - at));
    if (std::ranges::find(found, &file) != found.end()) continue;
    found.push_back(&file);
    add_included(file.text, found);
  }
}

}  // namespace

const KernelFile& kernel_file(std::string_view name) {
  const auto files = kernel_files();
  const auto found = std::ranges::find(files, name, &KernelFile::name);
  if (found == files.end())
    throw CudaError(fmt::format("there is no kernel file \"{}\" in backends/cuda/kernels.", name));
  return *found;
}

std::vector<const KernelFile*> included_files(std::string_view text) {
  std::vector<const KernelFile*> found;
  add_included(text, found);
  return found;
}

}  // namespace stoker::cuda
