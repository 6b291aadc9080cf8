#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/open/image_bytes.h"
#include "data/open/named_images.h"
#include "data/open/source_kind.h"
#include "data/sources/braces.h"
#include "data/sources/web_part.h"
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

// The bytes of the image, which the worker threads decode as the transform needs it, its target and
// its name.
Element file_and_target(const Element& sample, const std::string& image, const std::string& target,
                        bool with_name) {
  const std::string key(sample["__key__"].array().text());
  std::vector<Element> parts{bytes_of(sample[image].array())};
  if (!target.empty())
    parts.push_back(decoded_part(target, sample[target].array().text(), key + "." + target));
  if (with_name) parts.push_back(Array::string(fmt::format("{}.{}", key, image)));
  return parts.size() == 1 ? parts[0] : Element::tuple(parts);
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
  const bool names_them = !args.keep_files;
  const Dataset samples = webdataset(files, {.extensions = parts, .decode = false})
                              .map(
                                  [=](const Element& sample) {
                                    return file_and_target(sample, image, target, names_them);
                                  },
                                  {.num_parallel_calls = AUTOTUNE});
  if (args.keep_files) return {{}, in_batches(samples, args)};
  return {{}, in_batches(map_named_images(samples, image_transform(path, args)), args), {}, true};
}

const RegisterKind shards({"tar shards", "*.tar with 0001.jpg, 0001.cls …, also with {000..099}",
                           [](const std::string& path) {
                             return has_ending(path, {".tar", ".tar.gz", ".tgz"});
                           },
                           open_shards});

}  // namespace
}  // namespace stoker::data
