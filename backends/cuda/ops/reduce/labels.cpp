#include "ops/support.h"

namespace stoker::cuda {
namespace {

// Keras's rule: classes with equal scores all count as in; nothing is told from scores that are
// not finite. A warp a row.
const char* const text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
in_top_k(const {index}* targets, const {type}* scores, uint8_t* out, int64_t batch, int64_t classes, int64_t k) {{
  const int64_t r = blockIdx.x * int64_t(8) + threadIdx.x / 32;
  if (r >= batch) return;
  const int64_t target = targets[r];
  const bool known = target >= 0 && target < classes;
  const {type}* row = scores + r * classes;
  const auto wanted = load(row[known ? target : 0]);
  int64_t better = 0;
  int strange = 0;
  for (int64_t c = threadIdx.x % 32; c < classes; c += 32) {{
    const auto score = load(row[c]);
    if (!(score - score == 0)) strange = 1;
    better += score > wanted;
  }}
  better = warp_sum(better);
  strange = warp_sum(strange);
  if (threadIdx.x % 32 == 0) out[r] = known && strange == 0 && better < k;
}}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType index = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(index, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t batch = node.in[1].shape[0], classes = node.in[1].shape[1], k = node.integer("k");
  if (batch == 0) return do_nothing();
  if (classes == 0)
    return make_kernel({}, [batch](Encoder& encoder, void* const* a, void*) {
      encoder.fill(a[2], 0, static_cast<uint64_t>(batch));
    });
  const auto function =
      make_function(fmt::format(fmt::runtime(text), fmt::arg("index", type_name(index)),
                                fmt::arg("type", type_name(dtype))),
                    "in_top_k");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(batch, 8)}, a[0], a[1], a[2], batch, classes,
                   k);
  });
}

const RegisterKernel top_k{"in_top_k", "warps", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
