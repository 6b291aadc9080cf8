#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "nn/saving/archive.h"
#include "stoker/io.h"

// Weights that Keras has split into several files: {"weight_map": {"/layers/dense/vars":
// "model_00000.weights.h5", …}}.
namespace stoker::nn {
namespace {

// Shards are in the folder of their index; names that lead elsewhere are refused.
void check_name(const std::string& name) {
  const std::filesystem::path path(name);
  if (name.empty() || path.has_parent_path() || path.filename() != path || name == "..")
    throw InvalidArgument(fmt::format("\"{}\" is not the name of a shard.", name),
                          "shards must be in the folder of their index.");
}

// A layer's variables may be in several shards.
void merge(H5Group& into, H5Group&& from, const std::string& shard) {
  for (auto& [name, dataset] : from.datasets)
    if (!into.datasets.try_emplace(name, std::move(dataset)).second)
      throw InvalidArgument(fmt::format("\"{}\" has \"{}\", as a shard before it.", shard, name));
  for (auto& [name, value] : from.attributes) into.attributes.try_emplace(name, std::move(value));
  for (auto& [name, group] : from.groups) merge(into.groups[name], std::move(group), shard);
}

}  // namespace

std::set<std::string> shard_names(const Config& index) {
  const Config* map = index.find("weight_map");
  if (!map || !map->is_map())
    throw InvalidArgument("an index of weights needs a \"weight_map\".",
                          "weights in several files are listed by one.");
  std::set<std::string> names;
  for (const auto& [path, files] : map->as_map())
    for (const Config& file : files.is_list() ? files.as_list() : Config::List{files})
      names.insert(file.as_string());
  for (const std::string& name : names) check_name(name);
  return names;
}

H5Group load_shards(const std::string& index) {
  H5Group root;
  for (const std::string& name : shard_names(load_json(index))) {
    const auto path = std::filesystem::path(index).parent_path() / name;
    merge(root, load_hdf5(path.string()), name);
  }
  return root;
}

}  // namespace stoker::nn
