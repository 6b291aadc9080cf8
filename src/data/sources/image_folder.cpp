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

// (height, width, channels) to (channels, height, width).
class ChannelsFirst : public ElementFunction {
 public:
  Element call(const Element& element, Random&) const override {
    Element moved = element;
    const Array& image = element.arrays()[0];
    Array planes(image.dtype(), moved_shape(image.shape()));
    move(image, planes.mutable_raw());
    moved.arrays()[0] = planes;
    return moved;
  }
  std::optional<ElementSpec> spec(const ElementSpec& of) const override {
    ElementSpec moved = of;
    moved.arrays[0].shape = moved_shape(of.arrays[0].shape);
    return moved;
  }
  void write(const Element& element, Random&, const std::vector<std::byte*>& to) const override {
    move(element.arrays()[0], to[0]);
    for (size_t i = 1; i < to.size(); ++i)
      std::memcpy(to[i], element.arrays()[i].raw(), element.arrays()[i].bytes());
  }

 private:
  static Shape moved_shape(const Shape& shape) { return {shape[2], shape[0], shape[1]}; }
  static void move(const Array& image, std::byte* to) {
    const size_t size = size_of(image.dtype()), channels = static_cast<size_t>(image.shape()[2]),
                 pixels = static_cast<size_t>(image.shape()[0] * image.shape()[1]);
    for (size_t c = 0; c < channels; ++c)
      for (size_t i = 0; i < pixels; ++i)
        std::memcpy(to + (c * pixels + i) * size, image.raw() + (i * channels + c) * size, size);
  }
};

image::Transform transform_of(const ImageDatasetArgs& args) {
  const int channels = chosen<int>(args.color_mode, {{"rgb", 3}, {"rgba", 4}, {"grayscale", 1}},
                                   doing, "color_mode");
  if (args.crop_to_aspect_ratio && args.pad_to_aspect_ratio)
    throw InvalidArgument(
        "image_dataset_from_directory: only one of crop_to_aspect_ratio and pad_to_aspect_ratio "
        "can be true.");
  if (args.transform) return *args.transform;
  if (args.image_size.size() != 2 || args.image_size[0] < 1 || args.image_size[1] < 1)
    throw InvalidArgument(
        "image_dataset_from_directory: image_size must be {height, width}, both positive.");
  const int64_t height = args.image_size[0], width = args.image_size[1];
  const image::Transform decode(channels);
  const image::ResizeArgs resize{.method = args.interpolation};
  return (args.crop_to_aspect_ratio  ? decode.resize_cropped(height, width, resize)
          : args.pad_to_aspect_ratio ? decode.resize_with_pad(height, width, resize)
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

FolderArgs folder_args(const ImageDatasetArgs& args) {
  return {doing,     "image_subsets_from_directory", args.labels, args.label_mode, args.shuffle,
          args.seed, args.validation_split,          args.subset};
}

// The images of a folder, with their labels.
struct ImagesOfFolder {
  ImagesOfFolder(const std::string& directory, const ImageDatasetArgs& with, const FolderArgs& args)
      : folder(args),
        all(index_images(directory, infers_classes(folder, with.class_names), with.class_names,
                         with.follow_links)),
        transform(transform_of(with)),
        planes(chosen<bool>(with.data_format, {{"channels_last", false}, {"channels_first", true}},
                            doing, "data_format")) {
    give_labels(all, folder);
    labels = labels_of(folder, all.class_names.size());
  }
  ImageDataset subset(const ImageDatasetArgs& args, const std::string& name, bool shuffle,
                      const std::source_location& from) const {
    FolderIndex index = files_of_subset(all, folder, name);
    Dataset dataset = files_of(index, labels, from).map(transform, {.seed = args.seed}, from);
    if (planes) dataset = dataset.map(ChannelsFirst(), {}, from);
    if (shuffle)
      dataset =
          dataset.shuffle(static_cast<int64_t>(index.paths.size()), {.seed = args.seed}, from);
    if (args.batch_size) dataset = dataset.batch(*args.batch_size, {}, from);
    return {dataset, std::move(index.class_names), std::move(index.paths)};
  }

  FolderArgs folder;
  FolderIndex all;
  image::Transform transform;
  bool planes;
  FolderLabels labels;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

ImageDataset image_dataset_from_directory(const std::string& directory,
                                          const ImageDatasetArgs& args,
                                          const std::source_location& from) {
  const data::FolderArgs folder = data::folder_args(args);
  data::check_split(folder);
  return data::ImagesOfFolder(directory, args, folder)
      .subset(args, args.subset, args.shuffle, from);
}

ImageSubsets image_subsets_from_directory(const std::string& directory,
                                          const ImageDatasetArgs& args,
                                          const std::source_location& from) {
  const data::FolderArgs folder = data::folder_args(args);
  data::check_both(folder);
  const data::ImagesOfFolder images(directory, args, folder);
  return {images.subset(args, "training", args.shuffle, from),
          images.subset(args, "validation", false, from)};
}

}  // namespace stoker
