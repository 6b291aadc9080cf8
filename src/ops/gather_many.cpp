#include "graph/graph.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

// Gathers the same rows of several tables. Inputs: the tables, then the indices. Attributes:
// dtypes, the output types if they differ (float32 as float16 or bfloat16); nan_outside, as in
// gather, for all of them. Added by passes; no gradient.
OutTypes infer_gather_many(Types in, const Attrs& attrs) {
  expect(in.size() >= 2, "needs a table and indices.");
  const auto dtypes = attrs.integers("dtypes");
  OutTypes out;
  for (size_t i = 0; i + 1 < in.size(); ++i) {
    const TensorType one[] = {in[i], in.back()};
    out.push_back(graph::infer_types(graph::find_op("gather"), one, {})[0]);
    if (!dtypes.empty()) out.back().dtype = static_cast<DType>(dtypes.at(i));
  }
  return out;
}

const RegisterOp registered{
    {.name = "gather_many", .infer = infer_gather_many, .bytes = bytes_of_gather}};

}  // namespace
}  // namespace stoker::ops
