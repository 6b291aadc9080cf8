#include "core/philox.h"
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

// Four neighbours share one block of random words; the block's number is their position / 4.
template <class Distribution>
std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  if (node.out[0].dtype != DType::float32) {
    refusal = "draws only float32";
    return nullptr;
  }
  const int64_t size = node.out[0].shape.size();
  const Philox random{static_cast<uint64_t>(node.integer("seed"))};
  return make_kernel([size, random](void* const* p, void*) {
    const auto counter = static_cast<uint64_t>(*static_cast<const int64_t*>(p[0]));
    auto* out = static_cast<float*>(p[1]);
    parallel_for((size + 3) / 4, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const Values values = Distribution::from(random(static_cast<uint64_t>(block), counter));
        std::copy_n(values.begin(), std::min<int64_t>(4, size - 4 * block), out + 4 * block);
      }
    });
  });
}

const RegisterKernel uniform{"random_uniform", "philox", reference, plan<Uniform>};
const RegisterKernel normal{"random_normal", "philox", reference, plan<Normal>};

}  // namespace
}  // namespace stoker::cpu
