#include "stoker/ops/conv.h"

#include "ops/spatial.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/spatial.h"

namespace stoker::ops {
namespace {

Conv2DArgs image_args(const ConvArgs& args) {
  return {.strides = of_image(args.strides, 1),
          .dilation_rate = of_image(args.dilation_rate, 1),
          .padding = padding_of_image(args.padding),
          .groups = args.groups};
}

// The window's movement along the first of three axes.
struct Depth {
  int64_t taps, stride, dilation, before, after;
  Depth(const Tensor& kernel, const ConvArgs& args)
      : taps(kernel.shape()[0]),
        stride(first_or(args.strides, 1)),
        dilation(first_or(args.dilation_rate, 1)),
        before(args.padding.empty() ? 0 : args.padding[0]),
        after(args.padding.empty() ? 0 : args.padding[1]) {}
  int64_t span() const { return (taps - 1) * dilation + 1; }
  int64_t positions(int64_t depth) const { return (depth + before + after - span()) / stride + 1; }
};

// Slices first, first + stride … (`count` of them) of axis 1, as images.
Tensor every(const Tensor& x, int64_t first, int64_t count, int64_t stride) {
  const Shape& s = x.shape();
  Tensor run = slice(x, {0, first, 0, 0, 0}, {s[0], (count - 1) * stride + 1, s[2], s[3], s[4]});
  if (stride > 1) {
    run = reshape(pad(run, {0, 0, 0, 0, 0}, {0, stride - 1, 0, 0, 0}),
                  {s[0], count, stride * s[2], s[3], s[4]});
    run = slice(run, {0, 0, 0, 0, 0}, {s[0], count, s[2], s[3], s[4]});
  }
  return reshape(run, {s[0] * count, s[2], s[3], s[4]});
}

// Reshapes (taps, height, width, a, b) to the kernel (height, width, taps * a, b) of images.
Tensor fold_taps(const Tensor& kernel) {
  const Shape& k = kernel.shape();
  return reshape(transpose(kernel, {1, 2, 0, 3, 4}), {k[1], k[2], k[0] * k[3], k[4]});
}

// One convolution of images whose channels are those of all taps along the depth; within a group
// the taps are contiguous.
Tensor conv3d(const Tensor& x, const Tensor& kernel, const ConvArgs& args) {
  const Depth depth(kernel, args);
  const Tensor padded = pad(x, {0, depth.before, 0, 0, 0}, {0, depth.after, 0, 0, 0});
  const Shape& s = x.shape();
  const int64_t count = depth.positions(s[1]), groups = args.groups;
  std::vector<Tensor> taps;
  for (int64_t tap = 0; tap < depth.taps; ++tap)
    taps.push_back(reshape(every(padded, tap * depth.dilation, count, depth.stride),
                           {s[0] * count, s[2], s[3], groups, s[4] / groups}));
  const Tensor images =
      reshape(concatenate(taps, 4), {s[0] * count, s[2], s[3], depth.taps * s[4]});
  const Tensor y = conv2d(images, fold_taps(kernel), image_args(args));
  return reshape(y, {s[0], count, y.shape()[1], y.shape()[2], y.shape()[3]});
}

// Puts slice i of axis 1 at first + i * stride of `length` slices, zeros elsewhere.
Tensor scatter(const Tensor& x, int64_t first, int64_t stride, int64_t length) {
  const Shape& s = x.shape();
  Tensor spread = x;
  if (stride > 1)
    spread = reshape(pad(reshape(x, {s[0], s[1], 1, s[2], s[3], s[4]}), {0, 0, 0, 0, 0, 0},
                         {0, 0, stride - 1, 0, 0, 0}),
                     {s[0], s[1] * stride, s[2], s[3], s[4]});
  return pad(spread, {0, first, 0, 0, 0}, {0, length - first - spread.shape()[1], 0, 0, 0});
}

Tensor conv3d_transpose(const Tensor& x, const Tensor& kernel, const Ints& sizes,
                        const ConvArgs& args) {
  const Depth depth(kernel, args);
  const Shape& s = x.shape();
  const int64_t filters = kernel.shape()[3], height = sizes[1], width = sizes[2];
  const Tensor images = conv2d_transpose(reshape(x, {s[0] * s[1], s[2], s[3], s[4]}),
                                         fold_taps(kernel), {height, width}, image_args(args));
  const Tensor taps = reshape(images, {s[0], s[1], height, width, depth.taps * filters});
  const int64_t length = std::max(s[1] * depth.stride + depth.span() - 1, depth.before + sizes[0]);
  Tensor sum;
  for (int64_t tap = 0; tap < depth.taps; ++tap) {
    const Tensor one =
        scatter(slice(taps, {0, 0, 0, 0, tap * filters}, {s[0], s[1], height, width, filters}),
                tap * depth.dilation, depth.stride, length);
    sum = sum.defined() ? sum + one : one;
  }
  return slice(sum, {0, depth.before, 0, 0, 0}, {s[0], sizes[0], height, width, filters});
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& kernel, const ConvArgs& args) {
  const int axes = spatial_axes("conv", x.shape());
  if (kernel.shape().rank() != axes + 2)
    throw InvalidArgument(fmt::format("[conv] expects a kernel with {} dimensions, got {}.",
                                      axes + 2, to_string(kernel.shape())));
  if (axes == 3) return conv3d(x, kernel, args);
  if (axes == 2) return conv2d(x, kernel, image_args(args));
  return squeeze(conv2d(expand_dims(x, 1), expand_dims(kernel, 0), image_args(args)), 1);
}

Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, const ConvArgs& args) {
  auto shape = kernel.shape().dims();
  const size_t channels = shape.size() - 2;
  ConvArgs each = args;
  each.groups = shape[channels];
  shape[channels + 1] *= shape[channels];
  shape[channels] = 1;
  return conv(x, reshape(kernel, Shape(std::move(shape))), each);
}

Tensor conv_transpose(const Tensor& x, const Tensor& kernel, const Ints& sizes,
                      const ConvArgs& args) {
  const int axes = spatial_axes("conv_transpose", x.shape());
  if (axes == 3) return conv3d_transpose(x, kernel, sizes, args);
  if (axes == 2) return conv2d_transpose(x, kernel, of_image(sizes, 1), image_args(args));
  return squeeze(conv2d_transpose(expand_dims(x, 1), expand_dims(kernel, 0), of_image(sizes, 1),
                                  image_args(args)),
                 1);
}

}  // namespace stoker::ops
