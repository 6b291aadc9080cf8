#pragma once
#include <string_view>

namespace stoker {

// A row of elementwise_ops.def; the comment at the head of that file explains the columns.
struct ElementwiseOp {
  enum Arity { unary = 1, binary = 2 };
  enum class Takes { floats, numbers, bools };
  enum class Gives { same, boolean };
  enum class Cost { quick, slow };

  const char* name;
  Arity arity;
  Takes takes;
  Gives gives;
  Cost cost;
  const char *floats = nullptr, *integers = nullptr, *bools = nullptr;  // expressions, or null
  bool has_gradient = false;
};

// clang-format off
inline constexpr ElementwiseOp elementwise_table[] = {
#define ELEMENTWISE_OP(op, inputs, taken, given, cost_class) \
  {.name = #op,                                              \
   .arity = ElementwiseOp::inputs,                           \
   .takes = ElementwiseOp::Takes::taken,                     \
   .gives = ElementwiseOp::Gives::given,                     \
   .cost = ElementwiseOp::Cost::cost_class,
#define OF_FLOATS(expression) .floats = #expression,
#define OF_INTEGERS(expression) .integers = #expression,
#define OF_BOOLS(expression) .bools = #expression,
#define GRADIENT_OF_A(expression) .has_gradient = true,
#define END_OP },
#include "core/elementwise/elementwise_ops.def"
};
// clang-format on

// Null for an op that is not in the table.
constexpr const ElementwiseOp* find_elementwise_op(std::string_view name) {
  for (const ElementwiseOp& op : elementwise_table)
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace stoker
