#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::data {

// The files of a folder that has a sub-folder for each class, as Keras's index_directory finds
// them.
struct FolderIndex {
  std::vector<std::string> paths, class_names;
  std::vector<int32_t> labels;  // of the paths; empty without classes
};

struct FolderIndexArgs {
  bool classes = true;                        // false: all files, in whatever folder
  std::vector<std::string> class_names = {};  // their order, if it is not the alphabet's
  std::vector<std::string> endings = {};      // of the files that count, in lower case: ".png"
  std::vector<std::string> refused = {};      // of those that are an error
};
// Throws IoError for a folder that cannot be read or has no such file.
FolderIndex index_folder(const std::string& folder, const FolderIndexArgs& args);
// JPEG and PNG files; those of other formats are an error.
FolderIndex index_images(const std::string& folder, bool classes,
                         const std::vector<std::string>& class_names = {});

// As numpy's RandomState(seed).shuffle, which is what Keras shuffles files with.
void shuffle_as_numpy(FolderIndex& index, uint32_t seed);

// The first or the last part of the files, as Keras's validation_split takes them.
void keep_subset(FolderIndex& index, double validation_split, bool validation);

}  // namespace stoker::data
