#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Operations on one tensor with scalar parameters.
namespace stoker::nn {

struct AxisArgs {
  int64_t axis = -1;
};
template <class V>
void visit(AxisArgs& a, V& v) {
  v("axis", a.axis);
}

struct AxesArgs {
  Config axis = -1;
};
template <class V>
void visit(AxesArgs& a, V& v) {
  v("axis", a.axis);
}

struct SlopeArgs {
  double negative_slope = 0.2;
};
template <class V>
void visit(SlopeArgs& a, V& v) {
  v("negative_slope", a.negative_slope);
}

struct AlphaArgs {
  double alpha = 1;
};
template <class V>
void visit(AlphaArgs& a, V& v) {
  v("alpha", a.alpha);
}

struct ThresholdArgs {
  double threshold = 0.5;
};
template <class V>
void visit(ThresholdArgs& a, V& v) {
  v("threshold", a.threshold);
}

struct ThresholdValueArgs : ThresholdArgs {
  double default_value = 0;
};
template <class V>
void visit(ThresholdValueArgs& a, V& v) {
  v("threshold", a.threshold, required);
  v("default_value", a.default_value, required);
}

struct SquareplusArgs {
  double b = 4;
};
template <class V>
void visit(SquareplusArgs& a, V& v) {
  v("b", a.b);
}

struct GeluArgs {
  bool approximate = true;
};
template <class V>
void visit(GeluArgs& a, V& v) {
  v("approximate", a.approximate);
}

struct ClipArgs {
  Config x_min = {}, x_max = {};  // as given: Keras clips integers to integers only
};
template <class V>
void visit(ClipArgs& a, V& v) {
  v("x_min", a.x_min, required);
  v("x_max", a.x_max, required);
}

struct CastArgs {
  DType dtype = DType::float32;
};
template <class V>
void visit(CastArgs& a, V& v) {
  v("dtype", a.dtype, required);
}

struct ConvertArgs {
  std::optional<DType> dtype = {};
};
template <class V>
void visit(ConvertArgs& a, V& v) {
  v("dtype", a.dtype);
  v.fixed("sparse", Config());
  v.fixed("ragged", Config());
}

struct OneHotArgs {
  int64_t num_classes = 0, axis = -1;
  std::optional<DType> dtype = {};
};
template <class V>
void visit(OneHotArgs& a, V& v) {
  v("num_classes", a.num_classes, required);
  v("axis", a.axis);
  v("dtype", a.dtype);
  v.fixed("sparse", false);
}

namespace {

using Results = std::vector<Tensor>;

// Several axes are transposed to the end and joined into one meanwhile.
template <auto function>
Results over_axes(const AxesArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto axes = axes_of(a.axis, x.shape().rank());
  if (axes.size() == 1) return {function(x, axes[0])};
  return {with_axes_back(function(with_axes_last(x, axes), -1), x.shape(), axes)};
}
const RegisterOperation<AxesArgs> softmax{"nn", "Softmax", over_axes<activations::softmax>};
const RegisterOperation<AxesArgs> log_softmax{"nn", "LogSoftmax",
                                              over_axes<activations::log_softmax>};
const RegisterOperation<SlopeArgs> leaky_relu{
    "nn", "LeakyRelu", [](const SlopeArgs& a, const OperationCall& call) -> Results {
      return {activations::leaky_relu(call.tensor(0), a.negative_slope)};
    }};
const RegisterOperation<AxisArgs> sparsemax{
    "nn", "Sparsemax", [](const AxisArgs& a, const OperationCall& call) -> Results {
      return {activations::sparsemax(call.tensor(0), a.axis)};
    }};
const RegisterOperation<AxisArgs> glu{"nn", "Glu",
                                      [](const AxisArgs& a, const OperationCall& call) -> Results {
                                        return {activations::glu(call.tensor(0), a.axis)};
                                      }};
const RegisterOperation<ThresholdArgs> hard_shrink{
    "nn", "HardShrink", [](const ThresholdArgs& a, const OperationCall& call) -> Results {
      return {activations::hard_shrink(call.tensor(0), a.threshold)};
    }};
const RegisterOperation<ThresholdArgs> soft_shrink{
    "nn", "SoftShrink", [](const ThresholdArgs& a, const OperationCall& call) -> Results {
      return {activations::soft_shrink(call.tensor(0), a.threshold)};
    }};
const RegisterOperation<ThresholdValueArgs> threshold{
    "nn", "Threshold", [](const ThresholdValueArgs& a, const OperationCall& call) -> Results {
      return {activations::threshold(call.tensor(0), a.threshold, a.default_value)};
    }};
const RegisterOperation<SquareplusArgs> squareplus{
    "nn", "Squareplus", [](const SquareplusArgs& a, const OperationCall& call) -> Results {
      return {activations::squareplus(call.tensor(0), a.b)};
    }};
const RegisterOperation<AlphaArgs> celu{
    "nn", "Celu", [](const AlphaArgs& a, const OperationCall& call) -> Results {
      return {activations::celu(call.tensor(0), a.alpha)};
    }};
const RegisterOperation<AlphaArgs> elu{
    "nn", "Elu", [](const AlphaArgs& a, const OperationCall& call) -> Results {
      return {activations::elu(call.tensor(0), a.alpha)};
    }};
const RegisterOperation<GeluArgs> gelu{"nn", "Gelu",
                                       [](const GeluArgs& a, const OperationCall& call) -> Results {
                                         return {activations::gelu(call.tensor(0), a.approximate)};
                                       }};
const RegisterOperation<ClipArgs> clip{
    "numpy", "Clip", [](const ClipArgs& a, const OperationCall& call) -> Results {
      return {ops::clip(call.tensor(0), a.x_min.as_double(), a.x_max.as_double())};
    }};
const RegisterOperation<CastArgs> cast{"core", "Cast",
                                       [](const CastArgs& a, const OperationCall& call) -> Results {
                                         return {ops::cast(call.tensor(0), a.dtype)};
                                       }};
const RegisterOperation<ConvertArgs> convert{
    "core", "ConvertToTensor", [](const ConvertArgs& a, const OperationCall& call) -> Results {
      const Tensor x = call.tensor(0);
      return {ops::cast(x, a.dtype.value_or(x.dtype()))};
    }};

Tensor one_hot_of(const Tensor& given, const OneHotArgs& a) {
  const Tensor indices = is_integer(given.dtype()) ? given : ops::cast(given, DType::int32);
  return moved(ops::one_hot(indices, a.num_classes, a.dtype.value_or(DType::float32)), -1, a.axis);
}
const RegisterOperation<OneHotArgs> one_hot{
    "nn", "OneHot", [](const OneHotArgs& a, const OperationCall& call) -> Results {
      return {one_hot_of(call.tensor(0), a)};
    }};
const RegisterOperation<OneHotArgs> multi_hot{
    "nn", "MultiHot", [](const OneHotArgs& a, const OperationCall& call) -> Results {
      const Tensor each = one_hot_of(call.tensor(0), a);
      return {ops::max(each, {.axis = {each.shape().rank() > 2 ? 1 : 0}})};
    }};

}  // namespace
}  // namespace stoker::nn
