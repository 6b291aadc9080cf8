#include <algorithm>

#include "core/round_up.h"
#include "ops/support.h"

namespace stoker::cuda {
namespace {

constexpr size_t most_parts = 64;  // per launch: kernel arguments are limited to 4 KB

// Matches the kernel file; kinds are the values of the four floating-point dtypes.
struct Parts {
  const void* data[most_parts];
  int64_t size[most_parts];
  int kind[most_parts];
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const auto function = make_function(KernelSource("reduce/all_finite.cuh"), "all_finite");
  std::vector<TensorType> types = node.in;
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.fill(a[types.size()], 1, 1);
    for (size_t first = 0; first < types.size(); first += most_parts) {
      const size_t count = std::min(most_parts, types.size() - first);
      Parts parts{};
      int64_t longest = 1;
      for (size_t i = 0; i < count; ++i) {
        const TensorType& type = types[first + i];
        parts.data[i] = a[first + i];
        parts.size[i] = type.shape.size();
        parts.kind[i] = static_cast<int>(type.dtype);
        longest = std::max(longest, parts.size[i]);
      }
      encoder.launch(*function,
                     {.blocks = blocks_for(ceil_div(longest, 8)),
                      .blocks_y = static_cast<unsigned int>(count)},
                     parts, a[types.size()]);
    }
  });
}

const RegisterKernel all_finite{"all_finite", "bits", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
