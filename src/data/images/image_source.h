#pragma once
#include <optional>

#include "io/images/crop_resize.h"
#include "stoker/element.h"

namespace stoker::data {

// An array that represents an image: a file name, a file's bytes, or pixels. It must outlive this
// object.
class ImageSource {
 public:
  ImageSource(const Array& image, int channels);  // to be decoded

  images::ImageSize size() const;
  Array decode() const;
  template <class T>
  void crop_resize(const images::CropResizeOptions& options, const images::Pixels<T>& to,
                   images::ImageMemory& memory) const {
    if (file_)
      images::decode_crop_resize(*file_, options, to, memory);
    else
      images::resize(images::pixels_of<uint8_t>(image_), images::real(options.box), options.resize,
                     options.normalization, to, memory.resize);
  }

 private:
  const Array& image_;
  int channels_;
  std::optional<Blob> file_;
};

// Throws InvalidArgument unless the first array of such elements can be an image.
void check_image_source(const ElementSpec& spec, int channels);

}  // namespace stoker::data
