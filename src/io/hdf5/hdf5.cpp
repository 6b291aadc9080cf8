#include "io/hdf5/hdf5.h"

#include <fmt/format.h>

#include <new>

#include "io/atomic_file.h"
#include "stoker/error.h"

namespace stoker {
namespace {

// "a/b/c" → {"a", "b/c"}; "c" → {"c", ""}
std::pair<std::string_view, std::string_view> split_first(std::string_view path) {
  const size_t slash = path.find('/');
  if (slash == path.npos) return {path, {}};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// "a/b/c" → {"a/b", "c"}
std::pair<std::string_view, std::string_view> split_last(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

const H5Group* H5Group::find_group(std::string_view path) const {
  if (path.empty()) return this;
  const auto [first, rest] = split_first(path);
  const auto found = groups.find(first);
  return found == groups.end() ? nullptr : found->second.find_group(rest);
}

const H5Dataset* H5Group::find_dataset(std::string_view path) const {
  const auto [folder, name] = split_last(path);
  const H5Group* parent = find_group(folder);
  if (!parent) return nullptr;
  const auto found = parent->datasets.find(name);
  return found == parent->datasets.end() ? nullptr : &found->second;
}

H5Group& H5Group::group(std::string_view path) {
  if (path.empty()) return *this;
  const auto [first, rest] = split_first(path);
  return groups[std::string(first)].group(rest);
}

H5Dataset& H5Group::add(std::string_view path, H5Value value) {
  const auto [folder, name] = split_last(path);
  const auto [added, fresh] =
      group(folder).datasets.try_emplace(std::string(name), H5Dataset{std::move(value), {}});
  if (!fresh) throw InvalidArgument(fmt::format("there are two datasets \"{}\".", path));
  return added->second;
}

H5Group load_hdf5(const std::string& path) {
  try {
    return parse_hdf5(read_file(path));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("not enough host memory to read \"{}\".", path));
  }
}

void save_hdf5(const std::string& path, const H5Group& root) {
  const H5Image image(root);
  AtomicFile file(path);
  for (const auto part : image.parts()) file.write(part);
  file.commit();
}

}  // namespace stoker
