#include "ops/attention/attention_text.h"

namespace stoker::cuda {
AttentionProblem::AttentionProblem(const NodeView& node)
    : count(node.in[0].shape[0]),
      queries(node.in[0].shape[1]),
      keys(node.in[1].shape[1]),
      size(node.in[0].shape[2]),
      values(node.in[2].shape[2]),
      scale(node.number("scale", 1)),
      causal(node.flag("causal")),
      masked(node.flag("masked")),
      dtype(node.in[0].dtype) {
  if (!masked) return;
  const Shape& mask = node.in.back().shape;
  per_mask = count / mask[0];
  mask_rows = mask[1];
}

AttentionArguments bind(const AttentionProblem& p, bool backward, void* const* a, void* delta) {
  AttentionArguments x{};
  x.q = a[0], x.k = a[1], x.v = a[2];
  if (backward) {
    x.out = a[3], x.logs = a[4], x.of_out = a[5];
    if (p.masked) x.mask = a[6];
    void* const* out = a + (p.masked ? 7 : 6);
    x.of_q = out[0], x.of_k = out[1], x.of_v = out[2];
  } else {
    if (p.masked) x.mask = a[3];
    void* const* out = a + (p.masked ? 4 : 3);
    x.out = out[0], x.logs = out[1];
  }
  x.delta = delta;
  x.count = p.count, x.queries = p.queries, x.keys = p.keys;
  x.per_mask = p.per_mask, x.mask_rows = p.mask_rows;
  return x;
}

KernelSource attention_source(const char* file, const AttentionProblem& p) {
  return KernelSource(file)
      .type("In", p.dtype)
      .constant("CAUSAL", p.causal)
      .constant("MASKED", p.masked)
      .constant("SIZE", p.size)
      .constant("VALUES", p.values)
      .constant("SCALE", p.scale);
}

}  // namespace stoker::cuda
