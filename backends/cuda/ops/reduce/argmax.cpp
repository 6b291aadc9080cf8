#include "ops/support.h"

namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_unless(dtype != DType::boolean, refusal, "does not compute in", dtype)) return nullptr;
  const Shape& shape = node.in[0].shape;
  const int axis = normalize_axis(node.integer("axis"), shape.rank());
  const int64_t length = shape[axis], inner = product(shape, axis + 1, shape.rank()),
                outputs = node.out[0].shape.size();
  if (outputs == 0) return do_nothing();
  if (length == 0) {
    return make_kernel({}, [outputs](Encoder& encoder, void* const* a, void*) {
      encoder.fill(a[1], 0, static_cast<uint64_t>(outputs) * sizeof(int64_t));
    });
  }
  const int64_t lanes = inner == 1 ? lanes_for_row(length / 2) : 1;
  const auto function = make_function(
      KernelSource("reduce/argmax.cuh").type("element_t", dtype).constant("lanes", lanes),
      "argmax");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(outputs, 256 / lanes)}, a[0], a[1], outputs,
                   length, inner);
  });
}

const RegisterKernel argmax{"argmax", "lanes", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
