#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Operations that concatenate, stack, split or unstack tensors, and differences of neighbours.
namespace stoker::nn {

struct SectionArgs {
  Config indices_or_sections = {};
};
template <class V>
void visit(SectionArgs& a, V& v) {
  v("indices_or_sections", a.indices_or_sections, required);
}

struct ArraySplitArgs : SectionArgs {
  int64_t axis = 0;
};
template <class V>
void visit(ArraySplitArgs& a, V& v) {
  visit(static_cast<SectionArgs&>(a), v);
  v("axis", a.axis);
}

struct UnstackArgs {
  std::optional<int64_t> num = {};
  int64_t axis = 0;
};
template <class V>
void visit(UnstackArgs& a, V& v) {
  v("num", a.num);
  v("axis", a.axis);
}

struct AppendArgs {
  std::optional<int64_t> axis = {};
};
template <class V>
void visit(AppendArgs& a, V& v) {
  v("axis", a.axis);
}

struct DiffArgs {
  int64_t n = 1, axis = -1;
};
template <class V>
void visit(DiffArgs& a, V& v) {
  v("n", a.n);
  v("axis", a.axis);
}

namespace {

using Results = std::vector<Tensor>;

// Pieces of nearly equal length, longer ones first, or split at the given indices.
Results pieces_of(const Tensor& x, int axis, const Config& sections) {
  const int64_t size = x.shape()[axis];
  std::vector<int64_t> ends = integers(sections);
  if (sections.is_int()) {
    const int64_t count = sections.as_int();
    if (count <= 0) throw InvalidArgument(fmt::format("cannot split into {} parts.", count));
    ends.clear();
    for (int64_t i = 0, end = 0; i + 1 < count; ++i)
      ends.push_back(end += size / count + (i < size % count ? 1 : 0));
  }
  ends.push_back(size);
  Results pieces;
  int64_t start = 0;
  for (int64_t end : ends) {
    pieces.push_back(part(x, axis, start, end - start));
    start = end;
  }
  return pieces;
}
Results array_split(const ArraySplitArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return pieces_of(x, normalize_axis(a.axis, x.shape().rank()), a.indices_or_sections);
}
Results hsplit(const SectionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return pieces_of(x, x.shape().rank() > 1 ? 1 : 0, a.indices_or_sections);
}
Results vsplit(const SectionArgs& a, const OperationCall& call) {
  return pieces_of(call.tensor(0), 0, a.indices_or_sections);
}
Results dsplit(const SectionArgs& a, const OperationCall& call) {
  return pieces_of(call.tensor(0), 2, a.indices_or_sections);
}

Results unstack(const UnstackArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const int axis = normalize_axis(a.axis, x.shape().rank());
  Results rows;
  for (int64_t i = 0; i < a.num.value_or(x.shape()[axis]); ++i)
    rows.push_back(ops::squeeze(part(x, axis, i, 1), axis));
  return rows;
}

Results append(const AppendArgs& a, const OperationCall& call) {
  const auto [x, y] = call.operands(0, 1);
  if (a.axis) return {ops::concatenate({x, y}, *a.axis)};
  return {ops::concatenate({ops::reshape(x, {-1}), ops::reshape(y, {-1})}, 0)};
}

// Concatenated along an axis, each with at least that rank.
Tensor joined(const std::vector<Tensor>& given, int axis, int least_rank) {
  Results tensors;
  for (Tensor x : given) {
    if (x.shape().rank() == 1 && least_rank > 1) x = ops::expand_dims(x, 0);
    while (x.shape().rank() < least_rank) x = ops::expand_dims(x, -1);
    tensors.push_back(x);
  }
  return ops::concatenate(tensors, axis);
}
Results hstack(const NoArgs&, const OperationCall& call) {
  const auto tensors = call.tensors(0);
  return {joined(tensors, tensors.at(0).shape().rank() == 1 ? 0 : 1, 1)};
}
Results vstack(const NoArgs&, const OperationCall& call) { return {joined(call.tensors(0), 0, 2)}; }
Results dstack(const NoArgs&, const OperationCall& call) { return {joined(call.tensors(0), 2, 3)}; }

Results diff(const DiffArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  const int axis = normalize_axis(a.axis, x.shape().rank());
  for (int64_t i = 0; i < a.n; ++i) {
    const int64_t size = x.shape()[axis];
    x = part(x, axis, 1, size - 1) - part(x, axis, 0, size - 1);
  }
  return {x};
}

const RegisterOperation<ArraySplitArgs> array_splits{"numpy", "ArraySplit", array_split};
const RegisterOperation<SectionArgs> hsplits{"numpy", "Hsplit", hsplit};
const RegisterOperation<SectionArgs> vsplits{"numpy", "Vsplit", vsplit};
const RegisterOperation<SectionArgs> dsplits{"numpy", "Dsplit", dsplit};
const RegisterOperation<UnstackArgs> unstacks{"core", "Unstack", unstack};
const RegisterOperation<AppendArgs> appends{"numpy", "Append", append};
const RegisterOperation<> hstacks{"numpy", "Hstack", hstack};
const RegisterOperation<> vstacks{"numpy", "Vstack", vstack};
const RegisterOperation<> dstacks{"numpy", "Dstack", dstack};
const RegisterOperation<DiffArgs> diffs{"numpy", "Diff", diff};

}  // namespace
}  // namespace stoker::nn
