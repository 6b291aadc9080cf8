#include "ops/indexing/strided_move.h"
#include "ops/layout_text.h"

// Ops that only move elements: transpose, slice, pad, concatenate.
namespace stoker::cuda {
namespace {

// The axes of `box` with the strides of the layouts `from` and `to`.
std::vector<MoveAxis> box_axes(const Shape& box, const Shape& from, const Shape& to) {
  const auto from_strides = row_major_strides(from.dims()),
             to_strides = row_major_strides(to.dims());
  std::vector<MoveAxis> axes;
  for (size_t i = 0; i < from_strides.size(); ++i)
    axes.push_back({box[static_cast<int>(i)], from_strides[i], to_strides[i]});
  return axes;
}

int64_t offset_in(const Shape& shape, const std::vector<int64_t>& position) {
  const auto strides = row_major_strides(shape.dims());
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) offset += position[i] * strides[i];
  return offset;
}

std::unique_ptr<Kernel> make(const StridedMove& move) {
  return make_kernel(move.functions(), [move](Encoder& encoder, void* const* a, void*) {
    move.encode(encoder, a[0], a[1]);
  });
}

std::unique_ptr<Kernel> plan_transpose(const NodeView& node, std::string&) {
  const auto from = row_major_strides(node.in[0].shape.dims()),
             to = row_major_strides(node.out[0].shape.dims());
  const auto permutation = node.integers("permutation");
  std::vector<MoveAxis> axes;
  for (size_t i = 0; i < to.size(); ++i)
    axes.push_back(
        {node.out[0].shape[static_cast<int>(i)], from[static_cast<size_t>(permutation[i])], to[i]});
  return make(StridedMove(node.in[0].dtype, axes));
}

std::unique_ptr<Kernel> plan_slice(const NodeView& node, std::string&) {
  const Shape &in = node.in[0].shape, &out = node.out[0].shape;
  return make(
      StridedMove(node.in[0].dtype, box_axes(out, in, out), offset_in(in, node.integers("start"))));
}

std::unique_ptr<Kernel> plan_concatenate(const NodeView& node, std::string&) {
  const Shape& out = node.out[0].shape;
  const auto axis = static_cast<size_t>(normalize_axis(node.integer("axis"), out.rank()));
  std::vector<StridedMove> parts;
  std::vector<std::shared_ptr<Function>> functions;
  std::vector<int64_t> position(static_cast<size_t>(out.rank()), 0);
  for (const TensorType& in : node.in) {
    parts.emplace_back(in.dtype, box_axes(in.shape, in.shape, out), 0, offset_in(out, position));
    for (const auto& function : parts.back().functions()) functions.push_back(function);
    position[axis] += in.shape[static_cast<int>(axis)];
  }
  return make_kernel(std::move(functions), [parts](Encoder& encoder, void* const* a, void*) {
    for (size_t i = 0; i < parts.size(); ++i) parts[i].encode(encoder, a[i], a[parts.size()]);
  });
}

std::unique_ptr<Kernel> plan_pad(const NodeView& node, std::string&) {
  const Shape &in = node.in[0].shape, &out = node.out[0].shape;
  const int64_t size = out.size();
  if (size == 0) return do_nothing();
  const auto before = node.integers("before"), strides = row_major_strides(in.dims());
  const auto function = make_function(KernelSource("indexing/pad.cuh")
                                          .type("element_t", node.in[0].dtype)
                                          .constant("rank", out.rank())
                                          .list("out_dims", out.dims())
                                          .list("in_dims", in.dims())
                                          .list("in_strides", strides)
                                          .list("before", before),
                                      "pad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], size);
  });
}

const RegisterKernel transpose{"transpose", "tiles", optimised, plan_transpose};
const RegisterKernel slice{"slice", "rows", optimised, plan_slice};
const RegisterKernel pad{"pad", "elements", optimised, plan_pad};
const RegisterKernel concatenate{"concatenate", "rows", optimised, plan_concatenate};

}  // namespace
}  // namespace stoker::cuda
