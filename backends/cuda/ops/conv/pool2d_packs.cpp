#include "ops/conv/conv2d_problem.h"
#include "ops/gemm/mma_text.h"

// Max-pooling of images whose channels come in 16 bytes at a time: a thread per pixel and pack.
namespace stoker::cuda {
namespace {

constexpr const char* text = R"cuda(
constexpr int PACK = 16 / sizeof(T), PACKS = C / PACK;
struct Values { T at[PACK]; };
struct Places { uint8_t at[PACK]; };

extern "C" __global__ void max_pool2d_packs(const T* x, T* y, uint8_t* where, unsigned items) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const unsigned pixel = i / PACKS, ow = pixel % OW, oh = pixel / OW % OH, n = pixel / OW / OH;
  const int top = int(oh) * SH - PT, left = int(ow) * SW - PL;
  const T* from = x + int64_t(n) * (H * W * C) + i % PACKS * PACK;
  float best[PACK];
  int found[PACK];
  bool first = true;
#pragma unroll
  for (int place = 0; place < KH * KW; ++place) {
    const int h = top + place / KW, w = left + place % KW;
    if (h < 0 || h >= H || w < 0 || w >= W) continue;
    const Values values = read_pack<Values>(from + (h * W + w) * C);
#pragma unroll
    for (int j = 0; j < PACK; ++j) {
      const float value = load(values.at[j]);
      const bool larger = first || value > best[j] || value != value;
      best[j] = larger ? value : best[j];
      found[j] = larger ? place : found[j];
    }
    first = false;
  }
  T out[PACK];
  uint8_t places[PACK];
#pragma unroll
  for (int j = 0; j < PACK; ++j) {
    out[j] = store<T>(best[j]);
    places[j] = uint8_t(found[j]);
  }
  write_pack(y + int64_t(i) * PACK, out);
  write_pack(where + int64_t(i) * PACK, places);
}

// Gathers from every window that sees the pixel. An index outside the window matches none.
extern "C" __global__ void max_pool2d_packs_grad(const T* dy, const uint8_t* where, T* dx, unsigned items) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const unsigned pixel = i / PACKS;
  const int w = pixel % W + PL, h = pixel / W % H + PT;
  const int64_t image = int64_t(pixel / W / H) * (OH * OW * C) + i % PACKS * PACK;
  float sums[PACK] = {};
#pragma unroll
  for (int a = 0; a < (KH + SH - 1) / SH; ++a)
#pragma unroll
    for (int b = 0; b < (KW + SW - 1) / SW; ++b) {
      const int oh = h / SH - ((KH + SH - 1) / SH - 1 - a), ow = w / SW - ((KW + SW - 1) / SW - 1 - b);
      const int kh = h - oh * SH, kw = w - ow * SW;
      if (oh < 0 || oh >= OH || ow < 0 || ow >= OW || kh >= KH || kw >= KW) continue;
      const int64_t at = image + (oh * OW + ow) * C;
      const Values values = read_pack<Values>(dy + at);
      const Places places = read_pack<Places>(where + at);
#pragma unroll
      for (int j = 0; j < PACK; ++j)
        if (places.at[j] == kh * KW + kw) sums[j] += load(values.at[j]);
    }
  T out[PACK];
#pragma unroll
  for (int j = 0; j < PACK; ++j) out[j] = store<T>(sums[j]);
  write_pack(dx + int64_t(i) * PACK, out);
}
)cuda";

constexpr int most_places = 32;  // a window's loop is unrolled

int pack_of(DType dtype) { return 16 / static_cast<int>(size_of(dtype)); }

bool serves(const NodeView& node, const Conv2dProblem& p, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  const int64_t items = std::max(p.images(), p.outputs());
  if (!is_floating(dtype) || dtype == DType::float64)
    refusal = "float32 and halves only";
  else if (p.channels % pack_of(dtype) != 0)
    refusal = fmt::format("needs channels by {}, got {}", pack_of(dtype), p.channels);
  else if (p.kernel_h * p.kernel_w > most_places)
    refusal = fmt::format("takes windows of up to {}", most_places);
  else if (items == 0 || items >= int64_t{1} << 32)
    refusal = "needs between 1 and 2^32 elements";
  for (const int64_t padding : node.integers("padding"))
    if (padding >= std::min(p.kernel_h, p.kernel_w)) refusal = "needs padding below the window";
  return refusal.empty();
}

std::string text_for(const Conv2dProblem& p, DType dtype) {
  return fmt::format(
             "typedef {} T;\nconstexpr int H = {}, W = {}, C = {}, OH = {}, OW = {}, KH = {}, KW = "
             "{}, SH = {}, SW = {}, PT = {}, PL = {};\n",
             type_name(dtype), p.height, p.width, p.channels, p.out_height, p.out_width, p.kernel_h,
             p.kernel_w, p.stride_h, p.stride_w, p.pad_top, p.pad_left) +
         mma_text + text;
}

std::unique_ptr<Kernel> plan_packs(const NodeView& node, const Conv2dProblem& p, const char* entry,
                                   std::string& refusal) {
  if (!serves(node, p, refusal)) return nullptr;
  auto function = make_function(text_for(p, node.in[0].dtype), entry);
  const int64_t items = node.out[0].shape.size() / pack_of(node.in[0].dtype);
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(items)}, a[0], a[1], a[2],
                   static_cast<unsigned int>(items));
  });
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  return plan_packs(node, pool2d_problem(node, node.in[0].shape, node.out[0].shape),
                    "max_pool2d_packs", refusal);
}
std::unique_ptr<Kernel> plan_max_grad(const NodeView& node, std::string& refusal) {
  return plan_packs(node, pool2d_problem(node, node.out[0].shape, node.in[0].shape),
                    "max_pool2d_packs_grad", refusal);
}

const RegisterKernel max{"max_pool2d", "packs", optimised, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "packs", optimised, plan_max_grad};

}  // namespace
}  // namespace stoker::cuda
