#include <fmt/format.h>

#include <filesystem>

#include "data/open/source_kind.h"
#include "stoker/io.h"

namespace stoker::data {
namespace {

// MNIST's names: of the images in train-images-idx3-ubyte, the labels are in
// train-labels-idx1-ubyte.
std::string labels_of(const std::string& path) {
  const std::filesystem::path images(path);
  std::string name = images.filename().string();
  for (const auto& [part, instead] : {std::pair("images", "labels"), std::pair("idx3", "idx1")})
    if (const size_t at = name.rfind(part); at != name.npos)
      name.replace(at, std::string_view(part).size(), instead);
  return (images.parent_path() / name).string();
}

// The file of the labels, which alone may be compressed, or not be; empty: there is none.
std::string file_of_labels(const std::string& labels) {
  const bool packed = has_ending(labels, {".gz"});
  for (const std::string& name :
       {labels, packed ? labels.substr(0, labels.size() - 3) : labels + ".gz"})
    if (std::filesystem::exists(name)) return name;
  return {};
}

OpenedDataset open_idx(const std::string& path, const OpenDatasetArgs& args) {
  const std::string wanted = labels_of(path),
                    labels = wanted == path ? std::string() : file_of_labels(wanted);
  if (args.needs_target && labels.empty())
    throw IoError(fmt::format("\"{}\" has no labels: {}.", path,
                              wanted == path ? "it is not named as a file of images"
                                             : fmt::format("there is no \"{}\"", wanted)),
                  "as with MNIST, labels of *-images-idx3-ubyte are in *-labels-idx1-ubyte.");
  const Array images = load_array(path, {.mmap = true});
  const Element columns =
      labels.empty() ? Element(images) : Element::tuple({images, load_array(labels)});
  return {{}, in_batches(Dataset::from_tensor_slices(columns), args)};
}

const RegisterKind idx({"IDX",
                        "*-images-idx3-ubyte, also with .gz, with *-labels-idx1-ubyte next to it",
                        [](const std::string& path) {
                          return has_ending(path, {"-ubyte", "-ubyte.gz", ".idx", ".idx.gz"});
                        },
                        open_idx});

}  // namespace
}  // namespace stoker::data
