#include "ops/attention/attention_flash_text.h"

namespace stoker::cuda {
namespace {

FlashShape shape_for(const AttentionProblem& p) {
  if (!has_warpgroups(p)) return plain_shape(p);
  return {.warpgroups = true, .blocks_each = p.size > 64 ? 2 : 4};
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves_flash(p, refusal)) return nullptr;
  const FlashShape shape = shape_for(p);
  const auto function =
      make_function(flash_source("attention/flash_forward.cuh", p, shape), "attention");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, flash_launch(p, shape, p.queries), bind(p, false, a));
  });
}

const RegisterKernel attention{"attention", "flash", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
