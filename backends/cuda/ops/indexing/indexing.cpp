#include "ops/support.h"

// An index out of range reads a row of zeros and writes nothing.
namespace stoker::cuda {
namespace {

const char* const one_hot_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
one_hot(const {index}* indices, {type}* out, int64_t size, int64_t depth) {{
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i < size) out[i] = store<{type}>(int64_t(indices[i / depth]) == i % depth ? 1 : 0);
}}
)cuda";

std::unique_ptr<Kernel> plan_one_hot(const NodeView& node, std::string& refusal) {
  if (refuse_non_indices(node.in[0].dtype, refusal)) return nullptr;
  const int64_t size = node.out[0].shape.size(), depth = node.out[0].shape.back();
  if (size == 0) return do_nothing();
  const auto function = make_function(
      fmt::format(fmt::runtime(one_hot_text), fmt::arg("index", type_name(node.in[0].dtype)),
                  fmt::arg("type", type_name(node.out[0].dtype))),
      "one_hot");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], size, depth);
  });
}

// A block owns a row of the output and takes the values that go there in their order, so that sums
// are the same every time. Indices are looked through 256 at a time.
const char* const scatter_text = R"cuda(
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
scatter_add(const element_t* values, const {index}* indices, element_t* out, int64_t count, int64_t width) {{
  __shared__ int hits[256];
  __shared__ int in_warp[8];
  const int64_t row = blockIdx.x, column = blockIdx.y * int64_t(256) + threadIdx.x;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  value_t sum = 0;
  for (int64_t first = 0; first < count; first += 256) {{
    const int64_t i = first + threadIdx.x;
    const bool hit = i < count && int64_t(indices[i]) == row;
    const unsigned int mask = __ballot_sync(0xffffffffu, hit);
    if (lane == 0) in_warp[warp] = __popc(mask);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; ++w) {{
      if (w < warp) before += in_warp[w];
      all += in_warp[w];
    }}
    if (hit) hits[before + __popc(mask & ((1u << lane) - 1))] = threadIdx.x;
    __syncthreads();
    if (column < width)
      for (int h = 0; h < all; ++h) sum = value_t(sum + load(values[(first + hits[h]) * width + column]));
    __syncthreads();
  }}
  if (column < width) out[row * width + column] = store<element_t>(sum);
}}
)cuda";

std::unique_ptr<Kernel> plan_scatter_add(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype, index = node.in[1].dtype;
  if (refuse_non_indices(index, refusal) ||
      refuse_unless(dtype != DType::boolean, refusal, "does not compute in", dtype))
    return nullptr;
  const Shape& out = node.out[0].shape;
  const int64_t rows = out[0], width = product(out, 1, out.rank()), count = node.in[1].shape.size();
  if (out.size() == 0) return do_nothing();
  const auto function =
      make_function(fmt::format(fmt::runtime(scatter_text), fmt::arg("type", type_name(dtype)),
                                fmt::arg("index", type_name(index))),
                    "scatter_add");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function,
                   {.blocks = static_cast<unsigned int>(rows), .blocks_y = blocks_for(width)}, a[0],
                   a[1], a[2], count, width);
  });
}

const RegisterKernel one_hot{"one_hot", "elements", optimised, plan_one_hot};
const RegisterKernel scatter{"scatter_add", "rows", optimised, plan_scatter_add};

}  // namespace
}  // namespace stoker::cuda
