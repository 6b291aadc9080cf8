#include "ops/elementwise/elementwise_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/elementwise/elementwise_ops.h"
#include "ops/support.h"

namespace stoker::cuda {
namespace {

// In expressions a, b and c are the operands and T is the compute type.
const char* expression_for(std::string_view op, DType in) {
  if (op == "copy" || op == "broadcast_to") return "a";
  if (op == "select") return "a ? b : c";
  const ElementwiseOp* row = find_elementwise_op(op);
  if (!row) return nullptr;
  if (in == DType::boolean) return row->bools;
  return is_floating(in) ? row->floats : row->integers;
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

// A word of an expression, followed by `next`. The float version of a function ends with f.
std::string word_text(std::string_view word, char next, DType in,
                      const std::vector<std::string>& operands) {
  if (word == "T") return compute_name(in);
  if (word.size() == 1) return operands.at(static_cast<size_t>(word[0] - 'a'));
  const bool float_function = next == '(' && is_floating(in) && in != DType::float64;
  return std::string(word) + (float_function ? "f" : "");
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

const char* compute_name(DType dtype) { return is_half(dtype) ? "float" : type_name(dtype); }

std::string instruction_text(const std::string& op, DType in, DType out,
                             const std::vector<std::string>& operands) {
  if (op == "cast") return cast_text(in, out, operands[0]);
  // accurate to bfloat16's precision, and one instruction
  if (op == "tanh" && in == DType::bfloat16) return fmt::format("quick_tanh({})", operands[0]);
  const char* expression = expression_for(op, in);
  if (!expression) return "";
  std::string text;
  for (const char* c = expression; *c;) {
    const char* end = std::find_if_not(c, c + std::strlen(c), in_word);
    if (end == c) ++end;  // a sign or a space
    text += std::isalpha(static_cast<unsigned char>(*c)) ? word_text({c, end}, *end, in, operands)
                                                         : std::string(c, end);
    c = end;
  }
  return text;
}

}  // namespace stoker::cuda
