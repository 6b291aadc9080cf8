#include "core/round_up.h"
#include "ops/spatial.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/spatial.h"

namespace stoker::ops {
namespace {

using Pool2D = Tensor (*)(const Tensor&, const Pool2DArgs&);

Tensor pool_images(Pool2D pool, const Tensor& x, const PoolArgs& args) {
  return pool(x, {.pool_size = of_image(args.pool_size, 1),
                  .strides = of_image(args.strides, 1),
                  .padding = padding_of_image(args.padding)});
}

// A maximum of maxima and, as a window's positions inside the input form a box, a mean of means:
// first the images, then along the depth.
Tensor pool3d(Pool2D pool, const Tensor& x, const PoolArgs& args) {
  const Shape& s = x.shape();
  const Tensor y = pool_images(pool, reshape(x, {s[0] * s[1], s[2], s[3], s[4]}), args);
  const int64_t height = y.shape()[1], width = y.shape()[2];
  const Tensor z = pool(reshape(y, {s[0], s[1], height * width, s[4]}),
                        {.pool_size = {args.pool_size[0], 1},
                         .strides = {args.strides[0], 1},
                         .padding = {args.padding.empty() ? 0 : args.padding[0],
                                     args.padding.empty() ? 0 : args.padding[1], 0, 0}});
  return reshape(z, {s[0], z.shape()[1], height, width, s[4]});
}

Tensor pool_any(const char* op, Pool2D pool, const Tensor& x, const PoolArgs& args) {
  const int axes = spatial_axes(op, x.shape());
  if (axes == 3) return pool3d(pool, x, args);
  if (axes == 2) return pool_images(pool, x, args);
  return squeeze(pool_images(pool, expand_dims(x, 1), args), 1);
}

using Reduce = Tensor (*)(const Tensor&, const ReduceArgs&);

// Piece i of n covers [floor(i * length / n), ceil((i + 1) * length / n)).
Tensor adaptive_axis(Reduce reduce, const Tensor& x, int axis, int64_t pieces) {
  const int64_t length = x.shape()[axis];
  std::vector<Tensor> found;
  for (int64_t i = 0; i < pieces; ++i) {
    const int64_t begin = i * length / pieces, end = ceil_div((i + 1) * length, pieces);
    Ints start(x.shape().dims().size(), 0), size = x.shape().dims();
    start[static_cast<size_t>(axis)] = begin;
    size[static_cast<size_t>(axis)] = end - begin;
    found.push_back(reduce(slice(x, start, size), {.axis = {axis}, .keepdims = true}));
  }
  return concatenate(found, axis);
}

Tensor adaptive(const char* op, Reduce reduce, Tensor x, const Ints& sizes) {
  const int axes = spatial_axes(op, x.shape());
  if (sizes.size() != static_cast<size_t>(axes))
    throw InvalidArgument(fmt::format("[{}] expects {} sizes for {}, got {}.", op, axes,
                                      to_string(x.shape()), sizes.size()));
  for (int axis = 0; axis < axes; ++axis)
    x = adaptive_axis(reduce, x, axis + 1, sizes[static_cast<size_t>(axis)]);
  return x;
}

}  // namespace

Tensor max_pool(const Tensor& x, const PoolArgs& args) {
  return pool_any("max_pool", max_pool2d, x, args);
}
Tensor average_pool(const Tensor& x, const PoolArgs& args) {
  return pool_any("average_pool", average_pool2d, x, args);
}
Tensor adaptive_max_pool(const Tensor& x, const Ints& sizes) {
  return adaptive("adaptive_max_pool", max, x, sizes);
}
Tensor adaptive_average_pool(const Tensor& x, const Ints& sizes) {
  return adaptive("adaptive_average_pool", mean, x, sizes);
}

}  // namespace stoker::ops
