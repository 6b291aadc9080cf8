#include "ops/attention/attention_text.h"

// Attention for any type and size: one warp per query, and for the gradients of keys and values one
// warp per key.
namespace stoker::cuda {
namespace {

unsigned int warps(int64_t count) { return blocks_for(count * 32); }

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (refuse_non_floats(p.dtype, refusal)) return nullptr;
  if (node.out[1].shape.size() == 0) return do_nothing();
  const auto function =
      make_function(attention_source("attention/warps_forward.cuh", p), "attention");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = warps(p.count * p.queries)}, bind(p, false, a));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (refuse_non_floats(p.dtype, refusal) || refuse_narrow_sums(node, refusal)) return nullptr;
  if (node.in[4].shape.size() == 0) return do_nothing();
  const std::string text = attention_source("attention/warps_backward.cuh", p);
  const auto means = make_function(text, "means"), queries = make_function(text, "of_queries"),
             keys = make_function(text, "of_keys");
  return make_kernel(
      {means, queries, keys},
      [=](Encoder& encoder, void* const* a, void* delta) {
        const AttentionArguments x = bind(p, true, a, delta);
        encoder.launch(*means, {.blocks = blocks_for(p.count * p.queries)}, x);
        encoder.launch(*queries, {.blocks = warps(p.count * p.queries)}, x);
        encoder.launch(*keys, {.blocks = warps(p.count * p.keys)}, x);
      },
      static_cast<uint64_t>(p.count * p.queries) * sizeof(double));
}

const RegisterKernel attention{"attention", "warps", reference, plan_forward};
const RegisterKernel attention_grad{"attention_grad", "warps", reference, plan_backward};

}  // namespace
}  // namespace stoker::cuda
