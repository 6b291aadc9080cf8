#include "core/round_up.h"
#include "ops/support.h"

namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  if (refuse_unless(node.out[0].dtype == DType::float32, refusal, "draws only float32, not",
                    node.out[0].dtype))
    return nullptr;
  const int64_t size = node.out[0].shape.size(), key = node.integer("seed"),
                offset = node.integer("offset");
  if (size == 0) return do_nothing();
  const auto function = make_function(
      KernelSource("elementwise/random.cuh").constant("NORMAL", node.op == "random_normal"),
      "draw");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(ceil_div(offset % 4 + size, 4))}, a[0], a[1],
                   size, key, offset);
  });
}

const RegisterKernel uniform{"random_uniform", "philox", optimised, plan};
const RegisterKernel normal{"random_normal", "philox", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
