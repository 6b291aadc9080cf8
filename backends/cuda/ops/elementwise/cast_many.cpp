#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Floats to halves, several tensors in one launch: a thread takes eight neighbours of one of them.
namespace stoker::cuda {
namespace {

constexpr int most = 24;
constexpr int64_t per_block = 256 * 8;

struct Pieces {
  void *from[most], *to[most];
  int64_t size[most], first_block[most];
  int32_t count, aligned;
};

const char* const text = R"cuda({vectors}
typedef {type} half_t;
struct Pieces {{
  const float* from[{most}];
  half_t* to[{most}];
  int64_t size[{most}], first_block[{most}];
  int32_t count, aligned;
}};
extern "C" __global__ void __launch_bounds__(256) cast_many(Pieces p) {{
  int piece = 0;
  while (piece + 1 < p.count && int64_t(blockIdx.x) >= p.first_block[piece + 1]) ++piece;
  const int64_t at = ((int64_t(blockIdx.x) - p.first_block[piece]) * 256 + threadIdx.x) * 8, left = p.size[piece] - at;
  if (left <= 0) return;
  const float* const from = p.from[piece] + at;
  half_t* const to = p.to[piece] + at;
  if (left < 8 || !p.aligned) {{
    for (int i = 0; i < 8 && i < left; ++i) to[i] = store<half_t>(from[i]);
    return;
  }}
  const Vec<float, 4> a = load_vector<4>(from), b = load_vector<4>(from + 4);
  Vec<half_t, 8> x;
  for (int i = 0; i < 8; ++i) x.at[i] = store<half_t>(i < 4 ? a.at[i] : b.at[i - 4]);
  store_vector<8>(to, x);
}}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const size_t count = node.in.size();
  const DType to = node.out[0].dtype;
  const bool floats = std::all_of(node.in.begin(), node.in.end(),
                                  [](const TensorType& in) { return in.dtype == DType::float32; });
  if (!floats || !is_floating(to) || size_of(to) != 2 || count > most) {
    refusal = "casts up to 24 tensors from float32 to halves";
    return nullptr;
  }
  Pieces pieces{};
  int64_t blocks = 0;
  pieces.count = static_cast<int32_t>(count);
  for (size_t i = 0; i < count; ++i) {
    pieces.size[i] = node.in[i].shape.size();
    pieces.first_block[i] = blocks;
    blocks += (pieces.size[i] + per_block - 1) / per_block;
  }
  if (blocks == 0) return do_nothing();
  const auto function =
      make_function(fmt::format(fmt::runtime(text), fmt::arg("vectors", vector_helpers),
                                fmt::arg("type", type_name(to)), fmt::arg("most", most)),
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
