#include "graph/graph.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

// The same rows of several tables. Inputs: the tables, then the indices. Passes make these; no
// gradient.
const RegisterOp op{{.name = "gather_many", .infer = [](Types in, const Attrs&) {
                       expect(in.size() >= 2, "needs a table and indices.");
                       OutTypes out;
                       for (size_t i = 0; i + 1 < in.size(); ++i) {
                         const TensorType one[] = {in[i], in.back()};
                         out.push_back(graph::infer_types(graph::find_op("gather"), one, {})[0]);
                       }
                       return out;
                     }}};

}  // namespace
}  // namespace stoker::ops
