#include <cmath>
#include <numbers>

#include "nn/at_least_float32.h"
#include "nn/losses/binary_values.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/attention.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

// Losses without reduction, normalisations without weights, attention without projections.
namespace stoker::nn {

struct LogitsArgs {
  bool from_logits = false;
};
template <class V>
void visit(LogitsArgs& a, V& v) {
  v("from_logits", a.from_logits);
}

struct ClassesArgs : LogitsArgs {
  int64_t axis = -1;
};
template <class V>
void visit(ClassesArgs& a, V& v) {
  visit(static_cast<LogitsArgs&>(a), v);
  v("axis", a.axis);
}

struct AttentionOperationArgs {
  bool is_causal = false;
};
template <class V>
void visit(AttentionOperationArgs& a, V& v) {
  v("is_causal", a.is_causal);
  v.fixed("flash_attention", Config());
  v.fixed("attn_logits_soft_cap", Config());
}

struct RmsNormArgs {
  Config axis = -1;
  std::optional<double> epsilon = {};
};
template <class V>
void visit(RmsNormArgs& a, V& v) {
  v("axis", a.axis);
  v("epsilon", a.epsilon);
}

struct LayerNormArgs : RmsNormArgs {
  bool rms_scaling = false;
};
template <class V>
void visit(LayerNormArgs& a, V& v) {
  visit(static_cast<RmsNormArgs&>(a), v);
  v("rms_scaling", a.rms_scaling);
}

struct BatchNormArgs {
  int64_t axis = -1;
  double epsilon = 1e-3;
};
template <class V>
void visit(BatchNormArgs& a, V& v) {
  v("axis", a.axis, required);
  v("epsilon", a.epsilon);
}

struct PsnrArgs {
  double max_val = 1;
};
template <class V>
void visit(PsnrArgs& a, V& v) {
  v("max_val", a.max_val, required);
}

namespace {

using Results = std::vector<Tensor>;
constexpr double keras_epsilon = 1e-7;

Tensor inside(const Tensor& p) { return ops::clip(p, keras_epsilon, 1 - keras_epsilon); }

Results binary_crossentropy(const LogitsArgs& a, const OperationCall& call) {
  const auto [target, output] = call.operands(0, 1);
  if (a.from_logits) return {nn::binary_crossentropy(target, output, true)};
  const Tensor p = inside(output);
  return {-(target * ops::log(p) + (1.0 - target) * ops::log(1.0 - p))};
}

Results categorical_crossentropy(const ClassesArgs& a, const OperationCall& call) {
  const auto [given, outputs] = call.operands(0, 1);
  const Tensor target = moved(given, a.axis, -1), output = moved(outputs, a.axis, -1);
  if (a.from_logits) return {ops::softmax_cross_entropy(target, output)};
  const Tensor p = inside(output / ops::sum(output, {.axis = {-1}, .keepdims = true}));
  return {-ops::sum(target * ops::log(p), {.axis = {-1}})};
}

Results sparse_categorical_crossentropy(const ClassesArgs& a, const OperationCall& call) {
  const Tensor labels = ops::cast(call.tensor(0), DType::int64);
  const Tensor output = moved(as_float(call.tensor(1)), a.axis, -1);
  return {
      ops::sparse_softmax_cross_entropy(labels, a.from_logits ? output : ops::log(inside(output)))};
}

Results attention(const AttentionOperationArgs& a, const OperationCall& call) {
  const Tensor query = call.tensor(0), key = call.tensor(1), value = call.tensor(2);
  if (!call.optional(3, "bias").is_null())
    throw Unsupported("attention with a bias is not supported.");
  const Tensor mask = call.optional_tensor(4, "mask");
  const Config scale = call.optional(5, "scale");
  const double size = static_cast<double>(key.shape().back());
  return {ops::dot_product_attention(
      query, key, value,
      {.scale = scale.is_null() ? 1 / std::sqrt(size) : scale.as_double(),
       .causal = a.is_causal,
       .mask = mask.defined() ? ops::cast(mask, DType::boolean) : Tensor()})};
}

Tensor scaled(Tensor y, const Tensor& gamma, const Tensor& beta) {
  if (gamma.defined()) y = y * ops::cast(gamma, y.dtype());
  return beta.defined() ? y + ops::cast(beta, y.dtype()) : y;
}

// Both compute at least in float32 and cast back to the input's dtype; integers are truncated.
Results rms_norm(const RmsNormArgs& a, const OperationCall& call) {
  const Tensor given = call.tensor(0), x = at_least_float32(given);
  const auto axes = axes_of(a.axis, x.shape().rank());
  const Tensor mean = ops::mean(ops::square(x), {.axis = axes, .keepdims = true});
  const Tensor y = x * ops::rsqrt(mean + a.epsilon.value_or(keras_epsilon));
  return {ops::cast(scaled(y, call.optional_tensor(1, "scale"), {}), given.dtype())};
}

Results layer_norm(const LayerNormArgs& a, const OperationCall& call) {
  const Tensor given = call.tensor(0), x = at_least_float32(given);
  const auto args = over(x, {a.axis, true});
  const Tensor centred = x - ops::mean(x, args);
  const Tensor scale =
      ops::rsqrt(ops::mean(ops::square(centred), args) + a.epsilon.value_or(keras_epsilon));
  const Tensor gamma = call.optional_tensor(1, "gamma"), beta = call.optional_tensor(2, "beta");
  const Tensor y =
      a.rms_scaling ? scaled(x * scale, gamma, {}) : scaled(centred * scale, gamma, beta);
  return {ops::cast(y, given.dtype())};
}

Results batch_norm(const BatchNormArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto spread = [&](const Tensor& row) {
    if (!row.defined()) return row;
    std::vector<int64_t> dims(static_cast<size_t>(x.shape().rank()), 1);
    dims[static_cast<size_t>(normalize_axis(a.axis, x.shape().rank()))] = row.shape()[0];
    return ops::reshape(row, Shape(std::move(dims)));
  };
  const Tensor y = (x - spread(call.tensor(1))) * ops::rsqrt(spread(call.tensor(2)) + a.epsilon);
  return {scaled(y, spread(call.optional_tensor(4, "scale")),
                 spread(call.optional_tensor(3, "offset")))};
}

Results psnr(const PsnrArgs& a, const OperationCall& call) {
  const auto [x, y] = call.operands(0, 1);
  const Tensor error = ops::mean(ops::square(x - y));
  return {20 * std::log10(a.max_val) - 10 * std::numbers::log10e * ops::log(error)};
}

const RegisterOperation<LogitsArgs> binary{"nn", "BinaryCrossentropy", binary_crossentropy};
const RegisterOperation<ClassesArgs> categorical{"nn", "CategoricalCrossentropy",
                                                 categorical_crossentropy};
const RegisterOperation<ClassesArgs> sparse{"nn", "SparseCategoricalCrossentropy",
                                            sparse_categorical_crossentropy};
const RegisterOperation<AttentionOperationArgs> attentions{"nn", "DotProductAttention", attention};
const RegisterOperation<RmsNormArgs> rms_norms{"nn", "RMSNorm", rms_norm};
const RegisterOperation<LayerNormArgs> layer_norms{"nn", "LayerNorm", layer_norm};
const RegisterOperation<BatchNormArgs> batch_norms{"nn", "BatchNorm", batch_norm};
const RegisterOperation<PsnrArgs> psnrs{"nn", "PSNR", psnr};

}  // namespace
}  // namespace stoker::nn
