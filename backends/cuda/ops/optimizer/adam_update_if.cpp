#include "ops/support.h"

namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const DType states = node.in[0].dtype, gradient = node.in[3].dtype;
  const bool scaled = node.flag("scaled");
  const int64_t size = node.in[0].shape.size();
  const auto function = make_function(KernelSource("optimizer/adam_update_if.cuh")
                                          .type("S", states)
                                          .type("G", gradient)
                                          .constant("SCALED", scaled)
                                          .constant("TAKE_M", 1 - node.number("beta_1"))
                                          .constant("TAKE_V", 1 - node.number("beta_2"))
                                          .constant("EPSILON", node.number("epsilon")),
                                      "adam_update_if");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (size == 0) return;
    void* const* out = a + 6 + scaled;
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], a[2], a[3], a[4], a[5],
                   a[scaled ? 6 : 4], out[0], out[1], out[2], size);
  });
}

const RegisterKernel adam_update_if{"adam_update_if", "elements", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
