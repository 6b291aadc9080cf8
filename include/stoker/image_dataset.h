#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/dataset.h"
#include "stoker/directory_labels.h"
#include "stoker/image_transform.h"

namespace stoker {

// Keras's arguments and defaults of image_dataset_from_directory.
struct ImageDatasetArgs {
  DirectoryLabels labels = "inferred";        // by the sub-folders' names; "none": images alone
  std::string label_mode = "int";             // int32; "binary" or "categorical": float32; "none"
  std::vector<std::string> class_names = {};  // those to read, in this order; empty: all, sorted
  std::string color_mode = "rgb";             // "rgba", "grayscale"
  std::optional<int64_t> batch_size = 32;     // none: single images
  std::vector<int64_t> image_size = {256, 256};  // height, width
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  // needed with shuffle and validation_split
  double validation_split = 0;        // fraction of the images in subset "validation"
  std::string subset = {};  // "training" or "validation"; both: image_subsets_from_directory
  // "nearest", "area", "bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"
  std::string interpolation = "bilinear";
  bool follow_links = false;                  // to folders, within the folder of a class
  bool crop_to_aspect_ratio = false;          // centre crop instead of distorting
  bool pad_to_aspect_ratio = false;           // black bars instead of distorting
  std::string data_format = "channels_last";  // "channels_first"
  // Replaces resizing: decoding, augmentation, normalisation. Then color_mode, image_size,
  // interpolation, crop_to_aspect_ratio and pad_to_aspect_ratio are ignored.
  std::optional<image::Transform> transform = {};
};

struct ImageDataset {
  Dataset dataset;  // of (float32(batch, height, width, channels), labels), values 0 to 255
  std::vector<std::string> class_names;
  std::vector<std::string> file_paths;  // before shuffling by the dataset

  operator const Dataset&() const { return dataset; }  // NOLINT: fit(images)
};

// JPEG and PNG files in one folder per class. Subsets are the same as in Keras for the same seed.
ImageDataset image_dataset_from_directory(
    const std::string& directory, const ImageDatasetArgs& args = {},
    const std::source_location& from = std::source_location::current());

// Keras's subset = "both": the last part of the files, `validation_split` of them, is for
// validation, which is not shuffled.
struct ImageSubsets {
  ImageDataset training, validation;
};
ImageSubsets image_subsets_from_directory(
    const std::string& directory, const ImageDatasetArgs& args,
    const std::source_location& from = std::source_location::current());

}  // namespace stoker
