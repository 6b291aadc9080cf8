#include "ops/infer.h"

// after(x, y) returns x once y is computed: a control dependency. Added by passes only.
namespace stoker::ops {
namespace {

OutTypes infer_after(Types in, const Attrs&) {
  expect_inputs(in, 2);
  return {in[0]};
}

const RegisterOp after_op{{.name = "after", .infer = infer_after, .view = true}};

}  // namespace
}  // namespace stoker::ops
