#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stoker/element_function.h"
#include "stoker/image.h"

namespace stoker::image {

// From image files to samples, as one function for Dataset::map:
//
//   files.map(image::Transform().random_resized_crop(224, 224).random_flip_left_right()
//                 .normalize({123.7f, 116.3f, 103.5f}, {58.4f, 57.1f, 57.4f}))
//
// Knowing all steps in advance, it decodes only the visible part of a file, and
// crop, resize, flip and normalisation are one pass that ends in the batch's row. It takes the
// first array of an element: the name of a JPEG or PNG file (a string), the bytes of one (uint8 of
// one dimension) or an image (uint8 of three); the others stay as they are. Pixels are uint8, 0 to
// 255, between the steps and in the result; after normalize or rescale, which come last, float32.
class Transform : public ElementFunction {
 public:
  explicit Transform(int channels = 3);  // of decoded images: 1, 3 or 4

  // The region and size of the result; must be the first step. Without one the images keep their
  // sizes.
  Transform resize(int64_t height, int64_t width, const ResizeArgs& args = {}) const;
  // The whole image with its own aspect ratio, and black bars beside or above it.
  Transform resize_with_pad(int64_t height, int64_t width, const ResizeArgs& args = {}) const;
  // Centre crop with the result's aspect ratio, instead of distorting the image.
  Transform resize_cropped(int64_t height, int64_t width, const ResizeArgs& args = {}) const;
  Transform random_resized_crop(int64_t height, int64_t width,
                                const RandomResizedCropArgs& args = {}) const;
  // Decodes a large JPEG at 1/2, 1/4 or 1/8 of its size if that is still larger than the result:
  // much faster, but smoother than tf.image.
  Transform scaled_decode() const;

  // Like the functions of these names.
  Transform random_flip_left_right() const;
  Transform random_flip_up_down() const;
  Transform random_brightness(float max_delta) const;
  Transform random_contrast(float lower, float upper) const;
  Transform random_saturation(float lower, float upper) const;
  Transform random_hue(float max_delta) const;
  Transform random_rotation(float factor, const MoveArgs& args = {}) const;
  Transform random_translation(float height_factor, float width_factor,
                               const MoveArgs& args = {}) const;
  Transform random_zoom(float factor, const MoveArgs& args = {}) const;
  // A user-defined step: uint8 (height, width, channels) to the same. Called by many threads.
  using Change = std::function<Array(const Array& image, Random& random)>;
  Transform then(Change change) const;

  Transform normalize(const std::vector<float>& mean, const std::vector<float>& stddev) const;
  Transform rescale(float scale, float offset = 0) const;  // value * scale + offset

  // For an image, a file name or a file's bytes.
  Array operator()(const Array& image, Random& random) const;

  Element call(const Element& element, Random& random) const override;
  std::string identity() const override;
  bool is_random() const override;  // functions given to then() count as not random
  std::optional<ElementSpec> spec(const ElementSpec& of) const override;
  void write(const Element& element, Random& random,
             const std::vector<std::byte*>& to) const override;

  struct Plan;

 private:
  explicit Transform(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  template <class F>
  Transform with(const F& change, const char* step) const;  // a copy of the plan, changed by F
  Transform then_random(Change change) const;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace stoker::image
