#include <algorithm>

#include "ops/infer.h"

namespace stoker::ops {
namespace {

// "multiply:float32 0 1" → float32.
DType dtype_of_instruction(const std::string& line) {
  const size_t colon = line.find(':'), space = std::min(line.find(' '), line.size());
  expect(colon != std::string::npos && colon < space,
         fmt::format("\"{}\" is not an instruction.", line));
  return parse_dtype(line.substr(colon + 1, space - colon - 1));
}

// A sequence of elementwise instructions "op:dtype operands", separated by ';'. Operands are
// numbered: inputs first, then the instructions' results; attribute "results" lists the outputs.
// "shape" is the common shape of all values. Added by passes; no gradient.
OutTypes infer_fused_elementwise(Types in, const Attrs& attrs) {
  std::vector<DType> dtypes;
  for (const TensorType& type : in) dtypes.push_back(type.dtype);
  const std::string program = attrs.text("program");
  for (size_t at = 0; at < program.size();) {
    const size_t end = std::min(program.find(';', at), program.size());
    dtypes.push_back(dtype_of_instruction(program.substr(at, end - at)));
    at = end + 1;
  }
  OutTypes out;
  for (int64_t result : attrs.integers("results"))
    out.push_back({dtypes.at(static_cast<size_t>(result)), Shape(attrs.integers("shape"))});
  return out;
}

double flops_fused_elementwise(Types, Types out, const Attrs& attrs) {
  const std::string program = attrs.text("program");
  const auto instructions = 1 + std::count(program.begin(), program.end(), ';');
  return static_cast<double>(instructions) * static_cast<double>(out[0].shape.size());
}

const RegisterOp registered{{.name = "fused_elementwise",
                             .infer = infer_fused_elementwise,
                             .flops = flops_fused_elementwise,
                             .elementwise = true}};

}  // namespace
}  // namespace stoker::ops
