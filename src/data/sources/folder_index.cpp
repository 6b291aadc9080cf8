#include "data/sources/folder_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker::data {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool ends_so(const fs::path& path, const std::vector<std::string>& endings) {
  const std::string ending = lower(path.extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

[[noreturn]] void cannot_read(const std::string& folder, const std::string& why) {
  throw IoError(fmt::format("cannot read the folder {}: {}.", folder, why));
}

std::vector<std::string> sub_folders(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (std::error_code unknown;  // a link to itself, for instance
        entry.is_directory(unknown) && !entry.path().filename().string().starts_with('.'))
      names.push_back(entry.path().filename().string());
  if (failed) cannot_read(folder, failed.message());
  std::sort(names.begin(), names.end());
  return names;
}

// Does the link lead to a folder that it is in? Then it has no end.
bool leads_back(const fs::directory_entry& link) {
  std::error_code unknown;
  const fs::path to = fs::canonical(link.path(), unknown),
                 from = fs::canonical(link.path().parent_path(), unknown);
  return unknown || std::mismatch(to.begin(), to.end(), from.begin(), from.end()).first == to.end();
}

// Adds a folder's files to `paths`, sorted; returns its sub-folders, links to folders only if
// wanted.
std::vector<std::string> collect_files(const std::string& folder, const FolderIndexArgs& args,
                                       std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  std::vector<std::string> folders;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code unknown;  // a link to itself, for instance: its name decides
    if (!entry.is_directory(unknown))
      files.push_back(entry.path());
    else if (!entry.is_symlink(unknown) || (args.follow_links && !leads_back(entry)))
      folders.push_back(entry.path().string());
  }
  if (failed) cannot_read(folder, failed.message());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (ends_so(file, args.refused))
      throw IoError(fmt::format("the format of {} is not supported.", file.string()),
                    fmt::format("convert it to one of {}, or move it elsewhere.",
                                fmt::join(args.endings, ", ")));
    if (ends_so(file, args.endings)) paths.push_back(file.string());
  }
  return folders;
}

// In the order of Keras: folders sorted by their whole paths, as strings.
void collect(const std::string& folder, const FolderIndexArgs& args,
             std::vector<std::string>& paths) {
  std::set<std::string> folders{folder};  // those in a folder come behind it
  for (auto next = folders.begin(); next != folders.end(); ++next)
    for (std::string& inner : collect_files(*next, args, paths)) folders.insert(std::move(inner));
}

std::vector<std::string> classes_of(const std::string& folder, const FolderIndexArgs& args) {
  const std::vector<std::string> found = sub_folders(folder);
  if (args.class_names.empty()) return found;
  for (const std::string& name : args.class_names)
    if (!std::binary_search(found.begin(), found.end(), name))
      throw InvalidArgument(fmt::format("class_names has {}, but {} has the folders {}.", name,
                                        folder, fmt::join(found, ", ")));
  return args.class_names;
}

}  // namespace

FolderIndex index_folder(const std::string& folder, const FolderIndexArgs& args) {
  FolderIndex index;
  if (args.classes) index.class_names = classes_of(folder, args);
  if (!args.classes) collect(folder, args, index.paths);
  for (size_t label = 0; label < index.class_names.size(); ++label) {
    collect((fs::path(folder) / index.class_names[label]).string(), args, index.paths);
    if (index.paths.size() == index.labels.size())
      say(stderr, fmt::format("{}/{} has no file with one of the endings {}.\n", folder,
                              index.class_names[label], fmt::join(args.endings, ", ")));
    index.labels.resize(index.paths.size(), static_cast<int32_t>(label));
  }
  if (index.paths.empty())
    throw IoError(fmt::format("{} has no file with one of the endings {}{}.", folder,
                              fmt::join(args.endings, ", "),
                              args.classes ? " in a sub-folder for its class" : ""));
  return index;
}

FolderIndex index_images(const std::string& folder, bool classes,
                         const std::vector<std::string>& class_names, bool follow_links) {
  return index_folder(folder, {.classes = classes,
                               .class_names = class_names,
                               .endings = {".jpg", ".jpeg", ".png"},
                               .refused = {".bmp", ".gif", ".webp", ".tif", ".tiff"},
                               .follow_links = follow_links});
}

void shuffle_as_numpy(FolderIndex& index, uint32_t seed) {
  std::mt19937 random(seed);
  for (size_t i = index.paths.size(); i-- > 1;) {
    uint32_t mask = static_cast<uint32_t>(i);
    for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
    uint32_t j = random() & mask;
    while (j > i) j = random() & mask;
    std::swap(index.paths[i], index.paths[j]);
    if (!index.labels.empty()) std::swap(index.labels[i], index.labels[j]);
  }
}

void keep_subset(FolderIndex& index, double validation_split, bool validation) {
  const auto held =
      static_cast<std::ptrdiff_t>(validation_split * static_cast<double>(index.paths.size()));
  const auto keep = [&](auto& all) {
    if (validation)
      all.erase(all.begin(), all.end() - held);
    else
      all.erase(all.end() - held, all.end());
  };
  keep(index.paths);
  if (!index.labels.empty()) keep(index.labels);
}

}  // namespace stoker::data
