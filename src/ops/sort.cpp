#include "stoker/ops/sort.h"

#include <cmath>
#include <limits>

#include "graph/emit.h"
#include "ops/infer.h"
#include "ops/row_places.h"
#include "stoker/ops/shape_ops.h"

// Sorts rows along the last axis: sorted elements, and their original int32 positions. Attribute
// descending: largest first.
namespace stoker::ops {
namespace {

OutTypes infer_sort(Types in, const Attrs&) {
  expect_inputs(in, 1);
  const Shape& shape = in[0].shape;
  expect(shape.rank() >= 1, "cannot sort a scalar.");
  expect(shape.back() <= std::numeric_limits<int32_t>::max(),
         fmt::format("int32 cannot count the {} elements of a row.", shape.back()),
         "sort shorter rows.");
  return {in[0], {DType::int32, shape}};
}

// Each element's gradient goes back to its original position.
std::vector<Tensor> gradient_sort(const Gradient& g) {
  const Tensor &x = g.inputs[0], &dy = g.output_grads[0];
  if (!dy.defined()) return {Tensor()};
  const int64_t size = x.shape().size();
  if (size == 0) return {dy};
  const Tensor places = places_in_all_rows(g.outputs[1], x.shape().back());
  const Tensor flat = graph::emit1("scatter_add", {reshape(dy, {size}), places}, {{"rows", size}});
  return {reshape(flat, x.shape())};
}

double flops_sort(Types in, Types, const Attrs&) {
  const auto length = static_cast<double>(in[0].shape.back());
  return static_cast<double>(in[0].shape.size()) * std::log2(std::max(length, 2.0));
}

const RegisterOp registered{
    {.name = "sort", .infer = infer_sort, .gradient = gradient_sort, .flops = flops_sort}};

}  // namespace

Tensor sort(const Tensor& x, int64_t axis) {
  return with_axis_last(graph::emit("sort", {with_axis_last(x, axis)}, {})[0], axis);
}
Tensor argsort(const Tensor& x, int64_t axis) {
  return with_axis_last(graph::emit("sort", {with_axis_last(x, axis)}, {})[1], axis);
}

TopK top_k(const Tensor& x, int64_t k) {
  const auto sorted = graph::emit("sort", {x}, {{"descending", int64_t{1}}});
  const int64_t length = x.shape().back();
  expect(k >= 1 && k <= length, fmt::format("cannot take the {} largest of {}.", k, length));
  std::vector<int64_t> start(static_cast<size_t>(x.shape().rank()), 0), size = x.shape().dims();
  size.back() = k;
  return {slice(sorted[0], start, size), slice(sorted[1], start, size)};
}

}  // namespace stoker::ops
