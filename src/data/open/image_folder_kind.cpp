#include <filesystem>

#include "data/open/source_kind.h"
#include "data/sources/folder_index.h"
#include "data/sources/slices.h"
#include "io/blob.h"
#include "stoker/image_dataset.h"

namespace stoker::data {
namespace {

// Replaces the file name in the first array by the file's bytes.
Element with_bytes(const Element& sample) {
  Element read = sample;
  const Blob file = read_file(std::string(sample.arrays()[0].text()));
  read.arrays()[0] = Array(DType::uint8, Shape{static_cast<int64_t>(file.size())}, file.share());
  return read;
}

OpenedDataset open_files(const std::string& path, const OpenDatasetArgs& args) {
  const FolderIndex index = index_images(path, args.label_mode != "none");
  const auto count = static_cast<int64_t>(index.paths.size());
  const Array paths = Array::strings(index.paths, Shape{count});
  const Element columns = args.label_mode == "none"
                              ? Element(paths)
                              : Element::tuple({paths, Array::from(index.labels, Shape{count})});
  const Dataset files = slices_of_files(columns, Dataset::From::current())
                            .map(with_bytes, {.num_parallel_calls = AUTOTUNE});
  return {{}, in_batches(files, args), index.class_names};
}

OpenedDataset open_images(const std::string& path, const OpenDatasetArgs& args) {
  if (args.keep_files) return open_files(path, args);
  image_transform(path, args);  // throws where no size was given
  ImageDatasetArgs images{.label_mode = args.label_mode,
                          .color_mode = args.color_mode,
                          .batch_size = std::nullopt,
                          .shuffle = false,
                          .transform = args.transform};
  if (!args.transform) images.image_size = {args.image_size.front(), args.image_size.back()};
  if (args.label_mode == "none") images.labels = "none";
  const ImageDataset folder = image_dataset_from_directory(path, images);
  return {{}, in_batches(folder.dataset, args), folder.class_names, true};
}

const RegisterKind folder({"image folder", "a folder with a sub-folder of *.jpg or *.png per class",
                           [](const std::string& path) {
                             return std::filesystem::is_directory(path) && !is_text_folder(path);
                           },
                           open_images});

}  // namespace
}  // namespace stoker::data
