#pragma once
#include <string>
#include <string_view>

#include "stoker/open_dataset.h"

namespace stoker::data {

// A kind of data that open_dataset() knows by its path. Each registers itself with a static
// RegisterKind.
struct SourceKind {
  const char* name;   // "CSV"
  const char* files;  // what it takes: "*.csv, *.csv.gz"
  bool (*takes)(const std::string& path);
  OpenedDataset (*open)(const std::string& path, const OpenDatasetArgs& args);
};
struct RegisterKind {
  explicit RegisterKind(const SourceKind& kind);
};

bool has_ending(std::string_view path, std::initializer_list<std::string_view> endings);
// Samples shuffled and in batches, as the arguments say.
Dataset in_batches(Dataset samples, const OpenDatasetArgs& args);
// What is made of images: the transform that was given, or resizing.
image::Transform image_transform(const std::string& path, const OpenDatasetArgs& args);
// Tables, or batches of them, as x and y. Throws for a target that is not there.
Dataset with_target(const Dataset& tables, const std::string& path, const OpenDatasetArgs& args);
// The name in a list that args.target stands for; empty: there is none.
std::string target_among(const std::vector<std::string>& names, const std::string& path,
                         const OpenDatasetArgs& args);

}  // namespace stoker::data
