#include "ops/support.h"

// An index out of range reads a row of zeros and writes nothing.
namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan_one_hot(const NodeView& node, std::string& refusal) {
  if (refuse_non_indices(node.in[0].dtype, refusal)) return nullptr;
  const int64_t size = node.out[0].shape.size(), depth = node.out[0].shape.back();
  if (size == 0) return do_nothing();
  const auto function = make_function(KernelSource("indexing/one_hot.cuh")
                                          .type("index_t", node.in[0].dtype)
                                          .type("element_t", node.out[0].dtype),
                                      "one_hot");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], size, depth);
  });
}

std::unique_ptr<Kernel> plan_scatter_add(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype, index = node.in[1].dtype;
  if (refuse_non_indices(index, refusal) ||
      refuse_unless(dtype != DType::boolean, refusal, "does not compute in", dtype))
    return nullptr;
  const Shape& out = node.out[0].shape;
  const int64_t rows = out[0], width = product(out, 1, out.rank()), count = node.in[1].shape.size();
  if (out.size() == 0) return do_nothing();
  const auto function = make_function(
      KernelSource("indexing/scatter_add.cuh").type("element_t", dtype).type("index_t", index),
      "scatter_add");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function,
                   {.blocks = static_cast<unsigned int>(rows), .blocks_y = blocks_for(width)}, a[0],
                   a[1], a[2], count, width);
  });
}

const RegisterKernel one_hot{"one_hot", "elements", optimised, plan_one_hot};
const RegisterKernel scatter{"scatter_add", "rows", optimised, plan_scatter_add};

}  // namespace
}  // namespace stoker::cuda
