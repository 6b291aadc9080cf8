#include <cstring>

#include "ops/strided_copy.h"

// Ops that only move elements: transpose, slice, pad, concatenate.
namespace stoker::cpu {
namespace {

// The axes of `box` with the strides of the layouts `from` and `to`.
std::vector<CopyAxis> box_axes(const Shape& box, const Shape& from, const Shape& to) {
  const auto from_strides = strides_of(from), to_strides = strides_of(to);
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < from_strides.size(); ++i)
    axes.push_back({box[static_cast<int>(i)], from_strides[i], to_strides[i]});
  return axes;
}

int64_t offset_in(const Shape& shape, const std::vector<int64_t>& position) {
  const auto strides = strides_of(shape);
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) offset += position[i] * strides[i];
  return offset;
}

template <class F>
std::unique_ptr<Kernel> for_any(DType dtype, F&& make) {
  std::unique_ptr<Kernel> kernel;
  with_size_type(dtype, [&](auto zero) { kernel = make(zero); });
  return kernel;
}

std::unique_ptr<Kernel> plan_transpose(const NodeView& node, std::string&) {
  const auto from = strides_of(node.in[0].shape), to = strides_of(node.out[0].shape);
  const auto permutation = node.integers("permutation");
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < to.size(); ++i)
    axes.push_back(
        {node.out[0].shape[static_cast<int>(i)], from[static_cast<size_t>(permutation[i])], to[i]});
  return for_any(node.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([copy = StridedCopy(axes)](void* const* p, void*) {
      copy.run(static_cast<const T*>(p[0]), static_cast<T*>(p[1]));
    });
  });
}

std::unique_ptr<Kernel> plan_slice(const NodeView& node, std::string&) {
  const Shape &in = node.in[0].shape, &out = node.out[0].shape;
  const StridedCopy copy(box_axes(out, in, out));
  const int64_t offset = offset_in(in, node.integers("start"));
  return for_any(node.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([copy, offset](void* const* p, void*) {
      copy.run(static_cast<const T*>(p[0]) + offset, static_cast<T*>(p[1]));
    });
  });
}

std::unique_ptr<Kernel> plan_pad(const NodeView& node, std::string&) {
  const Shape &in = node.in[0].shape, &out = node.out[0].shape;
  const StridedCopy copy(box_axes(in, in, out));
  const int64_t offset = offset_in(out, node.integers("before"));
  const auto bytes = static_cast<size_t>(node.out[0].bytes());
  return for_any(node.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([copy, offset, bytes](void* const* p, void*) {
      std::memset(p[1], 0, bytes);
      copy.run(static_cast<const T*>(p[0]), static_cast<T*>(p[1]) + offset);
    });
  });
}

std::unique_ptr<Kernel> plan_concatenate(const NodeView& node, std::string&) {
  struct Part {
    StridedCopy copy;
    int64_t offset;
  };
  const Shape& out = node.out[0].shape;
  const auto axis = static_cast<size_t>(normalize_axis(node.integer("axis"), out.rank()));
  std::vector<Part> parts;
  std::vector<int64_t> position(static_cast<size_t>(out.rank()), 0);
  for (const TensorType& in : node.in) {
    parts.push_back({StridedCopy(box_axes(in.shape, in.shape, out)), offset_in(out, position)});
    position[axis] += in.shape[static_cast<int>(axis)];
  }
  return for_any(node.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([parts](void* const* p, void*) {
      for (size_t i = 0; i < parts.size(); ++i)
        parts[i].copy.run(static_cast<const T*>(p[i]),
                          static_cast<T*>(p[parts.size()]) + parts[i].offset);
    });
  });
}

const RegisterKernel transpose{"transpose", "tiles", reference, plan_transpose};
const RegisterKernel slice{"slice", "rows", reference, plan_slice};
const RegisterKernel pad{"pad", "rows", reference, plan_pad};
const RegisterKernel concatenate{"concatenate", "rows", reference, plan_concatenate};

}  // namespace
}  // namespace stoker::cpu
