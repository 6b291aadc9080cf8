#include "ops/attention/attention_flash_text.h"

namespace stoker::cuda {
namespace {

FlashShape shape_for_queries(const AttentionProblem& p) {
  if (!has_warpgroups(p)) return plain_shape(p);
  return {.warpgroups = true, .blocks_each = 2};
}
// Its two accumulators leave fewer registers for scores.
FlashShape shape_for_keys(const AttentionProblem& p) {
  if (!has_warpgroups(p)) return plain_shape(p);
  const int room = p.size > 64 ? 2 : 3;
  return {.warpgroups = true, .step = 32, .blocks_each = room, .stages = room};
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves_flash(p, refusal) || refuse_narrow_sums(node, refusal)) return nullptr;
  const FlashShape for_queries = shape_for_queries(p), for_keys = shape_for_keys(p);
  const auto queries = make_function(flash_source("attention/flash_queries.cuh", p, for_queries),
                                     "of_queries"),
             keys = make_function(flash_source("attention/flash_keys.cuh", p, for_keys), "of_keys");
  return make_kernel(
      {queries, keys},
      [=](Encoder& encoder, void* const* a, void* score_gradients) {
        const AttentionArguments x = bind(p, true, a, score_gradients);
        encoder.launch(*queries, flash_launch(p, for_queries, p.queries), x);
        encoder.launch(*keys, flash_launch(p, for_keys, p.keys), x);
      },
      static_cast<uint64_t>(p.count * p.queries) * 2 * sizeof(float));
}

const RegisterKernel attention_grad{"attention_grad", "flash", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
