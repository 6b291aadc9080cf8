#include "data/sources/list_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "data/sources/slices.h"

namespace stoker {
namespace {

std::vector<std::string> matching(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> names(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::error_code unknown;  // of a name that cannot be one of a file
  if (names.empty() && std::filesystem::exists(pattern, unknown)) return {pattern};
  if (status != 0 && status != GLOB_NOMATCH)
    throw IoError(fmt::format("cannot read what \"{}\" names.", pattern));
  return names;
}

}  // namespace

std::vector<std::string> data::files_matching(const std::vector<std::string>& patterns,
                                              const char* doing) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns)
    for (std::string& name : matching(pattern)) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty())
    throw IoError(fmt::format("{}: no file matches {}.", doing, fmt::join(patterns, ", ")));
  return names;
}

Dataset Dataset::list_files(const std::vector<std::string>& patterns, const ListFilesArgs& args,
                            const From& from) {
  const auto names = data::files_matching(patterns, "list_files");
  const auto count = static_cast<int64_t>(names.size());
  const Dataset files = data::slices_of_files(Array::strings(names, Shape{count}), from);
  return args.shuffle ? files.shuffle(count, {.seed = args.seed}, from) : files;
}

}  // namespace stoker
