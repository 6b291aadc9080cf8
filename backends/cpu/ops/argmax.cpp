#include "ops/support.h"

namespace stoker::cpu {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Shape& shape = node.in[0].shape;
  const int axis = normalize_axis(node.integer("axis"), shape.rank());
  const int64_t outer = product(shape, 0, axis), length = shape[axis],
                inner = product(shape, axis + 1, shape.rank());
  return for_numbers(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([=](void* const* p, void*) {
      const T* in = static_cast<const T*>(p[0]);
      auto* out = static_cast<int64_t*>(p[1]);
      parallel_for(outer * inner, grain_for(length + 32), [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          const T* x = in + o / inner * length * inner + o % inner;
          int64_t best = 0;
          for (int64_t i = 1; i < length; ++i)
            if (x[i * inner] > x[best * inner]) best = i;
          out[o] = best;
        }
      });
    });
  });
}

const RegisterKernel argmax{"argmax", "plain", reference, plan};

}  // namespace
}  // namespace stoker::cpu
