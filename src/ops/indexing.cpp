#include "stoker/ops/indexing.h"

#include "graph/emit.h"
#include "ops/infer.h"
#include "ops/row_places.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

using graph::emit1;

void expect_indices(const TensorType& type) {
  expect(is_integer(type.dtype), fmt::format("needs integer indices, got {}.", name_of(type.dtype)),
         "cast them to int64.");
}

Shape concat(Shape a, const Shape& b) {
  auto dims = a.dims();
  dims.insert(dims.end(), b.begin(), b.end());
  return Shape(std::move(dims));
}

const RegisterOp one_hot_op{{.name = "one_hot", .infer = [](Types in, const Attrs& attrs) {
                               expect_inputs(in, 1);
                               expect_indices(in[0]);
                               return OutTypes{
                                   {static_cast<DType>(attrs.integer("dtype")),
                                    concat(in[0].shape, Shape{attrs.integer("depth")})}};
                             }}};

// Attribute nan_outside: an index out of range gives NaN instead of zeros. The number of rows may
// be unknown, as when a step gathers from a data set of any length: then all indices must be in
// range, which is not checked.
const RegisterOp gather_op{
    {.name = "gather",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 2);
           expect_indices(in[1]);
           expect(in[0].shape.rank() >= 1, "cannot gather from a scalar.");
           expect(!attrs.flag("nan_outside") || is_floating(in[0].dtype),
                  fmt::format("{} has no NaN.", name_of(in[0].dtype)));
           return OutTypes{{in[0].dtype, concat(in[1].shape, in[0].shape.drop_front())}};
         },
     .gradient =
         [](const Gradient& g) {
           return std::vector{emit1("scatter_add", {g.output_grads[0], g.inputs[1]},
                                    {{"rows", g.inputs[0].shape()[0]}}),
                              Tensor()};
         },
     .bytes = bytes_of_gather}};

// out[indices[i]] += values[i]
const RegisterOp scatter_op{
    {.name = "scatter_add",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 2);
           expect_indices(in[1]);
           Shape row = in[0].shape;
           for (int i = 0; i < in[1].shape.rank(); ++i) row = row.drop_front();
           return OutTypes{{in[0].dtype, row.with_front(attrs.integer("rows"))}};
         },
     .gradient =
         [](const Gradient& g) {
           return std::vector{gather(g.output_grads[0], g.inputs[1]), Tensor()};
         }}};

const RegisterOp top_k_op{{.name = "in_top_k", .infer = [](Types in, const Attrs&) {
                             expect_inputs(in, 2);
                             expect_indices(in[0]);
                             expect_rank(in[1], 2, "predictions (batch, classes)");
                             expect(in[0].shape == Shape{in[1].shape[0]},
                                    fmt::format("targets {} do not fit predictions {}.",
                                                to_string(in[0].shape), to_string(in[1].shape)));
                             return OutTypes{{DType::boolean, in[0].shape}};
                           }}};

}  // namespace

Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype) {
  return emit1("one_hot", {indices}, {{"depth", depth}, {"dtype", static_cast<int64_t>(dtype)}});
}
Tensor gather(const Tensor& rows, const Tensor& indices, Missing missing) {
  if (missing == Missing::zeros) return emit1("gather", {rows, indices});
  return emit1("gather", {rows, indices}, {{"nan_outside", int64_t{1}}});
}
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int64_t axis) {
  const Tensor rows = with_axis_last(x, axis), places = with_axis_last(indices, axis);
  const int64_t length = rows.shape().back();
  Tensor at = cast(places, DType::int64);
  at = where(less(at, Tensor(Array::scalar(int64_t{0}))), at + Tensor(Array::scalar(length)), at);
  const Tensor found = gather(reshape(rows, {rows.shape().size()}), places_in_all_rows(at, length));
  return with_axis_last(reshape(found, places.shape()), axis);
}
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k) {
  return emit1("in_top_k", {targets, predictions}, {{"k", k}});
}

}  // namespace stoker::ops
