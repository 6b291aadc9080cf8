#include <algorithm>
#include <numeric>
#include <set>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

struct TensordotArgs {
  Config axes = 2;
};
template <class V>
void visit(TensordotArgs& a, V& v) {
  v("axes", a.axes);
}

struct CrossArgs {
  int64_t axisa = -1, axisb = -1, axisc = -1;
  std::optional<int64_t> axis = {};
};
template <class V>
void visit(CrossArgs& a, V& v) {
  v("axisa", a.axisa);
  v("axisb", a.axisb);
  v("axisc", a.axisc);
  v("axis", a.axis);
}

namespace {

using Results = std::vector<Tensor>;

// Joins some axes of x into one, the last or, as rows, the first; the others keep their order.
Tensor matrix_of(const Tensor& x, const std::vector<int64_t>& summed, bool first) {
  std::vector<int64_t> order, kept;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (std::ranges::find(summed, i) == summed.end()) kept.push_back(i);
  order = first ? summed : kept;
  order.insert(order.end(), first ? kept.begin() : summed.begin(),
               first ? kept.end() : summed.end());
  int64_t size = 1;
  for (int64_t axis : summed) size *= x.shape()[static_cast<int>(axis)];
  const int64_t rest = x.shape().size() / std::max<int64_t>(size, 1);
  return ops::reshape(ops::transpose(x, order), first ? Shape{size, rest} : Shape{rest, size});
}

Tensor contracted(const Tensor& a, const Tensor& b, const std::vector<int64_t>& of_a,
                  const std::vector<int64_t>& of_b) {
  std::vector<int64_t> dims = reduced_shape(a.shape(), of_a, false).dims();
  const auto more = reduced_shape(b.shape(), of_b, false).dims();
  dims.insert(dims.end(), more.begin(), more.end());
  return ops::reshape(ops::matmul(matrix_of(a, of_a, false), matrix_of(b, of_b, true)),
                      Shape(std::move(dims)));
}

// numpy's matmul: accepts vectors, and broadcasts batch axes.
Tensor matmul(Tensor a, Tensor b) {
  const bool row = a.shape().rank() == 1, column = b.shape().rank() == 1;
  if (row) a = ops::expand_dims(a, 0);
  if (column) b = ops::expand_dims(b, -1);
  const auto leading = [](const Shape& s) {
    return Shape(std::vector<int64_t>(s.begin(), s.end() - 2));
  };
  Tensor y;
  if (b.shape().rank() == 2) {
    y = contracted(a, b, {a.shape().rank() - 1}, {0});
  } else {
    const auto all = broadcast(leading(a.shape()), leading(b.shape())).dims();
    const auto spread = [&](const Tensor& x) {
      auto dims = all;
      dims.insert(dims.end(), x.shape().end() - 2, x.shape().end());
      return x.shape() == Shape(dims) ? x : ops::broadcast_to(x, Shape(dims));
    };
    y = ops::matmul(spread(a), spread(b));
  }
  if (row) y = ops::squeeze(y, y.shape().rank() - 2);
  return column ? ops::squeeze(y, y.shape().rank() - 1) : y;
}
Results matmul_of(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {matmul(a, b)};
}

// Contracts the last axis of a with the second to last of b, or its only one.
Results dot(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  if (a.shape().rank() == 0 || b.shape().rank() == 0) return {a * b};
  const int64_t of_b = std::max(b.shape().rank() - 2, 0);
  return {contracted(a, b, {a.shape().rank() - 1}, {of_b})};
}
Results inner(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  if (a.shape().rank() == 0 || b.shape().rank() == 0) return {a * b};
  return {contracted(a, b, {a.shape().rank() - 1}, {b.shape().rank() - 1})};
}
Results outer(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {ops::reshape(a, {-1, 1}) * ops::reshape(b, {1, -1})};
}
Results vdot(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {ops::sum(ops::reshape(a, {-1}) * ops::reshape(b, {-1}))};
}

// The Kronecker product: each element of a times the whole of b.
Results kron(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  const int rank = std::max(a.shape().rank(), b.shape().rank());
  std::vector<int64_t> of_a, of_b, all;
  for (int i = -rank; i < 0; ++i) {
    const int64_t one = -i <= a.shape().rank() ? a.shape()[i] : 1,
                  other = -i <= b.shape().rank() ? b.shape()[i] : 1;
    of_a.insert(of_a.end(), {one, 1});
    of_b.insert(of_b.end(), {1, other});
    all.push_back(one * other);
  }
  return {ops::reshape(ops::reshape(a, Shape(of_a)) * ops::reshape(b, Shape(of_b)), Shape(all))};
}

Results tensordot(const TensordotArgs& args, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  const int rank_a = a.shape().rank(), rank_b = b.shape().rank();
  std::vector<int64_t> of_a, of_b;
  if (args.axes.is_int()) {
    for (int64_t i = 0; i < args.axes.as_int(); ++i) {
      of_a.push_back(rank_a - args.axes.as_int() + i);
      of_b.push_back(i);
    }
  } else {
    of_a = axes_of(args.axes.as_list().at(0), rank_a);
    of_b = axes_of(args.axes.as_list().at(1), rank_b);
  }
  return {contracted(a, b, of_a, of_b)};
}

Results cross(const CrossArgs& args, const OperationCall& call) {
  const auto [given_a, given_b] = call.operands(0, 1);
  const Tensor a = moved(given_a, args.axis.value_or(args.axisa), -1),
               b = moved(given_b, args.axis.value_or(args.axisb), -1);
  if (a.shape().back() != 3 || b.shape().back() != 3)
    throw Unsupported(fmt::format("cross products of {} and {} are not supported.",
                                  to_string(a.shape()), to_string(b.shape())),
                      "vectors of 3 are.");
  const auto at = [](const Tensor& x, int64_t i) { return part(x, x.shape().rank() - 1, i, 1); };
  Results parts;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(at(a, j) * at(b, k) - at(a, k) * at(b, j));
  }
  return {moved(ops::concatenate(parts, -1), -1, args.axis.value_or(args.axisc))};
}

const RegisterOperation<> matmuls{"numpy", "Matmul", matmul_of};
const RegisterOperation<> dots{"numpy", "Dot", dot};
const RegisterOperation<> inners{"numpy", "Inner", inner};
const RegisterOperation<> outers{"numpy", "Outer", outer};
const RegisterOperation<> krons{"numpy", "Kron", kron};
const RegisterOperation<> vdots{"numpy", "Vdot", vdot};
const RegisterOperation<TensordotArgs> tensordots{"numpy", "Tensordot", tensordot};
const RegisterOperation<CrossArgs> crosses{"numpy", "Cross", cross};

}  // namespace
}  // namespace stoker::nn
