#include "stoker/open_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "data/open/source_kind.h"
#include "stoker/suggest.h"

namespace stoker::data {
namespace {

struct Registered {
  SourceKind kind;
  std::source_location place;
};
std::map<std::string, Registered>& kinds() {
  static std::map<std::string, Registered> all;
  return all;
}

std::string list_of_kinds() {
  std::string text = "known are";
  for (const auto& [name, one] : kinds()) text += fmt::format(" {} ({});", name, one.kind.files);
  text.back() = '.';
  return text;
}

}  // namespace

RegisterKind::RegisterKind(const SourceKind& kind, std::source_location place) {
  const auto [found, added] = kinds().try_emplace(kind.name, Registered{kind, place});
  const std::source_location& other = found->second.place;
  if (!added)
    throw Internal(fmt::format("two kinds of data are named \"{}\": {}:{} and {}:{}.", kind.name,
                               other.file_name(), other.line(), place.file_name(), place.line()));
}

bool has_ending(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

Dataset in_batches(Dataset samples, const OpenDatasetArgs& args) {
  constexpr int64_t buffer = 10000;  // for samples without indices
  if (args.shuffle) samples = samples.shuffle(buffer, {.seed = args.seed});
  return args.batch_size ? samples.batch(*args.batch_size) : samples;
}

image::Transform image_transform(const std::string& path, const OpenDatasetArgs& args) {
  if (args.transform) return *args.transform;
  const auto& size = args.image_size;
  if (size.empty() || size.size() > 2 || *std::min_element(size.begin(), size.end()) < 1)
    throw InvalidArgument(fmt::format("\"{}\" has images, which need one size for all.", path),
                          "give image_size (--image-size), such as 224 or 224,224.");
  return image::Transform(channels_of(args.color_mode))
      .resize(size.front(), size.back())
      .rescale(1);
}

}  // namespace stoker::data

namespace stoker {

int channels_of(const std::string& color_mode) {
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  if (color_mode == "grayscale") return 1;
  throw InvalidArgument(fmt::format("color_mode \"{}\".", color_mode),
                        did_you_mean(color_mode, {"rgb", "rgba", "grayscale"}));
}

OpenedDataset open_dataset(const std::string& path, const OpenDatasetArgs& args) {
  for (const auto& [name, one] : data::kinds())
    if (one.kind.takes(path)) {
      OpenedDataset opened = one.kind.open(path, args);
      opened.kind = name;
      return opened;
    }
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("there is no file or folder \"{}\".", path),
                  "paths are looked for from where the program is started.");
  throw InvalidArgument(fmt::format("\"{}\" is not a kind of data that can be opened.", path),
                        data::list_of_kinds());
}

}  // namespace stoker
