#include <algorithm>

#include "kernel.h"

namespace stoker::cuda {
namespace {

constexpr size_t most_parts = 64;  // of one launch: a kernel's arguments have 4 KB

// Infinities and NaNs are the numbers whose exponent is all ones. Blocks that find one all write
// the same byte.
constexpr const char* text = R"cuda(
struct Parts {
  const void* data[64];
  int64_t size[64];
  int kind[64];
};

template <class B> __device__ bool spoiled(const void* data, int64_t size, B exponent) {
  const B* x = static_cast<const B*>(data);
  bool bad = false;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += int64_t(gridDim.x) * blockDim.x)
    bad |= (x[i] & exponent) == exponent;
  return bad;
}

extern "C" __global__ void all_finite(Parts parts, uint8_t* finite) {
  const void* data = parts.data[blockIdx.y];
  const int64_t size = parts.size[blockIdx.y];
  bool bad;
  switch (parts.kind[blockIdx.y]) {
    case 0: bad = spoiled<uint32_t>(data, size, 0x7f800000u); break;
    case 1: bad = spoiled<uint64_t>(data, size, 0x7ff0000000000000ull); break;
    case 2: bad = spoiled<uint16_t>(data, size, 0x7c00); break;
    default: bad = spoiled<uint16_t>(data, size, 0x7f80); break;
  }
  if (bad) *finite = 0;
}
)cuda";

// As the text has it; kinds are the numbers of the four floating-point dtypes.
struct Parts {
  const void* data[most_parts];
  int64_t size[most_parts];
  int kind[most_parts];
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const auto function = make_function(text, "all_finite");
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
      encoder.launch(
          *function,
          {.blocks = blocks_for((longest + 7) / 8), .blocks_y = static_cast<unsigned int>(count)},
          parts, a[types.size()]);
    }
  });
}

const RegisterKernel all_finite{"all_finite", "bits", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
