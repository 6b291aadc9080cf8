#include "ops/support.h"

namespace stoker::cuda {
namespace {

// The first of equals; NaN is never larger, and stays only where it comes first.
const char* const text = R"cuda(
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
argmax(const element_t* in, int64_t* out, int64_t outputs, int64_t length, int64_t inner) {{
  constexpr int lanes = {lanes};
  const int lane = threadIdx.x % lanes;
  const int64_t o = blockIdx.x * int64_t(256 / lanes) + threadIdx.x / lanes;
  const bool runs = o < outputs;
  const element_t* x = in + (runs ? o / inner * length * inner + o % inner : 0);
  const value_t first = runs ? load(x[0]) : value_t(0);
  value_t best = first;
  int64_t at = 0;
  for (int64_t i = lane; runs && i < length; i += lanes) {{
    const value_t v = load(x[i * inner]);
    if (v > best) {{ best = v; at = i; }}
  }}
  for (int d = lanes / 2; d > 0; d /= 2) {{
    const value_t v = __shfl_xor_sync(0xffffffffu, best, d);
    const int64_t i = __shfl_xor_sync(0xffffffffu, at, d);
    if (v > best || (v == best && i < at)) {{ best = v; at = i; }}
  }}
  if (runs && lane == 0) out[o] = first != first ? 0 : at;
}}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_unless(dtype != DType::boolean, refusal, "does not compute in", dtype)) return nullptr;
  const Shape& shape = node.in[0].shape;
  const int axis = normalize_axis(node.integer("axis"), shape.rank());
  const int64_t length = shape[axis], inner = product(shape, axis + 1, shape.rank()),
                outputs = node.out[0].shape.size();
  if (outputs == 0) return do_nothing();
  if (length == 0) {
    return make_kernel({}, [outputs](Encoder& encoder, void* const* a, void*) {
      encoder.fill(a[1], 0, static_cast<uint64_t>(outputs) * sizeof(int64_t));
    });
  }
  const int64_t lanes = inner == 1 ? lanes_for_row(length / 2) : 1;
  const auto function = make_function(
      fmt::format(fmt::runtime(text), fmt::arg("type", type_name(dtype)), fmt::arg("lanes", lanes)),
      "argmax");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(outputs, 256 / lanes)}, a[0], a[1], outputs,
                   length, inner);
  });
}

const RegisterKernel argmax{"argmax", "lanes", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
