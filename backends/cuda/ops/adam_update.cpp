#include "ops/layout_text.h"
#include "ops/support.h"

namespace stoker::cuda {
namespace {

// Keras's formula in one pass. Outputs may lie on their inputs: a thread reads all of its elements
// before it writes any.
const char* const text = R"cuda(
{vectors}
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
template <int n> __device__ __forceinline__ void update(const element_t* weight, const element_t* m,
    const element_t* v, const element_t* gradient, value_t step, element_t* new_weight, element_t* new_m,
    element_t* new_v, int64_t i) {{
  const value_t take_m = value_t({take_m}), take_v = value_t({take_v}), small = value_t({epsilon});
  auto w = load_vector<n>(weight + i), a = load_vector<n>(m + i), b = load_vector<n>(v + i);
  const auto g = load_vector<n>(gradient + i);
  for (int k = 0; k < n; ++k) {{
    const value_t slope = load(g.at[k]);
    const value_t am = load(a.at[k]) + (slope - load(a.at[k])) * take_m;
    const value_t bv = load(b.at[k]) + (slope * slope - load(b.at[k])) * take_v;
    w.at[k] = store<element_t>(load(w.at[k]) - am * step / (sqrt{f}(bv) + small));
    a.at[k] = store<element_t>(am);
    b.at[k] = store<element_t>(bv);
  }}
  store_vector<n>(new_weight + i, w);
  store_vector<n>(new_m + i, a);
  store_vector<n>(new_v + i, b);
}}
extern "C" __global__ void __launch_bounds__(256)
adam_update(const element_t* weight, const element_t* m, const element_t* v, const element_t* gradient,
            const element_t* step, element_t* new_weight, element_t* new_m, element_t* new_v,
            int64_t groups, int64_t items) {{
  const int64_t t = blockIdx.x * int64_t(256) + threadIdx.x;
  if (t >= items) return;
  const value_t step_size = load(step[0]);
  if (t < groups)
    update<{width}>(weight, m, v, gradient, step_size, new_weight, new_m, new_v, t * {width});
  else
    update<1>(weight, m, v, gradient, step_size, new_weight, new_m, new_v, groups * {width} + (t - groups));
}}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t size = node.in[0].shape.size();
  if (size == 0) return do_nothing();
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  const int64_t width = size >= 32768 ? 16 / bytes : 1;
  const auto function = make_function(
      fmt::format(fmt::runtime(text), fmt::arg("vectors", vector_helpers),
                  fmt::arg("type", type_name(dtype)), fmt::arg("width", width),
                  fmt::arg("f", dtype == DType::float64 ? "" : "f"),
                  fmt::arg("take_m", fmt::format("{:.17g}", 1 - node.number("beta_1"))),
                  fmt::arg("take_v", fmt::format("{:.17g}", 1 - node.number("beta_2"))),
                  fmt::arg("epsilon", fmt::format("{:.17g}", node.number("epsilon")))),
      "adam_update");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    bool whole = true;
    for (const size_t i : {0, 1, 2, 3, 5, 6, 7}) whole = whole && is_aligned(a[i], width * bytes);
    const int64_t groups = whole ? size / width : 0, items = groups + (size - groups * width);
    encoder.launch(*function, {.blocks = blocks_for(items)}, a[0], a[1], a[2], a[3], a[4], a[5],
                   a[6], a[7], groups, items);
  });
}

const RegisterKernel adam_update{"adam_update", "vectors", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
