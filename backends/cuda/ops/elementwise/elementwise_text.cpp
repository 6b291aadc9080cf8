#include "ops/elementwise/elementwise_text.h"

#include <fmt/format.h>

#include <map>

#include "ops/support.h"

namespace stoker::cuda {
namespace {

// In these, $0 $1 $2 are the operands, $T the type they are computed in, and $f the letter that
// tells C's float functions from the double ones.
using Expressions = std::map<std::string, const char*, std::less<>>;

const Expressions compares{
    {"equal", "$0 == $1"},         {"not_equal", "$0 != $1"}, {"greater", "$0 > $1"},
    {"greater_equal", "$0 >= $1"}, {"less", "$0 < $1"},       {"less_equal", "$0 <= $1"},
};

// NaN in either operand of an extreme gives NaN.
const Expressions of_numbers{
    {"maximum", "$0 > $1 || $0 != $0 ? $0 : $1"},
    {"minimum", "$0 < $1 || $0 != $0 ? $0 : $1"},
    {"relu_grad", "$1 > $T(0) ? $0 : $T(0)"},
    {"sign", "$0 != $0 ? $0 : $T(($0 > $T(0)) - ($0 < $T(0)))"},
    {"relu", "$0 < $T(0) ? $T(0) : $0"},
};

const Expressions of_floats{
    {"add", "$0 + $1"},           {"subtract", "$0 - $1"},
    {"multiply", "$0 * $1"},      {"divide", "$0 / $1"},
    {"power", "pow$f($0, $1)"},   {"negative", "-$0"},
    {"square", "$0 * $0"},        {"abs", "fabs$f($0)"},
    {"exp", "exp$f($0)"},         {"log", "log$f($0)"},
    {"log1p", "log1p$f($0)"},     {"expm1", "expm1$f($0)"},
    {"sqrt", "sqrt$f($0)"},       {"rsqrt", "$T(1) / sqrt$f($0)"},
    {"reciprocal", "$T(1) / $0"}, {"floor", "floor$f($0)"},
    {"sin", "sin$f($0)"},         {"cos", "cos$f($0)"},
    {"tanh", "tanh$f($0)"},       {"sigmoid", "$T(1) / ($T(1) + exp$f(-$0))"},
    {"erf", "erf$f($0)"},         {"isfinite", "$0 - $0 == $T(0)"},
};

// Integers wrap around; computing in unsigned keeps that defined.
const Expressions of_integers{
    {"add", "$T(uint64_t($0) + uint64_t($1))"},
    {"subtract", "$T(uint64_t($0) - uint64_t($1))"},
    {"multiply", "$T(uint64_t($0) * uint64_t($1))"},
    {"divide", "divide_integers<$T>($0, $1)"},
    {"power", "integer_power<$T>($0, $1)"},
    {"negative", "$T(0 - uint64_t($0))"},
    {"square", "$T(uint64_t($0) * uint64_t($0))"},
    {"abs", "$0 < $T(0) ? $T(0 - uint64_t($0)) : $0"},
};

// Sums and products of bools are "or" and "and".
const Expressions of_bools{
    {"logical_and", "$0 != 0 && $1 != 0"},
    {"multiply", "$0 != 0 && $1 != 0"},
    {"minimum", "$0 != 0 && $1 != 0"},
    {"logical_or", "$0 != 0 || $1 != 0"},
    {"add", "$0 != 0 || $1 != 0"},
    {"maximum", "$0 != 0 || $1 != 0"},
    {"logical_not", "$0 == 0"},
};

const Expressions of_anything{{"copy", "$0"}, {"broadcast_to", "$0"}, {"select", "$0 ? $1 : $2"}};

const char* find(std::initializer_list<const Expressions*> tables, const std::string& op) {
  for (const Expressions* table : tables)
    if (const auto found = table->find(op); found != table->end()) return found->second;
  return nullptr;
}

// Exact to bfloat16's digits, and one instruction.
const Expressions of_bfloat16{{"tanh", "quick_tanh($0)"}};

const char* expression_for(const std::string& op, DType in) {
  if (in == DType::bfloat16)
    if (const char* quick = find({&of_bfloat16}, op)) return quick;
  if (const char* moving = find({&of_anything}, op)) return moving;
  if (in == DType::boolean) return find({&of_bools, &compares}, op);
  if (is_floating(in)) return find({&of_floats, &of_numbers, &compares}, op);
  return find({&of_integers, &of_numbers, &compares}, op);
}

const char* limits_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return "-128, 127";
    case DType::uint8:
      return "0, 255";
    case DType::int32:
      return "-2147483647 - 1, 2147483647";
    default:
      return "-9223372036854775807LL - 1, 9223372036854775807LL";
  }
}

std::string cast_text(DType from, DType to, const std::string& operand) {
  if (to == DType::boolean) return fmt::format("{} != 0", operand);
  if (is_floating(from) && is_integer(to))
    return fmt::format("to_integer<{}>({}, {})", compute_name(to), operand, limits_of(to));
  return fmt::format("{}({})", compute_name(to), operand);
}

}  // namespace

const char* compute_name(DType dtype) { return is_half(dtype) ? "float" : type_name(dtype); }

std::string instruction_text(const std::string& op, DType in, DType out,
                             const std::vector<std::string>& operands) {
  if (op == "cast") return cast_text(in, out, operands[0]);
  const char* expression = expression_for(op, in);
  if (!expression) return "";
  std::string text;
  for (const char* c = expression; *c; ++c) {
    if (*c != '$')
      text += *c;
    else if (*++c == 'T')
      text += compute_name(in);
    else if (*c == 'f')
      text += in == DType::float64 ? "" : "f";
    else
      text += operands.at(static_cast<size_t>(*c - '0'));
  }
  return text;
}

}  // namespace stoker::cuda
