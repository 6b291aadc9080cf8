#include <cmath>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "nn/unit_vectors.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Norms, moments and averages.
namespace stoker::nn {

struct AverageArgs {
  Config axis = {};
};
template <class V>
void visit(AverageArgs& a, V& v) {
  v("axis", a.axis);
}

struct NormArgs {
  Config ord = {}, axis = {};
  bool keepdims = false;
};
template <class V>
void visit(NormArgs& a, V& v) {
  v("ord", a.ord);
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

struct MomentsArgs {
  Config axes = {};
  bool keepdims = false, synchronized = false;
};
template <class V>
void visit(MomentsArgs& a, V& v) {
  v("axes", a.axes, required);
  v("keepdims", a.keepdims);
  v("synchronized", a.synchronized);  // one device has nothing to synchronise
}

struct NormalizeArgs {
  Config axis = -1;
  int64_t order = 2;  // Keras does not accept 2.0
  std::optional<double> epsilon = {};
};
template <class V>
void visit(NormalizeArgs& a, V& v) {
  v("axis", a.axis);
  v("order", a.order);
  v("epsilon", a.epsilon);
}

namespace {

using Results = std::vector<Tensor>;

Results average(const AverageArgs& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0)), weights = call.optional_tensor(1, "weights");
  const auto args = over(x, {a.axis, false});
  if (!weights.defined()) return {ops::mean(x, args)};
  Tensor w = ops::cast(weights, x.dtype());
  if (w.shape().rank() == 1 && x.shape().rank() > 1 && args.axis.size() == 1) {
    std::vector<int64_t> dims(static_cast<size_t>(x.shape().rank()), 1);
    dims[static_cast<size_t>(args.axis[0])] = w.shape()[0];
    w = ops::reshape(w, Shape(std::move(dims)));
  }
  return {ops::sum(x * w, args) / ops::sum(ops::broadcast_to(w, x.shape()), args)};
}

Tensor vector_norm(const Tensor& x, double p, const ops::ReduceArgs& args) {
  const Tensor size = ops::abs(x);
  if (p == HUGE_VAL) return ops::max(size, args);
  if (p == -HUGE_VAL) return ops::min(size, args);
  if (p == 1) return ops::sum(size, args);
  if (p == 2) return ops::sqrt(ops::sum(x * x, args));
  if (p == 0) return ops::sum(ops::cast(ops::greater(size, 0.0), x.dtype()), args);
  return ops::power(ops::sum(ops::power(size, p), args), 1 / p);
}
Results norm(const NormArgs& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, {a.axis, a.keepdims});
  const bool frobenius = a.ord.is_null() || (a.ord.is_string() && a.ord.as_string() == "fro");
  if (frobenius) return {vector_norm(x, 2, args)};
  if (args.axis.size() != 1 || !a.ord.is_number())
    throw Unsupported(fmt::format("the norm {} of matrices is not supported.", a.ord.to_string()));
  return {vector_norm(x, a.ord.as_double(), args)};
}

Results moments(const MomentsArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto args = over(x, {a.axes, a.keepdims});
  const Tensor mean = ops::mean(x, {.axis = args.axis, .keepdims = true});
  const Tensor variance = ops::mean(ops::square(x - mean), args);
  return {ops::reshape(mean, variance.shape()), variance};
}

Results normalize(const NormalizeArgs& a, const OperationCall& call) {
  constexpr double keras_epsilon = 1e-7;
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, {a.axis, true});
  const double least = a.epsilon.value_or(keras_epsilon);
  if (a.order != 2) return {x / ops::maximum(vector_norm(x, a.order, args), least)};
  return {unit_vectors(x, args.axis, least)};
}

const RegisterOperation<AverageArgs> averages{"numpy", "Average", average};
const RegisterOperation<NormArgs> norms{"linalg", "Norm", norm};
const RegisterOperation<MomentsArgs> both_moments{"nn", "Moments", moments};
const RegisterOperation<NormalizeArgs> normalized{"nn", "Normalize", normalize};

}  // namespace
}  // namespace stoker::nn
