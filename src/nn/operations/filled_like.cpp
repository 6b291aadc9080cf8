#include "nn/operations/operation.h"
#include "stoker/ops/shape_ops.h"

// Constant tensors with the shape of another tensor.
namespace stoker::nn {

struct LikeArgs {
  std::optional<DType> dtype = {};
};
template <class V>
void visit(LikeArgs& a, V& v) {
  v("dtype", a.dtype);
}

namespace {

using Results = std::vector<Tensor>;

Tensor filled(const Tensor& like, double value, const LikeArgs& a) {
  return ops::fill(like.shape(), value, a.dtype.value_or(like.dtype()));
}
Results ones_like(const LikeArgs& a, const OperationCall& call) {
  return {filled(call.tensor(0), 1, a)};
}
Results zeros_like(const LikeArgs& a, const OperationCall& call) {
  return {filled(call.tensor(0), 0, a)};
}
Results full_like(const LikeArgs& a, const OperationCall& call) {
  return {filled(call.tensor(0), call.value(1).as_double(), a)};
}
Results is_real(const NoArgs&, const OperationCall& call) {
  return {ops::fill(call.tensor(0).shape(), 1, DType::boolean)};
}

const RegisterOperation<LikeArgs> ones{"numpy", "OnesLike", ones_like};
const RegisterOperation<LikeArgs> zeros{"numpy", "ZerosLike", zeros_like};
const RegisterOperation<> reals{"numpy", "Isreal", is_real};
const RegisterOperation<LikeArgs> empty{"numpy", "EmptyLike", zeros_like};
const RegisterOperation<LikeArgs> full{"numpy", "FullLike", full_like};

}  // namespace
}  // namespace stoker::nn
