#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/open/image_bytes.h"
#include "data/open/source_kind.h"
#include "data/sources/braces.h"
#include "stoker/record_datasets.h"

namespace stoker::data {
namespace {

const std::vector<std::string> image_parts{"jpg", "jpeg", "png"};

// The extension of the samples' images.
std::string image_part(const std::vector<std::string>& names, const std::string& path) {
  for (const std::string& part : image_parts)
    if (std::find(names.begin(), names.end(), part) != names.end()) return part;
  throw InvalidArgument(
      fmt::format("the samples of \"{}\" have no image, only {}.", path, fmt::join(names, ", ")),
      "tar shards are opened for images; Stoker's webdataset() reads others.");
}

OpenedDataset open_shards(const std::string& path, const OpenDatasetArgs& args) {
  const FileNames files(expand_braces(path));
  const auto names = webdataset(files, {.decode = false}).element_spec().structure.names();
  const std::string image = image_part(names, path);
  OpenDatasetArgs asked = args;
  const bool has_class = std::find(names.begin(), names.end(), "cls") != names.end();
  if (asked.target.empty() && has_class) asked.target = "cls";
  const std::string target = target_among(names, path, asked);
  std::vector<std::string> parts{image};
  if (!target.empty()) parts.push_back(target);
  const Dataset samples = webdataset(files, {.extensions = parts})
                              .map(
                                  [=](const Element& sample) {
                                    return target.empty()
                                               ? sample[image]
                                               : Element::tuple({sample[image], sample[target]});
                                  },
                                  {.num_parallel_calls = AUTOTUNE});
  return {{}, in_batches(samples.map(image_transform(path, args)), args), {}, true};
}

const RegisterKind shards({"tar shards", "*.tar with 0001.jpg, 0001.cls …, also with {000..099}",
                           [](const std::string& path) {
                             return has_ending(path, {".tar", ".tar.gz", ".tgz"});
                           },
                           open_shards});

}  // namespace
}  // namespace stoker::data
