#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker {

struct OpenDatasetArgs {
  // The column, feature or part that is to be predicted; empty: the one called "label", "target",
  // "class" or "y", if there is one.
  std::string target = {};
  std::vector<int64_t> image_size = {};            // height and width of all images
  std::optional<image::Transform> transform = {};  // what is made of images instead of resizing
  std::string color_mode = "rgb";                  // "rgba", "grayscale"
  std::string label_mode = "int";  // of image folders: "binary", "categorical", "none"
  bool keep_files = false;         // images as the bytes of their files, uint8 (n,)
  bool by_name = false;  // several columns: parts by their names, instead of one vector of all
  bool shuffle = false;
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> batch_size = 32;  // none: single samples
};

int channels_of(const std::string& color_mode);  // throws InvalidArgument

struct OpenedDataset {
  std::string kind;  // "image folder", "CSV", …
  Dataset dataset;   // of (x, y), or of x alone
  std::vector<std::string> class_names = {};
};

// The data that a path names, as the program's --data takes it: a folder of images, a CSV file,
// TFRecords, tar shards, an npz archive with x and y, a file that Dataset::save has written.
OpenedDataset open_dataset(const std::string& path, const OpenDatasetArgs& args = {});

}  // namespace stoker
