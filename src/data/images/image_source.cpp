#include "data/images/image_source.h"

#include <fmt/format.h>

namespace stoker::data {

ImageSource::ImageSource(const Array& image, int channels) : image_(image), channels_(channels) {
  check_image_source({{}, {spec_of(image)}}, channels);
  if (image.holds_strings())
    file_ = read_file(std::string(image.text()));
  else if (image.shape().rank() == 1)
    file_ = Blob::copy(std::as_bytes(image.data<uint8_t>()), "the bytes of an image");
}

images::ImageSize ImageSource::size() const {
  if (file_) return images::image_size(*file_);
  return {image_.shape()[0], image_.shape()[1], channels_};
}

Array ImageSource::decode() const {
  return file_ ? images::decode_image(*file_, {.channels = channels_}) : image_;
}

void check_image_source(const ElementSpec& spec, int channels) {
  if (spec.arrays.empty())
    throw InvalidArgument("an image transform needs an element with arrays.");
  const TensorSpec& array = spec.arrays[0];
  const size_t rank = array.shape.rank();
  const bool bytes = array.dtype == DType::uint8 && !array.text;
  if ((array.text && rank == 0) || (bytes && rank == 1)) return;
  if (bytes && rank == 3 && (array.shape[2] == channels || array.shape[2] == unknown)) return;
  throw InvalidArgument(
      fmt::format("the first array of the elements {} is not an image.", to_string(spec)),
      fmt::format("an image transform takes a file's name (a string), a file's bytes (uint8 of one "
                  "dimension) or an image (uint8, height, width and {} channels).",
                  channels));
}

}  // namespace stoker::data
