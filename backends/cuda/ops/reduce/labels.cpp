#include "ops/support.h"

namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType index = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(index, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t batch = node.in[1].shape[0], classes = node.in[1].shape[1], k = node.integer("k");
  if (batch == 0) return do_nothing();
  if (classes == 0)
    return make_kernel({}, [batch](Encoder& encoder, void* const* a, void*) {
      encoder.fill(a[2], 0, static_cast<uint64_t>(batch));
    });
  const auto function = make_function(
      KernelSource("reduce/in_top_k.cuh").type("index_t", index).type("element_t", dtype),
      "in_top_k");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(batch, 8)}, a[0], a[1], a[2], batch, classes,
                   k);
  });
}

const RegisterKernel top_k{"in_top_k", "warps", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
