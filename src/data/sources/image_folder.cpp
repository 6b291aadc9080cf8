#include <algorithm>
#include <cstring>

#include "data/sources/folder_labels.h"
#include "data/sources/slices.h"
#include "stoker/image_dataset.h"

namespace stoker::data {
namespace {

constexpr const char* doing = "image_dataset_from_directory";

// One-hot labels, made on demand: those of all files may be large.
class OneHotLabel : public ElementFunction {
 public:
  explicit OneHotLabel(const FolderLabels& labels) : labels_(labels) {}
  Element call(const Element& element, Random&) const override {
    Array one_hot(DType::float32, {labels_.classes});
    labels_.write(element.arrays()[1].data<int32_t>()[0], one_hot.mutable_raw());
    return {element.arrays()[0], one_hot};
  }
  std::optional<ElementSpec> spec(const ElementSpec& of) const override {
    return labels_.spec(of.arrays[0]);
  }

 private:
  FolderLabels labels_;
};

image::Transform transform_of(const ImageDatasetArgs& args) {
  const int channels = chosen<int>(args.color_mode, {{"rgb", 3}, {"rgba", 4}, {"grayscale", 1}},
                                   doing, "color_mode");
  if (args.transform) return *args.transform;
  if (args.image_size.size() != 2 || args.image_size[0] < 1 || args.image_size[1] < 1)
    throw InvalidArgument(
        "image_dataset_from_directory: image_size must be {height, width}, both positive.");
  const int64_t height = args.image_size[0], width = args.image_size[1];
  const image::Transform decode(channels);
  const image::ResizeArgs resize{.method = args.interpolation};
  return (args.crop_to_aspect_ratio ? decode.resize_cropped(height, width, resize)
                                    : decode.resize(height, width, resize))
      .rescale(1);
}

// File names with their labels.
Dataset files_of(const FolderIndex& index, const FolderLabels& labels,
                 const std::source_location& from) {
  const auto count = static_cast<int64_t>(index.paths.size());
  const Array names = Array::strings(index.paths, {count});
  if (labels.mode == LabelMode::none) return slices_of_files(names, from);
  const Array numbers = Array::from(index.labels, {count});
  if (labels.mode == LabelMode::binary)
    return slices_of_files({names, numbers.astype(DType::float32).reshape({count, 1})}, from);
  const auto files = slices_of_files({names, numbers}, from);
  return labels.mode == LabelMode::integer ? files : files.map(OneHotLabel(labels), {}, from);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

ImageDataset image_dataset_from_directory(const std::string& directory,
                                          const ImageDatasetArgs& args,
                                          const std::source_location& from) {
  const data::FolderArgs folder{data::doing, args.labels,           args.label_mode, args.shuffle,
                                args.seed,   args.validation_split, args.subset};
  data::check_split(folder);
  auto index = data::index_images(directory, data::infers_classes(folder, args.class_names),
                                  args.class_names);
  data::give_labels(index, folder);
  const auto labels = data::labels_of(folder, index.class_names.size());
  const auto transform = data::transform_of(args);
  data::choose_files(index, folder);
  Dataset dataset = data::files_of(index, labels, from).map(transform, {.seed = args.seed}, from);
  if (args.shuffle)
    dataset = dataset.shuffle(std::max<int64_t>(1, static_cast<int64_t>(index.paths.size())),
                              {.seed = args.seed}, from);
  if (args.batch_size) dataset = dataset.batch(*args.batch_size, {}, from);
  return {dataset, std::move(index.class_names), std::move(index.paths)};
}

}  // namespace stoker
