#include "stoker/ops/elementwise.h"

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "stoker/activations.h"

namespace stoker::nn {
namespace {

template <auto function>
std::vector<Tensor> of_one(const NoArgs&, const OperationCall& call) {
  return {function(as_float(call.tensor(0)))};
}
// Of functions that integers stay integers in.
template <auto function>
std::vector<Tensor> of_any(const NoArgs&, const OperationCall& call) {
  return {function(call.tensor(0))};
}

const RegisterOperation<> exp{"numpy", "Exp", of_one<ops::exp>};
const RegisterOperation<> expm1{"numpy", "Expm1", of_one<ops::expm1>};
const RegisterOperation<> log{"numpy", "Log", of_one<ops::log>};
const RegisterOperation<> log1p{"numpy", "Log1p", of_one<ops::log1p>};
const RegisterOperation<> sqrt{"numpy", "Sqrt", of_one<ops::sqrt>};
const RegisterOperation<> rsqrt{"math", "Rsqrt", of_one<ops::rsqrt>};
const RegisterOperation<> erf{"math", "Erf", of_one<ops::erf>};
const RegisterOperation<> reciprocal{"numpy", "Reciprocal", of_one<ops::reciprocal>};
const RegisterOperation<> sin{"numpy", "Sin", of_one<ops::sin>};
const RegisterOperation<> cos{"numpy", "Cos", of_one<ops::cos>};
const RegisterOperation<> tanh{"numpy", "Tanh", of_one<ops::tanh>};
const RegisterOperation<> sigmoid{"nn", "Sigmoid", of_one<ops::sigmoid>};
const RegisterOperation<> relu{"nn", "Relu", of_one<ops::relu>};
const RegisterOperation<> relu6{"nn", "Relu6", of_one<activations::relu6>};
const RegisterOperation<> silu{"nn", "Silu", of_one<activations::silu>};
const RegisterOperation<> selu{"nn", "Selu", of_one<activations::selu>};
const RegisterOperation<> softplus{"nn", "Softplus", of_one<activations::softplus>};
const RegisterOperation<> softsign{"nn", "Softsign", of_one<activations::softsign>};
const RegisterOperation<> hard_sigmoid{"nn", "HardSigmoid", of_one<activations::hard_sigmoid>};
const RegisterOperation<> hard_silu{"nn", "HardSilu", of_one<activations::hard_silu>};
const RegisterOperation<> log_sigmoid{"nn", "LogSigmoid", of_one<activations::log_sigmoid>};
const RegisterOperation<> hard_tanh{"nn", "HardTanh", of_one<activations::hard_tanh>};
const RegisterOperation<> tanh_shrink{"nn", "TanhShrink", of_one<activations::tanh_shrink>};
const RegisterOperation<> sparse_plus{"nn", "SparsePlus", of_one<activations::sparse_plus>};
const RegisterOperation<> sparse_sigmoid{"nn", "SparseSigmoid",
                                         of_one<activations::sparse_sigmoid>};
const RegisterOperation<> floor{"numpy", "Floor", of_one<ops::floor>};
const RegisterOperation<> square{"numpy", "Square", of_any<ops::square>};
const RegisterOperation<> absolute{"numpy", "Absolute", of_any<ops::abs>};
const RegisterOperation<> negative{"numpy", "Negative", of_any<ops::negative>};
const RegisterOperation<> sign{"numpy", "Sign", of_any<ops::sign>};
const RegisterOperation<> logical_not{"numpy", "LogicalNot", of_any<ops::logical_not>};
const RegisterOperation<> stop_gradient{"core", "StopGradient", of_any<ops::stop_gradient>};

using Binary = Tensor (*)(const Tensor&, const Tensor&);
template <Binary function>
std::vector<Tensor> of_two(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {function(a, b)};
}
template <Binary function>
std::vector<Tensor> of_floats(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {function(as_float(a), as_float(b))};
}

const RegisterOperation<> add{"numpy", "Add", of_two<ops::add>};
const RegisterOperation<> subtract{"numpy", "Subtract", of_two<ops::subtract>};
const RegisterOperation<> multiply{"numpy", "Multiply", of_two<ops::multiply>};
const RegisterOperation<> divide{"numpy", "Divide", of_floats<ops::divide>};
const RegisterOperation<> true_divide{"numpy", "TrueDivide", of_floats<ops::divide>};
const RegisterOperation<> power{"numpy", "Power", of_two<ops::power>};
const RegisterOperation<> maximum{"numpy", "Maximum", of_two<ops::maximum>};
const RegisterOperation<> minimum{"numpy", "Minimum", of_two<ops::minimum>};
const RegisterOperation<> equal{"numpy", "Equal", of_two<ops::equal>};
const RegisterOperation<> not_equal{"numpy", "NotEqual", of_two<ops::not_equal>};
const RegisterOperation<> greater{"numpy", "Greater", of_two<ops::greater>};
const RegisterOperation<> greater_equal{"numpy", "GreaterEqual", of_two<ops::greater_equal>};
const RegisterOperation<> less{"numpy", "Less", of_two<ops::less>};
const RegisterOperation<> less_equal{"numpy", "LessEqual", of_two<ops::less_equal>};
const RegisterOperation<> logical_and{"numpy", "LogicalAnd", of_two<ops::logical_and>};
const RegisterOperation<> logical_or{"numpy", "LogicalOr", of_two<ops::logical_or>};

const RegisterOperation<> where{
    "numpy", "Where", [](const NoArgs&, const OperationCall& call) -> std::vector<Tensor> {
      const auto [a, b] = call.operands(1, 2);
      return {ops::where(ops::cast(call.tensor(0), DType::boolean), a, b)};
    }};

}  // namespace
}  // namespace stoker::nn
