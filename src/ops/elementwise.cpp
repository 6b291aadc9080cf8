#include "stoker/ops/elementwise.h"

#include <cmath>

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/reduce.h"

namespace stoker::ops {
namespace {

using graph::emit1;

OutTypes infer_float(Types in, const Attrs&) {
  expect_inputs(in, 1);
  expect_float(in[0]);
  return {in[0]};
}
OutTypes infer_same_elementwise(Types in, const Attrs&) {
  expect_inputs(in, 1);
  return {in[0]};
}
OutTypes infer_binary(Types in, const Attrs&) {
  expect_inputs(in, 2);
  expect_same_dtype(in);
  return {{in[0].dtype, broadcast(in[0].shape, in[1].shape)}};
}
OutTypes infer_compare(Types in, const Attrs& attrs) {
  return {{DType::boolean, infer_binary(in, attrs)[0].shape}};
}
OutTypes infer_logical(Types in, const Attrs& attrs) {
  for (const auto& type : in) expect(type.dtype == DType::boolean, "needs bool inputs.");
  return in.size() == 1 ? OutTypes{in[0]} : infer_binary(in, attrs);
}

using Rule = Tensor (*)(const Tensor& g, const Tensor& x, const Tensor& y);
struct Unary {
  const char* name;
  Rule gradient;  // from the output's gradient g, the input x and the output y; nullptr: none
};
const Unary unaries[] = {
    {"negative", [](auto& g, auto&, auto&) { return negative(g); }},
    {"exp", [](auto& g, auto&, auto& y) { return g * y; }},
    {"log", [](auto& g, auto& x, auto&) { return g / x; }},
    {"log1p", [](auto& g, auto& x, auto&) { return g / (x + 1.0); }},
    {"expm1", [](auto& g, auto&, auto& y) { return g * (y + 1.0); }},
    {"sqrt", [](auto& g, auto&, auto& y) { return g * 0.5 / y; }},
    {"rsqrt", [](auto& g, auto& x, auto& y) { return g * -0.5 * y / x; }},
    {"square", [](auto& g, auto& x, auto&) { return g * 2.0 * x; }},
    {"reciprocal", [](auto& g, auto&, auto& y) { return negative(g * y * y); }},
    {"abs", [](auto& g, auto& x, auto&) { return g * sign(x); }},
    {"sign", nullptr},
    {"floor", nullptr},
    {"sin", [](auto& g, auto& x, auto&) { return g * cos(x); }},
    {"cos", [](auto& g, auto& x, auto&) { return negative(g * sin(x)); }},
    {"tanh", [](auto& g, auto&, auto& y) { return g * (1.0 - y * y); }},
    {"sigmoid", [](auto& g, auto&, auto& y) { return g * y * (1.0 - y); }},
    {"erf", [](auto& g, auto& x, auto&) { return g * 1.1283791670955126 * exp(negative(x * x)); }},
    {"relu",
     [](auto& g, auto&, auto& y) {
       return emit1("relu_grad", {g, y});
     }},
};

const bool unaries_registered = [] {
  for (const Unary& unary : unaries) {
    graph::GradientRule rule;
    if (Rule of = unary.gradient)
      rule = [of](const Gradient& g) {
        return std::vector{of(g.output_grads[0], g.inputs[0], g.outputs[0])};
      };
    const bool any_dtype = unary.name == std::string("negative") ||
                           unary.name == std::string("abs") || unary.name == std::string("relu") ||
                           unary.name == std::string("square") || unary.name == std::string("sign");
    RegisterOp{{.name = unary.name,
                .infer = any_dtype ? infer_same_elementwise : infer_float,
                .promote = any_dtype ? graph::to_numbers : graph::to_floats,
                .gradient = rule,
                .elementwise = true}};
  }
  return true;
}();

// The gradient of each side, still with the output's shape; sum_to undoes the broadcasting.
using BinaryRule = Tensor (*)(const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& y);
struct Binary {
  const char* name;
  BinaryRule left, right;
  graph::Promotion promote = graph::to_one;
};
const Binary binaries[] = {
    {"add", [](auto& g, auto&, auto&, auto&) { return g; },
     [](auto& g, auto&, auto&, auto&) { return g; }},
    {"subtract", [](auto& g, auto&, auto&, auto&) { return g; },
     [](auto& g, auto&, auto&, auto&) { return negative(g); }},
    {"multiply", [](auto& g, auto&, auto& b, auto&) { return g * b; },
     [](auto& g, auto& a, auto&, auto&) { return g * a; }},
    {"divide", [](auto& g, auto&, auto& b, auto&) { return g / b; },
     [](auto& g, auto&, auto& b, auto& y) { return negative(g * y / b); }, graph::to_one_float},
    // Where both are equal all of the gradient goes to the first, as in TensorFlow.
    {"maximum",
     [](auto& g, auto& a, auto& b, auto&) {
       return where(greater_equal(a, b), g, graph::scalar_like(g, 0));
     },
     [](auto& g, auto& a, auto& b, auto&) {
       return where(less(a, b), g, graph::scalar_like(g, 0));
     }},
    {"minimum",
     [](auto& g, auto& a, auto& b, auto&) {
       return where(less_equal(a, b), g, graph::scalar_like(g, 0));
     },
     [](auto& g, auto& a, auto& b, auto&) {
       return where(greater(a, b), g, graph::scalar_like(g, 0));
     }},
    {"power", [](auto& g, auto& a, auto& b, auto&) { return g * b * power(a, b - 1.0); },
     [](auto& g, auto& a, auto&, auto& y) {
       return g * y *
              log(where(greater(a, 0.0), a, graph::scalar_like(a, 1)));  // 0^b has no slope in b
     }},
};

const bool binaries_registered = [] {
  for (const Binary& binary : binaries)
    RegisterOp{{.name = binary.name,
                .infer = infer_binary,
                .promote = binary.promote,
                .gradient =
                    [left = binary.left, right = binary.right](const Gradient& g) {
                      const auto &a = g.inputs[0], &b = g.inputs[1], &dy = g.output_grads[0];
                      std::vector<Tensor> grads(2);
                      if (g.needed[0]) grads[0] = sum_to(left(dy, a, b, g.outputs[0]), a.shape());
                      if (g.needed[1]) grads[1] = sum_to(right(dy, a, b, g.outputs[0]), b.shape());
                      return grads;
                    },
                .elementwise = true}};
  for (const char* name : {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal"})
    RegisterOp{
        {.name = name, .infer = infer_compare, .promote = graph::to_one, .elementwise = true}};
  for (const char* name : {"logical_and", "logical_or", "logical_not"})
    RegisterOp{
        {.name = name, .infer = infer_logical, .promote = graph::to_bools, .elementwise = true}};
  return true;
}();

const RegisterOp relu_grad{
    {.name = "relu_grad",  // (g, y) → g where y > 0, else 0
     .infer = infer_binary,
     .promote = graph::to_one,
     .gradient =
         [](const Gradient& g) {
           return std::vector{emit1("relu_grad", {g.output_grads[0], g.inputs[1]}), Tensor()};
         },
     .elementwise = true}};

const RegisterOp isfinite_op{{.name = "isfinite",
                              .infer =
                                  [](Types in, const Attrs& a) {
                                    return OutTypes{{DType::boolean, infer_float(in, a)[0].shape}};
                                  },
                              .promote = graph::to_floats,
                              .elementwise = true}};

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

// A number takes the tensor's dtype, unless that would cut off its fraction.
static Tensor beside(const Tensor& tensor, double number) {
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

#define STOKER_UNARY(name) \
  Tensor name(const Tensor& x) { return emit1(#name, {x}); }
#define STOKER_BINARY(name) \
  Tensor name(const Tensor& a, const Tensor& b) { return emit1(#name, {a, b}); }
#define STOKER_WITH_NUMBER(name) \
  Tensor name(const Tensor& a, double b) { return name(a, beside(a, b)); }

// To clang-format the calls look like one long declaration.
// clang-format off
STOKER_UNARY(negative) STOKER_UNARY(exp) STOKER_UNARY(log) STOKER_UNARY(log1p) STOKER_UNARY(expm1)
STOKER_UNARY(sqrt) STOKER_UNARY(rsqrt) STOKER_UNARY(square) STOKER_UNARY(reciprocal)
STOKER_UNARY(abs) STOKER_UNARY(sign) STOKER_UNARY(floor) STOKER_UNARY(sin) STOKER_UNARY(cos)
STOKER_UNARY(tanh) STOKER_UNARY(sigmoid) STOKER_UNARY(erf) STOKER_UNARY(relu)
STOKER_UNARY(logical_not) STOKER_UNARY(isfinite) STOKER_UNARY(stop_gradient) STOKER_BINARY(add)
STOKER_BINARY(subtract) STOKER_BINARY(multiply) STOKER_BINARY(divide) STOKER_BINARY(maximum)
STOKER_BINARY(minimum) STOKER_BINARY(power) STOKER_BINARY(equal) STOKER_BINARY(not_equal)
STOKER_BINARY(greater) STOKER_BINARY(greater_equal) STOKER_BINARY(less) STOKER_BINARY(less_equal)
STOKER_BINARY(logical_and) STOKER_BINARY(logical_or) STOKER_WITH_NUMBER(maximum)
STOKER_WITH_NUMBER(minimum) STOKER_WITH_NUMBER(power) STOKER_WITH_NUMBER(greater)
STOKER_WITH_NUMBER(greater_equal) STOKER_WITH_NUMBER(less) STOKER_WITH_NUMBER(equal)
// clang-format on

}  // namespace stoker::ops

namespace stoker {

Tensor operator+(const Tensor& a, const Tensor& b) { return ops::add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return ops::subtract(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return ops::multiply(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return ops::divide(a, b); }
Tensor operator-(const Tensor& a) { return ops::negative(a); }
Tensor operator+(const Tensor& a, double b) { return ops::add(a, ops::beside(a, b)); }
Tensor operator-(const Tensor& a, double b) { return ops::subtract(a, ops::beside(a, b)); }
Tensor operator*(const Tensor& a, double b) { return ops::multiply(a, ops::beside(a, b)); }
Tensor operator/(const Tensor& a, double b) { return ops::divide(a, ops::beside(a, b)); }
Tensor operator+(double a, const Tensor& b) { return ops::add(ops::beside(b, a), b); }
Tensor operator-(double a, const Tensor& b) { return ops::subtract(ops::beside(b, a), b); }
Tensor operator*(double a, const Tensor& b) { return ops::multiply(ops::beside(b, a), b); }
Tensor operator/(double a, const Tensor& b) { return ops::divide(ops::beside(b, a), b); }

}  // namespace stoker
