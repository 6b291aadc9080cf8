#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/sources/folder_index.h"
#include "stoker/element.h"

// What the datasets of folders have in common: Keras's labels, split and shuffling.
namespace stoker::data {

enum class LabelMode { none, integer, binary, categorical };

struct FolderLabels {
  LabelMode mode = LabelMode::none;
  int64_t classes = 0;

  // Elements of a sample alone, or of the sample and its label.
  ElementSpec spec(const TensorSpec& sample) const;
  void write(int32_t label, std::byte* to) const;
};

struct FolderArgs {
  const char* doing;  // whose arguments these are
  std::string labels, label_mode;
  bool shuffle;
  std::optional<uint64_t> seed;
  double validation_split;
  std::string subset;
};
// Throw InvalidArgument for what Keras refuses.
void check_split(const FolderArgs& args);
FolderLabels labels_of(const FolderArgs& args, size_t classes);
// Shuffles the files and keeps those of the subset.
void choose_files(FolderIndex& index, const FolderArgs& args);

// The value of a name that an argument knows.
template <class T>
T chosen(const std::string& name, const std::vector<std::pair<std::string, T>>& known,
         const char* doing, const char* argument);
[[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& known,
                              const char* doing, const char* argument);

template <class T>
T chosen(const std::string& name, const std::vector<std::pair<std::string, T>>& known,
         const char* doing, const char* argument) {
  std::vector<std::string> names;
  for (const auto& [knows, value] : known) {
    if (knows == name) return value;
    names.push_back(knows);
  }
  refuse_name(name, names, doing, argument);
}

}  // namespace stoker::data
