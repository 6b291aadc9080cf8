#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/dataset.h"
#include "stoker/directory_labels.h"

namespace stoker {

// Keras's arguments and defaults of text_dataset_from_directory.
struct TextDatasetArgs {
  DirectoryLabels labels = "inferred";        // by the sub-folders' names; "none": texts alone
  std::string label_mode = "int";             // int32; "binary" or "categorical": float32; "none"
  std::vector<std::string> class_names = {};  // those to read, in this order; empty: all, sorted
  std::optional<int64_t> batch_size = 32;     // none: single texts
  std::optional<int64_t> max_length = {};     // texts are truncated to so many bytes
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  // needed with shuffle and validation_split
  double validation_split = 0;        // fraction of the texts in subset "validation"
  std::string subset = {};    // "training" or "validation"; both: text_subsets_from_directory
  bool follow_links = false;  // to folders, within the folder of a class
};

struct TextDataset {
  Dataset dataset;  // of (string(batch), labels)
  std::vector<std::string> class_names;
  std::vector<std::string> file_paths;  // before shuffling by the dataset

  operator const Dataset&() const { return dataset; }  // NOLINT: fit(texts)
};

// .txt files in one folder per class. Subsets are the same as in Keras for the same seed.
TextDataset text_dataset_from_directory(const std::string& directory,
                                        const TextDatasetArgs& args = {},
                                        const Dataset::From& from = Dataset::From::current());

// Keras's subset = "both": the last part of the files, `validation_split` of them, is for
// validation, which is not shuffled.
struct TextSubsets {
  TextDataset training, validation;
};
TextSubsets text_subsets_from_directory(const std::string& directory, const TextDatasetArgs& args,
                                        const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
