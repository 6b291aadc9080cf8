#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Operations that extract a part of a matrix: a triangle, a diagonal.
namespace stoker::nn {

struct BandArgs {
  int64_t k = 0;
};
template <class V>
void visit(BandArgs& a, V& v) {
  v("k", a.k);
}

struct DiagonalArgs {
  int64_t offset = 0, axis1 = 0, axis2 = 1;
};
template <class V>
void visit(DiagonalArgs& a, V& v) {
  v("offset", a.offset);
  v("axis1", a.axis1);
  v("axis2", a.axis2);
}

namespace {

using Results = std::vector<Tensor>;

// The mask of a matrix where `kept(column - row)` holds.
template <class Kept>
Array mask_of(int64_t rows, int64_t columns, const Kept& kept) {
  Array mask(DType::boolean, {rows, columns});
  auto flags = mask.mutable_data<bool>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) flags[static_cast<size_t>(r * columns + c)] = kept(c - r);
  return mask;
}
Array on_diagonal(int64_t n) {
  return mask_of(n, n, [](int64_t right) { return right == 0; });
}
template <class Kept>
Tensor banded(const Tensor& x, const Kept& kept) {
  return ops::where(mask_of(x.shape()[-2], x.shape()[-1], kept), x, number(x, 0));
}
Results tril(const BandArgs& a, const OperationCall& call) {
  return {banded(call.tensor(0), [&](int64_t right) { return right <= a.k; })};
}
Results triu(const BandArgs& a, const OperationCall& call) {
  return {banded(call.tensor(0), [&](int64_t right) { return right >= a.k; })};
}

// The diagonals of the matrices along two axes, as the last axis.
Tensor diagonals(const Tensor& x, const DiagonalArgs& a) {
  const int rank = x.shape().rank();
  const int64_t row = normalize_axis(a.axis1, rank), column = normalize_axis(a.axis2, rank);
  const int64_t rows = x.shape()[static_cast<int>(row)],
                columns = x.shape()[static_cast<int>(column)];
  std::vector<int64_t> places;
  for (int64_t r = 0; r < rows; ++r)
    if (const int64_t c = r + a.offset; c >= 0 && c < columns) places.push_back(r * columns + c);
  const Tensor flat = with_axes_last(x, {row, column});
  return picked(flat, flat.shape().rank() - 1, places);
}
Results diagonal(const DiagonalArgs& a, const OperationCall& call) {
  return {diagonals(call.tensor(0), a)};
}
Results trace(const DiagonalArgs& a, const OperationCall& call) {
  return {ops::sum(diagonals(call.tensor(0), a), {.axis = {-1}})};
}

// A matrix with these numbers on its k-th diagonal and zeros elsewhere.
Tensor with_diagonal(const Tensor& x, int64_t k) {
  const int64_t n = x.shape().size(), size = n + std::abs(k);
  const Tensor line = ops::reshape(x, {n, 1});
  const Tensor square = ops::where(on_diagonal(n), line, number(x, 0));
  return ops::pad(square, {std::max<int64_t>(-k, 0), std::max<int64_t>(k, 0)},
                  {size - n - std::max<int64_t>(-k, 0), size - n - std::max<int64_t>(k, 0)});
}
Results diag(const BandArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  if (x.shape().rank() == 1) return {with_diagonal(x, a.k)};
  if (x.shape().rank() == 2) return {diagonals(x, {.offset = a.k})};
  throw InvalidArgument(fmt::format("diag takes a row or a matrix, got {}.", to_string(x.shape())));
}
Results diagflat(const BandArgs& a, const OperationCall& call) {
  return {with_diagonal(call.tensor(0), a.k)};
}

const RegisterOperation<BandArgs> diags{"numpy", "Diag", diag};
const RegisterOperation<BandArgs> diagflats{"numpy", "Diagflat", diagflat};
const RegisterOperation<BandArgs> trils{"numpy", "Tril", tril};
const RegisterOperation<BandArgs> trius{"numpy", "Triu", triu};
const RegisterOperation<DiagonalArgs> diagonal_of{"numpy", "Diagonal", diagonal};
const RegisterOperation<DiagonalArgs> traces{"numpy", "Trace", trace};

}  // namespace
}  // namespace stoker::nn
