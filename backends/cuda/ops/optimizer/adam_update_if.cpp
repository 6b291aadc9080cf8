#include "kernel.h"

namespace stoker::cuda {
namespace {

// Keras's formula in one pass, from a gradient as it came out of the backward pass. Outputs may lie
// on their inputs.
constexpr const char* text = R"cuda(
typedef Compute<S>::type A;

extern "C" __global__ void adam_update_if(const S* w, const S* m, const S* v, const G* gradient,
                                          const S* step, const uint8_t* condition, const S* scale,
                                          S* new_w, S* new_m, S* new_v, int64_t items) {
  const bool counts = *condition;
  if (!counts && new_w == w && new_m == m && new_v == v) return;
  const A alpha = load(*step), divisor = SCALED ? A(load(*scale)) : A(1);
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    A weight = load(w[i]), mean = load(m[i]), square = load(v[i]);
    if (counts) {
      const A g = A(load(gradient[i])) / divisor;
      mean += (g - mean) * A(TAKE_M);
      square += (g * g - square) * A(TAKE_V);
      weight -= mean * alpha / (ROOT(square) + A(EPSILON));
    }
    new_w[i] = store<S>(weight);
    new_m[i] = store<S>(mean);
    new_v[i] = store<S>(square);
  }
}
)cuda";

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const DType states = node.in[0].dtype, gradient = node.in[3].dtype;
  const bool scaled = node.flag("scaled");
  const int64_t size = node.in[0].shape.size();
  const auto function = make_function(
      fmt::format("typedef {} S;\ntypedef {} G;\n#define SCALED {}\n#define TAKE_M {:.17g}\n"
                  "#define TAKE_V {:.17g}\n#define EPSILON {:.17g}\n#define ROOT {}\n",
                  type_name(states), type_name(gradient), scaled ? 1 : 0, 1 - node.number("beta_1"),
                  1 - node.number("beta_2"), node.number("epsilon"),
                  states == DType::float64 ? "sqrt" : "sqrtf") +
          text,
      "adam_update_if");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (size == 0) return;
    void* const* out = a + 6 + scaled;
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], a[2], a[3], a[4], a[5],
                   a[scaled ? 6 : 4], out[0], out[1], out[2], size);
  });
}

const RegisterKernel adam_update_if{"adam_update_if", "elements", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
