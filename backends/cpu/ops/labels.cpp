#include <cmath>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

// Keras's rule: ties count as in the top k; non-finite scores give false.
template <class T>
bool is_in_top_k(int64_t target, const T* scores, int64_t classes, int64_t k) {
  if (target < 0 || target >= classes) return false;
  int64_t better = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(scores[c])) return false;
    better += scores[c] > scores[target];
  }
  return better < k;
}

std::unique_ptr<Kernel> plan_in_top_k(const NodeView& node, std::string& refusal) {
  const int64_t batch = node.in[1].shape[0], classes = node.in[1].shape[1], k = node.integer("k");
  return for_indices(node.in[0].dtype, refusal, [&](auto index) {
    using I = decltype(index);
    return for_floats(node.in[1].dtype, refusal, [&](auto zero) {
      using T = decltype(zero);
      return make_kernel([batch, classes, k](void* const* p, void*) {
        for (int64_t i = 0; i < batch; ++i)
          static_cast<bool*>(p[2])[i] =
              is_in_top_k(static_cast<int64_t>(static_cast<const I*>(p[0])[i]),
                          static_cast<const T*>(p[1]) + i * classes, classes, k);
      });
    });
  });
}

const RegisterKernel top_k{"in_top_k", "plain", reference, plan_in_top_k};

}  // namespace
}  // namespace stoker::cpu
