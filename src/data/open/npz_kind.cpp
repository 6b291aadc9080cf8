#include <fmt/format.h>

#include "data/open/source_kind.h"
#include "stoker/io.h"

namespace stoker::data {
namespace {

// The archive's members are columns; "x" and "y" are the usual names.
OpenedDataset open_npz(const std::string& path, const OpenDatasetArgs& args) {
  std::vector<std::pair<std::string, Element>> parts;
  for (const auto& [name, array] : load_npz(path)) parts.emplace_back(name, array);
  const Dataset rows = Dataset::from_tensor_slices(Element::table(parts));
  return {{}, with_target(in_batches(rows, args), path, args)};
}

OpenedDataset open_npy(const std::string& path, const OpenDatasetArgs& args) {
  return {{}, in_batches(Dataset::from_tensor_slices(load_array(path, {.mmap = true})), args)};
}

const RegisterKind npz({"npz", "*.npz with a member for each column, such as x and y",
                        [](const std::string& path) { return has_ending(path, {".npz"}); },
                        open_npz});
const RegisterKind npy({"npy", "*.npy, without targets",
                        [](const std::string& path) { return has_ending(path, {".npy"}); },
                        open_npy});

}  // namespace
}  // namespace stoker::data
