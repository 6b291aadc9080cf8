#include <atomic>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

// Infinities and NaNs have an exponent of all ones.
template <class Bits>
bool is_finite(const Bits* x, int64_t n, Bits exponent) {
  Bits bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= static_cast<Bits>((x[i] & exponent) == exponent);
  return bad == 0;
}

struct Part {
  DType dtype;
  int64_t size;
};

bool is_finite(const Part& part, const void* data, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  switch (part.dtype) {
    case DType::float16:
      return is_finite<uint16_t>(static_cast<const uint16_t*>(data) + begin, n, 0x7c00);
    case DType::bfloat16:
      return is_finite<uint16_t>(static_cast<const uint16_t*>(data) + begin, n, 0x7f80);
    case DType::float32:
      return is_finite<uint32_t>(static_cast<const uint32_t*>(data) + begin, n, 0x7f800000);
    default:
      return is_finite<uint64_t>(static_cast<const uint64_t*>(data) + begin, n, 0x7ff0000000000000);
  }
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  std::vector<Part> parts;
  for (const TensorType& type : node.in) parts.push_back({type.dtype, type.shape.size()});
  return make_kernel([parts](void* const* p, void*) {
    std::atomic<bool> finite = true;
    for (size_t i = 0; i < parts.size(); ++i)
      parallel_for(parts[i].size, grain_for(1), [&](int64_t begin, int64_t end) {
        if (!is_finite(parts[i], p[i], begin, end)) finite = false;
      });
    *static_cast<bool*>(p[parts.size()]) = finite;
  });
}

const RegisterKernel all_finite{"all_finite", "bits", reference, plan};

}  // namespace
}  // namespace stoker::cpu
