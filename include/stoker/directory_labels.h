#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace stoker {

// The labels of files in a folder: "inferred" by their sub-folders, "none", or a number for each
// file, in the order of the sorted file names.
struct DirectoryLabels {
  DirectoryLabels(const char* from) : how(from) {}                       // NOLINT
  DirectoryLabels(std::string from) : how(std::move(from)) {}            // NOLINT
  DirectoryLabels(std::vector<int64_t> list) : each(std::move(list)) {}  // NOLINT
  DirectoryLabels(std::initializer_list<int64_t> list) : each(list) {}   // NOLINT

  bool given() const { return how.empty(); }  // one by one

  std::string how;
  std::vector<int64_t> each;
};

}  // namespace stoker
