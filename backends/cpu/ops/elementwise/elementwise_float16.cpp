#include <algorithm>
#include <map>

#include "ops/elementwise/elementwise_program.h"

namespace stoker::cpu {
namespace {

// Ops that can work on 16-bit values directly.
bool only_moves(const std::string& op) {
  return op == "cast" || op == "copy" || op == "broadcast_to" || op == "select";
}

class HalfWidener {
 public:
  explicit HalfWidener(const std::vector<DType>& inputs) : dtypes_(inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) now_.push_back(static_cast<int>(i));
  }

  void add(const Instruction& old) {
    std::vector<int> operands;
    const bool moves = only_moves(old.op);
    for (int operand : old.operands)
      operands.push_back(moves ? now_[static_cast<size_t>(operand)] : wide(operand));
    const bool rounds = !moves && is_half(old.dtype);
    int number = emit(old.op, rounds ? DType::float32 : old.dtype, std::move(operands));
    if (rounds) number = emit("cast", old.dtype, {number});
    now_.push_back(number);
  }

  ElementwiseProgram finish(const std::vector<int>& results) {
    for (int result : results) program_.results.push_back(now_[static_cast<size_t>(result)]);
    return std::move(program_);
  }

 private:
  int emit(const std::string& op, DType dtype, std::vector<int> operands) {
    program_.instructions.push_back({op, dtype, std::move(operands)});
    dtypes_.push_back(dtype);
    return static_cast<int>(dtypes_.size()) - 1;
  }

  // The value in float32, converted once.
  int wide(int old) {
    const int number = now_[static_cast<size_t>(old)];
    if (!is_half(dtypes_[static_cast<size_t>(number)])) return number;
    const auto [place, fresh] = wide_.try_emplace(number, 0);
    if (fresh) place->second = emit("cast", DType::float32, {number});
    return place->second;
  }

  ElementwiseProgram program_;
  std::vector<DType> dtypes_;  // by the new numbers
  std::vector<int> now_;       // new numbers by the old ones
  std::map<int, int> wide_;
};

}  // namespace

ElementwiseProgram widen_float16(const ElementwiseProgram& program,
                                 const std::vector<DType>& inputs) {
  const bool any =
      std::any_of(inputs.begin(), inputs.end(), is_half) ||
      std::any_of(program.instructions.begin(), program.instructions.end(),
                  [](const Instruction& instruction) { return is_half(instruction.dtype); });
  if (!any) return program;
  HalfWidener widener(inputs);
  for (const Instruction& instruction : program.instructions) widener.add(instruction);
  return widener.finish(program.results);
}

}  // namespace stoker::cpu
