#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/sources/folder_index.h"
#include "stoker/directory_labels.h"
#include "stoker/element.h"

// Common part of datasets from folders: Keras's labels, split and shuffling.
namespace stoker::data {

enum class LabelMode { none, integer, binary, categorical };

struct FolderLabels {
  LabelMode mode = LabelMode::none;
  int64_t classes = 0;

  // Elements are samples, or samples with labels.
  ElementSpec spec(const TensorSpec& sample) const;
  void write(int32_t label, std::byte* to) const;
};

struct FolderArgs {
  const char* doing;  // the calling function, for errors
  const char* both;   // the function that returns both subsets
  DirectoryLabels labels;
  std::string label_mode;
  bool shuffle;
  std::optional<uint64_t> seed;
  double validation_split;
  std::string subset;
};
// Throw InvalidArgument for arguments that Keras refuses.
void check_split(const FolderArgs& args);
// The same where both subsets are returned.
void check_both(const FolderArgs& args);
// Is the class of a file the sub-folder that it is in?
bool infers_classes(const FolderArgs& args, const std::vector<std::string>& class_names);
// Gives the files the labels that the arguments list, if they do.
void give_labels(FolderIndex& index, const FolderArgs& args);
FolderLabels labels_of(const FolderArgs& args, size_t classes);
// The files of a subset, or all of them if it has no name. The two subsets are disjoint.
FolderIndex files_of_subset(FolderIndex index, const FolderArgs& args, const std::string& subset);

// The value for a name that an argument accepts.
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
