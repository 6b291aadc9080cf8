#include "stoker/ops/elementwise.h"

#include <cmath>

#include "core/elementwise/elementwise_ops.h"
#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/reduce.h"

namespace stoker::ops {

Tensor relu_grad(const Tensor& g, const Tensor& y);  // only in gradients

namespace {

using graph::emit1;

OutTypes infer_same_elementwise(Types in, const Attrs&) {
  expect_inputs(in, 1);
  return {in[0]};
}

// An op supports the dtypes for which it has an expression.
OutTypes infer_elementwise(const ElementwiseOp& op, Types in) {
  expect_inputs(in, static_cast<size_t>(op.arity));
  for (const TensorType& type : in) {
    if (!op.integers && !op.bools) expect_float(type);
    if (!op.integers && !op.floats) expect(type.dtype == DType::boolean, "needs bool inputs.");
  }
  expect_same_dtype(in);
  const Shape shape =
      op.arity == ElementwiseOp::unary ? in[0].shape : broadcast(in[0].shape, in[1].shape);
  return {{op.gives == ElementwiseOp::Gives::boolean ? DType::boolean : in[0].dtype, shape}};
}

graph::Promotion promotion_of(const ElementwiseOp& op) {
  const bool unary = op.arity == ElementwiseOp::unary;
  if (op.takes == ElementwiseOp::Takes::bools) return graph::to_bools;
  if (op.takes == ElementwiseOp::Takes::floats)
    return unary ? graph::to_floats : graph::to_one_float;
  return unary ? graph::to_numbers : graph::to_one;
}

// The gradient of an input, with the output's shape. For a unary op b is the same as a.
using Rule = Tensor (*)(const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& y);
struct Rules {
  Rule of_a = nullptr, of_b = nullptr;
};
// clang-format off
#define STOKER_RULE(expression)                                                           \
  [](const Tensor& g, [[maybe_unused]] const Tensor& a, [[maybe_unused]] const Tensor& b, \
     [[maybe_unused]] const Tensor& y) -> Tensor { return expression; }
constexpr Rules rules[] = {
#define ELEMENTWISE_OP(name, ...) {
#define GRADIENT_OF_A(expression) .of_a = STOKER_RULE(expression),
#define GRADIENT_OF_B(expression) .of_b = STOKER_RULE(expression),
#define END_OP },
#include "core/elementwise/elementwise_ops.def"
};
// clang-format on
#undef STOKER_RULE

// sum_to undoes the broadcasting.
std::vector<Tensor> apply(const Rules& rule, const Gradient& g) {
  const Tensor &a = g.inputs[0], &b = g.inputs.back();
  std::vector<Tensor> grads(g.inputs.size());
  for (size_t i = 0; i < grads.size(); ++i)
    if (const Rule of = i == 0 ? rule.of_a : rule.of_b; of && g.needed[i])
      grads[i] = sum_to(of(g.output_grads[0], a, b, g.outputs[0]), g.inputs[i].shape());
  return grads;
}

const bool registered = [] {
  for (size_t i = 0; i < std::size(rules); ++i) {
    const ElementwiseOp& op = elementwise_table[i];
    graph::GradientRule gradient;
    if (op.has_gradient) gradient = [i](const Gradient& g) { return apply(rules[i], g); };
    RegisterOp{{.name = op.name,
                .infer = [i](Types in,
                             const Attrs&) { return infer_elementwise(elementwise_table[i], in); },
                .promote = promotion_of(op),
                .gradient = gradient,
                .elementwise = true}};
  }
  return true;
}();

const RegisterOp stop_gradient_op{
    {.name = "stop_gradient", .infer = infer_same_elementwise, .view = true}};

const RegisterOp select_op{
    {.name = "select",
     .infer =
         [](Types in, const Attrs&) {
           expect_inputs(in, 3);
           expect(in[0].dtype == DType::boolean, "needs a bool condition.");
           expect_same_dtype(in.subspan(1));
           return OutTypes{
               {in[1].dtype, broadcast(in[0].shape, broadcast(in[1].shape, in[2].shape))}};
         },
     .promote = graph::to_one_behind,
     .gradient =
         [](const Gradient& g) {
           const auto &c = g.inputs[0], &dy = g.output_grads[0];
           const Tensor zero = graph::scalar_like(dy, 0);
           std::vector<Tensor> grads(3);
           if (g.needed[1]) grads[1] = sum_to(where(c, dy, zero), g.inputs[1].shape());
           if (g.needed[2]) grads[2] = sum_to(where(c, zero, dy), g.inputs[2].shape());
           return grads;
         },
     .elementwise = true}};

const RegisterOp cast_op{
    {.name = "cast",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 1);
           return OutTypes{{static_cast<DType>(attrs.integer("dtype")), in[0].shape}};
         },
     .gradient =
         [](const Gradient& g) {
           const bool smooth =
               is_floating(g.inputs[0].dtype()) && is_floating(g.outputs[0].dtype());
           return std::vector{smooth ? cast(g.output_grads[0], g.inputs[0].dtype()) : Tensor()};
         },
     .elementwise = true}};

}  // namespace

// A number takes the tensor's dtype unless its fraction would be lost.
static Tensor as_operand(const Tensor& tensor, double number) {
  const bool whole = std::isfinite(number) && number == std::floor(number);
  const DType dtype = tensor.dtype() == DType::boolean ? DType::int32 : tensor.dtype();
  return graph::current_emitter().constant(
      Array::scalar(number).astype(whole ? dtype : graph::float_type(dtype)));
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return emit1("select", {condition, a, b});
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return emit1("cast", {x}, {{"dtype", static_cast<int64_t>(dtype)}});
}

Tensor clip(const Tensor& x, double low, double high) { return minimum(maximum(x, low), high); }

Tensor stop_gradient(const Tensor& x) { return emit1("stop_gradient", {x}); }

#define STOKER_unary(name) \
  Tensor name(const Tensor& x) { return emit1(#name, {x}); }
#define STOKER_binary(name) \
  Tensor name(const Tensor& a, const Tensor& b) { return emit1(#name, {a, b}); }
#define ELEMENTWISE_OP(name, arity, ...) STOKER_##arity(name)
#include "core/elementwise/elementwise_ops.def"

#define STOKER_WITH_NUMBER(name) \
  Tensor name(const Tensor& a, double b) { return name(a, as_operand(a, b)); }
STOKER_WITH_NUMBER(maximum)
STOKER_WITH_NUMBER(minimum)
STOKER_WITH_NUMBER(power)
STOKER_WITH_NUMBER(greater)
STOKER_WITH_NUMBER(greater_equal)
STOKER_WITH_NUMBER(less)
STOKER_WITH_NUMBER(equal)

}  // namespace stoker::ops

namespace stoker {

Tensor operator+(const Tensor& a, const Tensor& b) { return ops::add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return ops::subtract(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return ops::multiply(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return ops::divide(a, b); }
Tensor operator-(const Tensor& a) { return ops::negative(a); }
Tensor operator+(const Tensor& a, double b) { return ops::add(a, ops::as_operand(a, b)); }
Tensor operator-(const Tensor& a, double b) { return ops::subtract(a, ops::as_operand(a, b)); }
Tensor operator*(const Tensor& a, double b) { return ops::multiply(a, ops::as_operand(a, b)); }
Tensor operator/(const Tensor& a, double b) { return ops::divide(a, ops::as_operand(a, b)); }
Tensor operator+(double a, const Tensor& b) { return ops::add(ops::as_operand(b, a), b); }
Tensor operator-(double a, const Tensor& b) { return ops::subtract(ops::as_operand(b, a), b); }
Tensor operator*(double a, const Tensor& b) { return ops::multiply(ops::as_operand(b, a), b); }
Tensor operator/(double a, const Tensor& b) { return ops::divide(ops::as_operand(b, a), b); }

}  // namespace stoker
