#include "nn/metrics/segmentation/iou_matrix.h"

#include <fmt/format.h>

#include "graph/emit.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

Tensor as_classes(const Tensor& x, bool sparse, int64_t axis) {
  const Tensor classes = ops::cast(sparse ? x : ops::argmax(x, axis), DType::int32);
  return ops::reshape(classes, {-1});
}

Tensor inside(const Tensor& classes, int64_t n) {
  return ops::logical_and(ops::greater_equal(classes, 0.0),
                          ops::less(classes, static_cast<double>(n)));
}

// Cast to the metric's dtype first: if that is an integer type, Keras truncates the weights.
Tensor weights_for(const Tensor& weight, const Shape& samples, DType dtype) {
  if (!weight.defined()) return ops::fill(samples, 1, DType::float32);
  const Tensor w = ops::cast(ops::cast(weight, dtype), DType::float32);
  return ops::broadcast_to(w.shape().rank() > 1 ? ops::reshape(w, {-1}) : w, samples);
}

}  // namespace

void check(const std::string& name, const IoUArgs& args) {
  if (args.num_classes < 1)
    throw InvalidArgument(fmt::format("[{}] num_classes is {}.", name, args.num_classes),
                          "it must be 1 or more.");
  if (args.target_class_ids.empty())
    throw InvalidArgument(fmt::format("[{}] has no target_class_ids.", name));
  for (int64_t id : args.target_class_ids)
    if (id < 0 || id >= args.num_classes)
      throw InvalidArgument(
          fmt::format("[{}] class {} is not among {} classes.", name, id, args.num_classes));
}

Tensor confusion_matrix(const std::string& name, const IoUArgs& args, const Tensor& y_true,
                        const Tensor& y_pred, const Tensor& sample_weight, DType dtype) {
  const Tensor output = args.threshold
                            ? ops::greater_equal(ops::cast(y_pred, DType::float32), *args.threshold)
                            : y_pred;
  const Tensor row = as_classes(y_true, args.sparse_y_true, args.axis);
  const Tensor column = as_classes(output, args.sparse_y_pred, args.axis);
  if (row.shape() != column.shape())
    throw InvalidArgument(fmt::format("[{}] targets {} do not fit outputs {}.", name,
                                      to_string(y_true.shape()), to_string(y_pred.shape())));
  const int64_t n = args.num_classes;
  Tensor counts = ops::logical_and(inside(row, n), inside(column, n));
  if (args.ignore_class) {
    const auto ignored = static_cast<double>(*args.ignore_class);
    counts = ops::logical_and(counts, ops::not_equal(row, graph::scalar_like(row, ignored)));
  }
  const Tensor weight = weights_for(sample_weight, row.shape(), dtype);
  const Tensor zero = graph::scalar_like(row, 0);
  const Tensor cell = ops::where(counts, row * static_cast<double>(n) + column, zero);
  const Tensor value = ops::where(counts, weight, graph::scalar_like(weight, 0));
  const Tensor cells = graph::emit1("scatter_add", {value, cell}, {{"rows", n * n}});
  return ops::cast(ops::reshape(cells, {n, n}), dtype);
}

Tensor mean_iou(const IoUArgs& args, const Tensor& counted) {
  const Tensor matrix = ops::cast(counted, DType::float32);
  const int64_t n = args.num_classes;
  std::vector<int64_t> diagonal;
  for (int64_t id : args.target_class_ids) diagonal.push_back(id * n + id);
  const auto count = static_cast<int64_t>(diagonal.size());
  const Tensor ids(Array::from(args.target_class_ids, {count}));
  const Tensor both =
      ops::gather(ops::reshape(matrix, {n * n}), Tensor(Array::from(diagonal, {count})));
  const Tensor sums = ops::sum(matrix, {.axis = {0}}) + ops::sum(matrix, {.axis = {1}});
  const Tensor either = ops::gather(sums, ids) - both;
  const Tensor occurs = ops::cast(ops::greater(either, 1e-9), DType::float32);
  return ops::sum(both / (either + 1e-7) * occurs) / (ops::sum(occurs) + 1e-7);
}

}  // namespace stoker::nn
