#include "stoker/ops/elementwise.h"

#include "nn/operations/elementwise_calls.h"
#include "stoker/activations.h"

namespace stoker::nn {
namespace {

const RegisterOperation<> exp{"numpy", "Exp", of_float<ops::exp>};
const RegisterOperation<> expm1{"numpy", "Expm1", of_float<ops::expm1>};
const RegisterOperation<> log{"numpy", "Log", of_float<ops::log>};
const RegisterOperation<> log1p{"numpy", "Log1p", of_float<ops::log1p>};
const RegisterOperation<> sqrt{"numpy", "Sqrt", of_float<ops::sqrt>};
const RegisterOperation<> rsqrt{"math", "Rsqrt", of_float<ops::rsqrt>};
const RegisterOperation<> erf{"math", "Erf", of_float<ops::erf>};
const RegisterOperation<> reciprocal{"numpy", "Reciprocal", of_float<ops::reciprocal>};
const RegisterOperation<> sin{"numpy", "Sin", of_float<ops::sin>};
const RegisterOperation<> cos{"numpy", "Cos", of_float<ops::cos>};
const RegisterOperation<> tanh{"numpy", "Tanh", of_float<ops::tanh>};
const RegisterOperation<> sigmoid{"nn", "Sigmoid", of_float<ops::sigmoid>};
const RegisterOperation<> relu{"nn", "Relu", of_any<ops::relu>};
const RegisterOperation<> relu6{"nn", "Relu6", of_float<activations::relu6>};
const RegisterOperation<> silu{"nn", "Silu", of_float<activations::silu>};
const RegisterOperation<> selu{"nn", "Selu", of_float<activations::selu>};
const RegisterOperation<> softplus{"nn", "Softplus", of_float<activations::softplus>};
const RegisterOperation<> softsign{"nn", "Softsign", of_float<activations::softsign>};
const RegisterOperation<> hard_sigmoid{"nn", "HardSigmoid", of_float<activations::hard_sigmoid>};
const RegisterOperation<> hard_silu{"nn", "HardSilu", of_float<activations::hard_silu>};
const RegisterOperation<> log_sigmoid{"nn", "LogSigmoid", of_float<activations::log_sigmoid>};
const RegisterOperation<> hard_tanh{"nn", "HardTanh", of_float<activations::hard_tanh>};
const RegisterOperation<> tanh_shrink{"nn", "TanhShrink", of_float<activations::tanh_shrink>};
const RegisterOperation<> sparse_plus{"nn", "SparsePlus", of_float<activations::sparse_plus>};
const RegisterOperation<> sparse_sigmoid{"nn", "SparseSigmoid",
                                         of_float<activations::sparse_sigmoid>};
const RegisterOperation<> floor{"numpy", "Floor", of_float<ops::floor>};
const RegisterOperation<> square{"numpy", "Square", of_any<ops::square>};
const RegisterOperation<> absolute{"numpy", "Absolute", of_any<ops::abs>};
const RegisterOperation<> negative{"numpy", "Negative", of_any<ops::negative>};
const RegisterOperation<> sign{"numpy", "Sign", of_any<ops::sign>};
const RegisterOperation<> logical_not{"numpy", "LogicalNot", of_any<ops::logical_not>};
const RegisterOperation<> stop_gradient{"core", "StopGradient", of_any<ops::stop_gradient>};

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
