#include "core/elementwise/elementwise_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/error.h"

namespace stoker {

ElementwiseProgram parse_program(const std::string& text, const std::vector<int64_t>& results) {
  ElementwiseProgram program;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(';', at), text.size());
    const std::string line = text.substr(at, end - at);
    const size_t colon = line.find(':'), space = std::min(line.find(' '), line.size());
    if (colon == std::string::npos || colon > space)
      throw Internal(fmt::format("\"{}\" is not an elementwise instruction.", line));
    Instruction instruction{
        line.substr(0, colon), parse_dtype(line.substr(colon + 1, space - colon - 1)), {}};
    for (size_t i = space; i < line.size(); i = std::min(line.find(' ', i + 1), line.size()))
      instruction.operands.push_back(std::stoi(line.substr(i + 1)));
    program.instructions.push_back(std::move(instruction));
    at = end + 1;
  }
  for (int64_t result : results) program.results.push_back(static_cast<int>(result));
  return program;
}

ElementwiseProgram single_instruction(const std::string& op, DType result, size_t inputs) {
  Instruction instruction{op, result, {}};
  for (size_t i = 0; i < inputs; ++i) instruction.operands.push_back(static_cast<int>(i));
  return {{std::move(instruction)}, {static_cast<int>(inputs)}};
}

}  // namespace stoker
