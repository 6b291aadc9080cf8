#pragma once
#include <source_location>
#include <string>
#include <string_view>

#include "stoker/open_dataset.h"

namespace stoker::data {

// A kind of data that open_dataset() recognises by its path. Each registers itself with a static
// RegisterKind.
struct SourceKind {
  const char* name;   // "CSV"
  const char* files;  // accepted files: "*.csv, *.csv.gz"
  bool (*takes)(const std::string& path);
  OpenedDataset (*open)(const std::string& path, const OpenDatasetArgs& args);
};
struct RegisterKind {
  // Throws Internal for a second kind of the name, with both places.
  explicit RegisterKind(const SourceKind& kind,
                        std::source_location place = std::source_location::current());
};

bool is_text_folder(const std::string& path);  // with *.txt in sub-folders, and no images
bool has_ending(std::string_view path, std::initializer_list<std::string_view> endings);
// Shuffled and batched samples, depending on the arguments.
Dataset in_batches(Dataset samples, const OpenDatasetArgs& args);
// For images: the given transform, or resizing.
image::Transform image_transform(const std::string& path, const OpenDatasetArgs& args);
// Converts dicts, or batches of them, to x and y. Throws for an unknown target.
Dataset with_target(const Dataset& tables, const std::string& path, const OpenDatasetArgs& args);
// Converts the named columns of single samples, alone or before a target, to one x, unless
// args.by_name is set.
Dataset with_one_x(const Dataset& samples, const std::string& path, const OpenDatasetArgs& args);
// The name in a list that args.target refers to; empty: none.
std::string target_among(const std::vector<std::string>& names, const std::string& path,
                         const OpenDatasetArgs& args);

}  // namespace stoker::data
