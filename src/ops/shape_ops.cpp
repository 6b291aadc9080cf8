#include "stoker/ops/shape_ops.h"

#include <algorithm>
#include <numeric>

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/reduce.h"

namespace stoker::ops {
namespace {

using graph::emit1;

OutTypes infer_reshape(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  const Shape shape(attrs.integers("shape"));
  expect(shape.size() == in[0].shape.size(),
         fmt::format("cannot turn {} ({} elements) into {} ({} elements).", to_string(in[0].shape),
                     in[0].shape.size(), to_string(shape), shape.size()));
  return {{in[0].dtype, shape}};
}

const RegisterOp reshape_op{{.name = "reshape",
                             .infer = infer_reshape,
                             .gradient =
                                 [](const Gradient& g) {
                                   return std::vector{
                                       reshape(g.output_grads[0], g.inputs[0].shape())};
                                 },
                             .view = true}};

OutTypes infer_transpose(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  const auto permutation = attrs.integers("permutation");
  auto sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> every(static_cast<size_t>(in[0].shape.rank()));
  std::iota(every.begin(), every.end(), 0);
  expect(sorted == every,
         fmt::format("the permutation must name each of {} axes once.", every.size()));
  std::vector<int64_t> dims;
  for (int64_t axis : permutation) dims.push_back(in[0].shape[static_cast<int>(axis)]);
  return {{in[0].dtype, Shape(std::move(dims))}};
}

const RegisterOp transpose_op{
    {.name = "transpose", .infer = infer_transpose, .gradient = [](const Gradient& g) {
       const auto permutation = g.attrs.integers("permutation");
       std::vector<int64_t> inverse(permutation.size());
       for (size_t i = 0; i < inverse.size(); ++i)
         inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
       return std::vector{transpose(g.output_grads[0], inverse)};
     }}};

const RegisterOp broadcast_op{
    {.name = "broadcast_to",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 1);
           const Shape shape(attrs.integers("shape"));
           expect(broadcast(in[0].shape, shape) == shape,
                  fmt::format("cannot spread {} to {}.", to_string(in[0].shape), to_string(shape)));
           return OutTypes{{in[0].dtype, shape}};
         },
     .gradient =
         [](const Gradient& g) {
           return std::vector{sum_to(g.output_grads[0], g.inputs[0].shape())};
         },
     .elementwise = true}};

OutTypes infer_concatenate(Types in, const Attrs& attrs) {
  expect(!in.empty(), "needs at least one input.");
  expect_same_dtype(in);
  const int axis = normalize_axis(attrs.integer("axis"), in[0].shape.rank());
  TensorType out = in[0];
  for (size_t i = 1; i < in.size(); ++i) {
    Shape other = in[i].shape;
    expect(other.rank() == out.shape.rank(), fmt::format("inputs {} and {} have different ranks.",
                                                         to_string(in[0].shape), to_string(other)));
    for (int d = 0; d < other.rank(); ++d)
      expect(d == axis || other[d] == in[0].shape[d],
             fmt::format("inputs {} and {} differ outside axis {}.", to_string(in[0].shape),
                         to_string(other), axis));
    out.shape[axis] += other[axis];
  }
  return {out};
}

std::vector<Tensor> concatenate_gradient(const Gradient& g) {
  const int axis = normalize_axis(g.attrs.integer("axis"), g.inputs[0].shape().rank());
  std::vector<Tensor> grads;
  std::vector<int64_t> start(static_cast<size_t>(g.inputs[0].shape().rank()), 0);
  for (const Tensor& x : g.inputs) {
    grads.push_back(slice(g.output_grads[0], start, x.shape().dims()));
    start[static_cast<size_t>(axis)] += x.shape()[axis];
  }
  return grads;
}

const RegisterOp concatenate_op{{.name = "concatenate",
                                 .infer = infer_concatenate,
                                 .promote = graph::to_one,
                                 .gradient = concatenate_gradient}};

OutTypes infer_slice(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  const auto start = attrs.integers("start"), size = attrs.integers("size");
  const auto rank = static_cast<size_t>(in[0].shape.rank());
  expect(start.size() == rank && size.size() == rank,
         fmt::format("needs a start and a size for each of {} axes.", rank));
  for (size_t i = 0; i < rank; ++i)
    expect(start[i] >= 0 && size[i] >= 0 && start[i] + size[i] <= in[0].shape[static_cast<int>(i)],
           fmt::format("[{}, {}) is outside axis {}.", start[i], start[i] + size[i], i));
  return {{in[0].dtype, Shape(size)}};
}

const RegisterOp slice_op{
    {.name = "slice", .infer = infer_slice, .gradient = [](const Gradient& g) {
       const auto before = g.attrs.integers("start");
       auto after = g.inputs[0].shape().dims();
       for (size_t i = 0; i < after.size(); ++i)
         after[i] -= before[i] + g.attrs.integers("size")[i];
       return std::vector{pad(g.output_grads[0], before, after)};
     }}};

const RegisterOp pad_op{
    {.name = "pad",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 1);
           const auto before = attrs.integers("before"), after = attrs.integers("after");
           TensorType out = in[0];
           expect(before.size() == after.size() &&
                      before.size() == static_cast<size_t>(out.shape.rank()),
                  "needs a padding for each axis.");
           for (size_t i = 0; i < before.size(); ++i) {
             expect(before[i] >= 0 && after[i] >= 0, "padding cannot be negative.");
             out.shape[static_cast<int>(i)] += before[i] + after[i];
           }
           return OutTypes{out};
         },
     .gradient =
         [](const Gradient& g) {
           return std::vector{
               slice(g.output_grads[0], g.attrs.integers("before"), g.inputs[0].shape().dims())};
         }}};

}  // namespace

Tensor reshape(const Tensor& x, Shape shape) {
  int64_t known = 1;
  int free_axis = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] >= 0)
      known *= shape[i];
    else if (free_axis < 0)
      free_axis = i;
    else
      throw InvalidArgument(
          fmt::format("[reshape] {} has more than one unknown dimension.", to_string(shape)));
  }
  if (free_axis >= 0) shape[free_axis] = known == 0 ? 0 : x.shape().size() / known;
  return shape == x.shape() ? x : emit1("reshape", {x}, {{"shape", shape.dims()}});
}

Tensor transpose(const Tensor& x, std::vector<int64_t> permutation) {
  return emit1("transpose", {x}, {{"permutation", std::move(permutation)}});
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? x : emit1("broadcast_to", {x}, {{"shape", shape.dims()}});
}

Tensor expand_dims(const Tensor& x, int64_t axis) {
  auto dims = x.shape().dims();
  dims.insert(dims.begin() + normalize_axis(axis, x.shape().rank() + 1), 1);
  return reshape(x, Shape(std::move(dims)));
}

Tensor squeeze(const Tensor& x, int64_t axis) {
  auto dims = x.shape().dims();
  const int at = normalize_axis(axis, x.shape().rank());
  if (x.shape()[at] != 1)
    throw InvalidArgument(
        fmt::format("[squeeze] axis {} of {} is not 1.", axis, to_string(x.shape())));
  dims.erase(dims.begin() + at);
  return reshape(x, Shape(std::move(dims)));
}

Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis) {
  return emit1("concatenate", xs, {{"axis", axis}});
}

Tensor slice(const Tensor& x, std::vector<int64_t> start, std::vector<int64_t> size) {
  return emit1("slice", {x}, {{"start", std::move(start)}, {"size", std::move(size)}});
}

Tensor pad(const Tensor& x, std::vector<int64_t> before, std::vector<int64_t> after) {
  return emit1("pad", {x}, {{"before", std::move(before)}, {"after", std::move(after)}});
}

Tensor fill(const Shape& shape, double value, DType dtype) {
  return broadcast_to(Tensor(Array::scalar(value).astype(dtype)), shape);
}
Tensor zeros_like(const Tensor& x) { return fill(x.shape(), 0, x.dtype()); }
Tensor ones_like(const Tensor& x) { return fill(x.shape(), 1, x.dtype()); }

}  // namespace stoker::ops
