#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::data {

// The files of a folder with a sub-folder for each class, as found by Keras's index_directory.
struct FolderIndex {
  std::vector<std::string> paths, class_names;
  std::vector<int32_t> labels;  // one per path; empty without classes
};

struct FolderIndexArgs {
  bool classes = true;                        // false: all files in all folders
  std::vector<std::string> class_names = {};  // if not in alphabetical order
  std::vector<std::string> endings = {};      // of accepted files, in lower case: ".png"
  std::vector<std::string> refused = {};      // of files that are an error
  bool follow_links = false;                  // to folders
};
// Throws IoError for a folder that cannot be read or has no such file.
FolderIndex index_folder(const std::string& folder, const FolderIndexArgs& args);
// JPEG and PNG files; those of other formats are an error.
FolderIndex index_images(const std::string& folder, bool classes,
                         const std::vector<std::string>& class_names = {},
                         bool follow_links = false);

// Like numpy's RandomState(seed).shuffle, which Keras uses to shuffle files.
void shuffle_as_numpy(FolderIndex& index, uint32_t seed);

// The first or last part of the files, as in Keras's validation_split.
void keep_subset(FolderIndex& index, double validation_split, bool validation);

}  // namespace stoker::data
