#pragma once
#include <array>

#include "nn/layers/args_layer.h"
#include "stoker/ops/conv.h"

namespace stoker::nn {

// A layer on images (batch, height, width, channels).
template <class Args>
class ImageLayer : public ArgsLayer<Args> {
 public:
  ImageLayer(const char* class_name, const Args& args, std::source_location created)
      : ArgsLayer<Args>(class_name, args, created) {
    auto& format = this->args_.data_format;
    if (format.empty()) format = "channels_last";  // a null in a config
    if (format == "channels_first")
      throw Unsupported(fmt::format("[{}] data_format \"channels_first\" is not supported.",
                                    to_snake_case(class_name)),
                        "transpose the images to (batch, height, width, channels).");
    if (format != "channels_last")
      this->fail(fmt::format("unknown data_format \"{}\".", format), "use \"channels_last\".");
  }

  void build(const Shape& input) override { expect_images(input); }

 protected:
  void expect_images(const Shape& input) const {
    if (input.rank() == 4) return;
    this->fail(fmt::format("expects images (batch, height, width, channels), got input {}.",
                           to_string(input)),
               input.rank() == 3 ? "add a Reshape that gives the images a channel." : "");
  }

  bool pads_same(const std::string& padding) const {
    if (padding != "same" && padding != "valid")
      this->fail(fmt::format("unknown padding \"{}\".", padding), "use \"valid\" or \"same\".");
    return padding == "same";
  }

  // {top, bottom, left, right} for images of this shape.
  std::array<int64_t, 4> padding_of(const Shape& input, const std::array<int64_t, 2>& window,
                                    const std::array<int64_t, 2>& strides,
                                    const std::array<int64_t, 2>& dilation = {1, 1}) const {
    if (!pads_same(this->args_.padding)) return {0, 0, 0, 0};
    const auto rows = ops::same_padding(input[1], window[0], strides[0], dilation[0]),
               columns = ops::same_padding(input[2], window[1], strides[1], dilation[1]);
    return {rows[0], rows[1], columns[0], columns[1]};
  }

  // Keeps a window inside its image.
  void expect_fits(const Shape& input, const std::array<int64_t, 2>& span,
                   const std::array<int64_t, 4>& padding) const {
    for (int axis = 0; axis < 2; ++axis) {
      const auto i = static_cast<size_t>(axis);
      if (input[axis + 1] + padding[2 * i] + padding[2 * i + 1] < span[i])
        this->fail(fmt::format("a window of ({}, {}) does not fit into images {}.", span[0],
                               span[1], to_string(input)),
                   "use padding \"same\", a smaller window or larger images.");
    }
  }
};

}  // namespace stoker::nn
