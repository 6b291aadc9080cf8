#include <cmath>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

// Keras's formula. Outputs may alias their inputs: each element is read before it is written.
std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const int64_t size = node.in[0].shape.size();
  const double beta_1 = node.number("beta_1"), beta_2 = node.number("beta_2"),
               epsilon = node.number("epsilon");
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([=](void* const* p, void*) {
      const T *weight = static_cast<const T*>(p[0]), *m = static_cast<const T*>(p[1]),
              *v = static_cast<const T*>(p[2]), *gradient = static_cast<const T*>(p[3]);
      const T step_size = *static_cast<const T*>(p[4]), take_m = static_cast<T>(1 - beta_1),
              take_v = static_cast<T>(1 - beta_2), small = static_cast<T>(epsilon);
      T *new_weight = static_cast<T*>(p[5]), *new_m = static_cast<T*>(p[6]),
        *new_v = static_cast<T*>(p[7]);
      parallel_for(size, grain_for(4), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T g = gradient[i];
          new_m[i] = m[i] + (g - m[i]) * take_m;
          new_v[i] = v[i] + (g * g - v[i]) * take_v;
          new_weight[i] = weight[i] - new_m[i] * step_size / (std::sqrt(new_v[i]) + small);
        }
      });
    });
  });
}

const RegisterKernel adam_update{"adam_update", "plain", reference, plan};

}  // namespace
}  // namespace stoker::cpu
