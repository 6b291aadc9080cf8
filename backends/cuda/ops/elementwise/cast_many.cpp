#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// Casts several float32 tensors to float16 or bfloat16 in one launch; a thread converts eight
// consecutive elements of one of them.
namespace stoker::cuda {
namespace {

constexpr int most = 24;
constexpr int64_t per_block = 256 * 8;

// Matches the kernel file.
struct Pieces {
  void *from[most], *to[most];
  int64_t size[most], first_block[most];
  int32_t count, aligned;
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const size_t count = node.in.size();
  const DType to = node.out[0].dtype;
  const bool floats = std::all_of(node.in.begin(), node.in.end(),
                                  [](const TensorType& in) { return in.dtype == DType::float32; });
  if (!floats || !is_floating(to) || size_of(to) != 2 || count > most) {
    refusal = "casts up to 24 tensors from float32 to float16 or bfloat16";
    return nullptr;
  }
  Pieces pieces{};
  int64_t blocks = 0;
  pieces.count = static_cast<int32_t>(count);
  for (size_t i = 0; i < count; ++i) {
    pieces.size[i] = node.in[i].shape.size();
    pieces.first_block[i] = blocks;
    blocks += ceil_div(pieces.size[i], per_block);
  }
  if (blocks == 0) return do_nothing();
  const auto function = make_function(
      KernelSource("elementwise/cast_many.cuh").type("half_t", to).constant("most", most),
      "cast_many");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    Pieces now = pieces;
    now.aligned = 1;
    for (size_t i = 0; i < count; ++i) {
      now.from[i] = a[i];
      now.to[i] = a[count + i];
      now.aligned &= is_aligned(a[i], 16) && is_aligned(a[count + i], 16);
    }
    encoder.launch(*function, {.blocks = static_cast<unsigned int>(blocks)}, now);
  });
}

const RegisterKernel many{"cast_many", "pieces", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
