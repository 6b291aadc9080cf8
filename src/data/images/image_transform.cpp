#include "stoker/image_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/images/image_source.h"
#include "io/images/normalize.h"
#include "io/images/random_crop.h"

namespace stoker::image {

using namespace images;

// Chooses the region of an image of this size.
using Choice = std::function<Box(const ImageSize& size, Random& random)>;

struct Transform::Plan {
  int channels = 3;
  Choice choose;  // none: the whole image in its own size
  int64_t height = 0, width = 0;
  ResizeOptions resize;
  bool pads = false;   // keeps the image's aspect ratio: its size within the result is inner_size()
  bool flips = false;  // at random, during resizing
  bool scaled_decode = false;
  bool random = false;  // a built-in step uses random numbers
  std::vector<Change> changes;
  bool normalizes = false;
  Normalization normalization;
  std::string steps;  // their names

  DType dtype() const { return normalizes ? DType::float32 : DType::uint8; }
};

namespace {

// Per thread: nothing is allocated for an image once there was one as large.
ImageMemory& memory() {
  thread_local ImageMemory one;
  return one;
}

template <class T>
Pixels<T> pixels_at(std::byte* to, const Shape& shape) {
  return {reinterpret_cast<T*>(to), shape[0], shape[1], static_cast<int>(shape[2]),
          shape[1] * shape[2]};
}

// tf.image.resize_with_pad's, in float as there.
Box inner_box(const ImageSize& size, int64_t height, int64_t width) {
  const auto high = static_cast<float>(size.height), wide = static_cast<float>(size.width),
             to_high = static_cast<float>(height), to_wide = static_cast<float>(width);
  const float ratio = std::max(wide / to_wide, high / to_high);
  const float inner_high = high / ratio, inner_wide = wide / ratio;
  const auto whole = [](float value, int64_t least) {
    return std::max(least, static_cast<int64_t>(std::floor(value)));
  };
  return {whole((to_high - inner_high) / 2, 0), whole((to_wide - inner_wide) / 2, 0),
          whole(inner_high, 1), whole(inner_wide, 1)};
}

// Fills the result with black, and returns the part for the image.
template <class T>
Pixels<T> padded(const ImageSize& size, const Normalization& normalization, const Pixels<T>& to) {
  for (int64_t y = 0; y < to.height; ++y)
    for (int64_t i = 0; i < to.width * to.channels; ++i)
      to.row(y)[i] = static_cast<T>(normalization.offset[static_cast<size_t>(i % to.channels)]);
  return to.crop(inner_box(size, to.height, to.width));
}

// The chosen region, resized.
template <class T>
void show(const Transform::Plan& plan, const data::ImageSource& source, Random& random,
          const Normalization& normalization, const Pixels<T>& whole) {
  const Pixels<T> to = plan.pads ? padded(source.size(), normalization, whole) : whole;
  CropResizeOptions options{.box = plan.choose(source.size(), random),
                            .resize = plan.resize,
                            .normalization = normalization,
                            .allow_scaled_decode = plan.scaled_decode};
  options.resize.flip_left_right = plan.flips && random.chance(0.5f);
  source.crop_resize(options, to, memory());
}

Array changed(const Transform::Plan& plan, Array image, Random& random) {
  for (const Transform::Change& change : plan.changes) {
    Array next = change(image, random);
    if (next.dtype() != DType::uint8 || next.shape() != image.shape())
      throw InvalidArgument(fmt::format("a step of the image transform made {} of {}.",
                                        to_string(spec_of(next)), to_string(spec_of(image))),
                            "it must give uint8 of the same shape.");
    image = std::move(next);
  }
  return image;
}

// The image after all steps except the conversion to float32.
Array pixels_of_source(const Transform::Plan& plan, const data::ImageSource& source,
                       Random& random) {
  if (!plan.choose) return changed(plan, source.decode(), random);
  Array image(DType::uint8, {plan.height, plan.width, plan.channels});
  show(plan, source, random, {}, mutable_pixels_of<uint8_t>(image));
  return changed(plan, std::move(image), random);
}

void finish(const Transform::Plan& plan, const Array& image, std::byte* to) {
  if (plan.normalizes)
    images::normalize(images::pixels_of<uint8_t>(image), plan.normalization,
                      pixels_at<float>(to, image.shape()));
  else
    std::memcpy(to, image.raw(), image.bytes());
}

void write_sized(const Transform::Plan& plan, const data::ImageSource& source, Random& random,
                 std::byte* to) {
  const Shape shape{plan.height, plan.width, plan.channels};
  if (!plan.changes.empty())
    finish(plan, pixels_of_source(plan, source, random), to);
  else if (plan.normalizes)
    show(plan, source, random, plan.normalization, pixels_at<float>(to, shape));
  else
    show(plan, source, random, {}, pixels_at<uint8_t>(to, shape));
}

ResizeOptions options_of(const ResizeArgs& args) {
  return {.interpolation = parse_interpolation(args.method), .antialias = args.antialias};
}

}  // namespace

Transform::Transform(int channels) {
  if (channels != 1 && channels != 3 && channels != 4)
    throw InvalidArgument(
        fmt::format("image::Transform: 1, 3 or 4 channels can be decoded, got {}.", channels));
  Plan plan;
  plan.channels = channels;
  plan_ = std::make_shared<Plan>(std::move(plan));
}

template <class F>
Transform Transform::with(const F& change, const char* step) const {
  if (plan_->normalizes)
    throw InvalidArgument(
        fmt::format("image::Transform: {} after normalize or rescale, which come last.", step));
  Plan plan = *plan_;
  change(plan);
  plan.steps += fmt::format("{} ", step);
  return Transform(std::make_shared<Plan>(std::move(plan)));
}

namespace {

void choose(Transform::Plan& plan, int64_t height, int64_t width, const ResizeArgs& args,
            Choice choice) {
  if (plan.choose || plan.flips || !plan.changes.empty())
    throw InvalidArgument(
        "image::Transform: resize, resize_cropped and random_resized_crop can only be the first "
        "step.",
        "the others then have less to do.");
  if (height < 1 || width < 1)
    throw InvalidArgument(
        fmt::format("image::Transform: images of {} x {} pixels.", height, width));
  plan.height = height, plan.width = width;
  plan.resize = options_of(args);
  plan.choose = std::move(choice);
}

}  // namespace

Transform Transform::resize(int64_t height, int64_t width, const ResizeArgs& args) const {
  return with(
      [&](Plan& plan) {
        choose(plan, height, width, args, [](const ImageSize& size, Random&) {
          return Box{0, 0, size.height, size.width};
        });
      },
      "resize");
}

Transform Transform::resize_with_pad(int64_t height, int64_t width, const ResizeArgs& args) const {
  return resize(height, width, args).with([](Plan& plan) { plan.pads = true; }, "resize_with_pad");
}

Transform Transform::resize_cropped(int64_t height, int64_t width, const ResizeArgs& args) const {
  return with(
      [&](Plan& plan) {
        choose(plan, height, width, args, [height, width](const ImageSize& size, Random&) {
          return centre_crop(size.height, size.width, static_cast<double>(height),
                             static_cast<double>(width));
        });
      },
      "resize_cropped");
}

Transform Transform::random_resized_crop(int64_t height, int64_t width,
                                         const RandomResizedCropArgs& args) const {
  const RandomCropOptions crop{{args.min_area, args.max_area}, {args.min_aspect, args.max_aspect}};
  Random trial(0);
  images::random_resized_crop(1, 1, crop, trial);  // checks the arguments now
  return with(
      [&](Plan& plan) {
        choose(plan, height, width, args.resize, [crop](const ImageSize& size, Random& random) {
          return images::random_resized_crop(size.height, size.width, crop, random);
        });
        plan.random = true;
      },
      "random_resized_crop");
}

Transform Transform::scaled_decode() const {
  return with([](Plan& plan) { plan.scaled_decode = true; }, "scaled_decode");
}

Transform Transform::then(Change change) const {
  return with([&](Plan& plan) { plan.changes.push_back(std::move(change)); }, "a step");
}

Transform Transform::then_random(Change change) const {
  return then(std::move(change)).with([](Plan& plan) { plan.random = true; }, "a step");
}
bool Transform::is_random() const { return plan_->random; }

// Not the numbers of random steps, whose results no cache should keep.
std::string Transform::identity() const {
  const Plan& plan = *plan_;
  return fmt::format(
      "{}{}x{}x{} {} {} {} {} {}", plan.steps, plan.height, plan.width, plan.channels,
      static_cast<int>(plan.resize.interpolation), plan.resize.antialias, plan.changes.size(),
      fmt::join(plan.normalization.scale, ","), fmt::join(plan.normalization.offset, ","));
}

Transform Transform::random_flip_left_right() const {
  if (!plan_->choose || plan_->pads || plan_->flips || !plan_->changes.empty())
    return then_random(image::random_flip_left_right);
  return with([](Plan& plan) { plan.flips = plan.random = true; }, "random_flip_left_right");
}
Transform Transform::random_flip_up_down() const { return then_random(image::random_flip_up_down); }
Transform Transform::random_brightness(float max_delta) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_brightness(image, max_delta, random);
  });
}
Transform Transform::random_contrast(float lower, float upper) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_contrast(image, lower, upper, random);
  });
}
Transform Transform::random_saturation(float lower, float upper) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_saturation(image, lower, upper, random);
  });
}
Transform Transform::random_hue(float max_delta) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_hue(image, max_delta, random);
  });
}
Transform Transform::random_rotation(float factor, const MoveArgs& args) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_rotation(image, factor, random, args);
  });
}
Transform Transform::random_translation(float height_factor, float width_factor,
                                        const MoveArgs& args) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_translation(image, height_factor, width_factor, random, args);
  });
}
Transform Transform::random_zoom(float factor, const MoveArgs& args) const {
  return then_random([=](const Array& image, Random& random) {
    return image::random_zoom(image, factor, random, args);
  });
}

Transform Transform::normalize(const std::vector<float>& mean,
                               const std::vector<float>& stddev) const {
  return with(
      [&](Plan& plan) {
        plan.normalization = images::normalization(mean, stddev, plan.channels);
        plan.normalizes = true;
      },
      "normalize");
}
Transform Transform::rescale(float scale, float offset) const {
  return with(
      [&](Plan& plan) {
        plan.normalization.scale.fill(scale);
        plan.normalization.offset.fill(offset);
        plan.normalizes = true;
      },
      "rescale");
}

Array Transform::operator()(const Array& image, Random& random) const {
  const data::ImageSource source(image, plan_->channels);
  if (plan_->choose) {
    Array result(plan_->dtype(), {plan_->height, plan_->width, plan_->channels});
    write_sized(*plan_, source, random, result.mutable_raw());
    return result;
  }
  const Array pixels = pixels_of_source(*plan_, source, random);
  Array result(plan_->dtype(), pixels.shape());
  finish(*plan_, pixels, result.mutable_raw());
  return result;
}

Element Transform::call(const Element& element, Random& random) const {
  Element result = element;
  result.arrays().at(0) = (*this)(element.arrays().at(0), random);
  return result;
}

std::optional<ElementSpec> Transform::spec(const ElementSpec& of) const {
  data::check_image_source(of, plan_->channels);
  ElementSpec made = of;
  made.arrays[0] = {plan_->dtype(), {plan_->height, plan_->width, plan_->channels}};
  for (const TensorSpec& array : made.arrays)  // strings do not have a fixed size
    if (!plan_->choose || !array.shape.is_known() || array.text) return std::nullopt;
  return made;
}

void Transform::write(const Element& element, Random& random,
                      const std::vector<std::byte*>& to) const {
  write_sized(*plan_, data::ImageSource(element.arrays()[0], plan_->channels), random, to[0]);
  for (size_t i = 1; i < to.size(); ++i) {
    const Array& array = element.arrays()[i];
    std::memcpy(to[i], array.raw(), array.bytes());
  }
}

}  // namespace stoker::image
