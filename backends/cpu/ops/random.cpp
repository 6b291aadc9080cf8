#include "core/philox.h"
#include "core/round_up.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

using Words = std::array<uint32_t, 4>;
using Values = std::array<float, 4>;

struct Uniform {
  static Values from(const Words& w) {
    return {uniform_from_bits(w[0]), uniform_from_bits(w[1]), uniform_from_bits(w[2]),
            uniform_from_bits(w[3])};
  }
};
struct Normal {
  static Values from(const Words& w) {
    const auto a = normal_from_bits(w[0], w[1]), b = normal_from_bits(w[2], w[3]);
    return {a[0], a[1], b[0], b[1]};
  }
};

// Four consecutive elements share one Philox block; its counter is their position / 4. The first
// element's position is the attribute "offset".
template <class Distribution>
std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  if (node.out[0].dtype != DType::float32) {
    refusal = "draws only float32";
    return nullptr;
  }
  const int64_t size = node.out[0].shape.size();
  const Philox random{static_cast<uint64_t>(node.integer("seed"))};
  const int64_t offset = node.integer("offset"), first = offset / 4, skipped = offset % 4;
  return make_kernel([=](void* const* p, void*) {
    const auto counter = static_cast<uint64_t>(*static_cast<const int64_t*>(p[0]));
    auto* out = static_cast<float*>(p[1]);
    parallel_for(ceil_div(skipped + size, 4), 1024, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const Values values =
            Distribution::from(random(static_cast<uint64_t>(first + block), counter));
        const int64_t at = 4 * block - skipped, from = std::max<int64_t>(0, -at);
        std::copy(values.begin() + from, values.begin() + std::min<int64_t>(4, size - at),
                  out + at + from);
      }
    });
  });
}

const RegisterKernel uniform{"random_uniform", "philox", reference, plan<Uniform>};
const RegisterKernel normal{"random_normal", "philox", reference, plan<Normal>};

}  // namespace
}  // namespace stoker::cpu
