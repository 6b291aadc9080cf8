#include "core/round_up.h"
#include "ops/gemm/gemm.h"

// A plain GEMM for any floating-point type: a block computes 64 x 64 elements, a thread 4 x 4 of
// them.
namespace stoker::cuda {
namespace {

constexpr int64_t tile = 64, most_blocks_y = 65535;

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Gemm p = product_of(node);
  if (!is_floating(p.in)) {
    refusal = fmt::format("does not compute in {}", name_of(p.in));
    return nullptr;
  }
  if (p.empty()) return make_kernel({}, [](Encoder&, void* const*, void*) {});
  auto function = make_function(gemm_source("gemm/plain.cuh", p), "gemm");
  const int64_t blocks = ceil_div(p.m, tile) * ceil_div(p.n, tile);
  return make_kernel({function}, [=](Encoder& encoder, void* const* arguments, void*) {
    encoder.launch(*function,
                   {.blocks = static_cast<unsigned int>(blocks),
                    .blocks_y = static_cast<unsigned int>(std::min(p.batch, most_blocks_y)),
                    .blocks_z = blocks_for(p.batch, most_blocks_y)},
                   bind(p, arguments));
  });
}

const RegisterKernel matmul{"matmul", "plain", reference, plan};
const RegisterKernel batch_matmul{"batch_matmul", "plain", reference, plan};
const RegisterKernel fused_matmul{"fused_matmul", "plain", reference, plan};
const RegisterKernel matmul_adam{"matmul_adam", "plain", reference, plan};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "plain", reference, plan};

}  // namespace
}  // namespace stoker::cuda
