#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker {

struct OpenDatasetArgs {
  // The column, feature or part to predict; empty: the one called "label", "target", "class" or
  // "y", if any.
  std::string target = {};
  bool needs_target = false;                       // an error if there is none
  std::vector<int64_t> image_size = {};            // height and width of all images
  std::optional<image::Transform> transform = {};  // applied to images instead of resizing
  std::string color_mode = "rgb";                  // "rgba", "grayscale"
  std::string label_mode = "int";  // of image folders: "binary", "categorical", "none"
  bool keep_files = false;         // images as the bytes of their files, uint8 (n,)
  bool by_name = false;            // several columns become named parts instead of one vector
  bool shuffle = false;
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> batch_size = 32;  // none: single samples
};

int channels_of(const std::string& color_mode);  // throws InvalidArgument

struct OpenedDataset {
  std::string kind;  // "image folder", "CSV", …
  Dataset dataset;   // of (x, y), or of x alone
  std::vector<std::string> class_names = {};
  bool images = false;  // x is decoded from image files
};

// Opens the data at a path, as for the program's --data: a folder of images, a CSV file, TFRecords,
// tar shards, an npz archive with x and y, a file written by Dataset::save.
OpenedDataset open_dataset(const std::string& path, const OpenDatasetArgs& args = {});

}  // namespace stoker
