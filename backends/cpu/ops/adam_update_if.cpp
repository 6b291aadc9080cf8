#include <cmath>
#include <cstring>

#include "core/half.h"
#include "kernels/adam.h"
#include "ops/elementwise/elementwise_functions.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Problem {
  int64_t size;
  DType gradient;
  bool scaled;
  AdamStep step;
};

Problem problem_of(const NodeView& node) {
  Problem p{node.in[0].shape.size(), node.in[3].dtype, node.flag("scaled"), {}};
  p.step.beta_1 = node.number("beta_1");
  p.step.beta_2 = node.number("beta_2");
  p.step.epsilon = node.number("epsilon");
  return p;
}

// The kernels update in place: states that the memory plan could not put there are copied first.
void move_states(void* const* from, void* const* to, int64_t size, size_t element) {
  for (int i = 0; i < 3; ++i)
    if (from[i] != to[i]) std::memcpy(to[i], from[i], static_cast<size_t>(size) * element);
}

// Converts a piece at a time to float32 on the stack, so that a 16-bit gradient is read once.
void step_piece(const Problem& p, AdamStep step, const std::byte* gradient, int64_t begin,
                int64_t end) {
  constexpr int64_t piece = 1024;
  float wide[piece];
  const TileFunction widen =
      p.gradient == DType::float32 ? nullptr : find_cast_function(p.gradient, DType::float32);
  const auto bytes = static_cast<int64_t>(size_of(p.gradient));
  for (int64_t at = begin; at < end; at += piece) {
    const int64_t n = std::min(piece, end - at);
    const std::byte* from = gradient + at * bytes;
    if (widen) widen(from, from, from, wide, n);
    AdamStep here = step;
    here.w += at;
    here.m += at;
    here.v += at;
    adam_update(n, here, widen ? wide : reinterpret_cast<const float*>(from));
  }
}

std::unique_ptr<Kernel> plan_simd(const NodeView& node, std::string& refusal) {
  if (node.in[0].dtype != DType::float32 || node.in[3].dtype == DType::float64) {
    refusal = "steps in float32";
    return nullptr;
  }
  return make_kernel([p = problem_of(node)](void* const* a, void*) {
    void* const* out = a + 6 + p.scaled;
    move_states(a, out, p.size, sizeof(float));
    if (!*static_cast<const bool*>(a[5])) return;
    const float scale = p.scaled ? 1 / *static_cast<const float*>(a[6]) : 1;
    AdamStep step = p.step;
    step.w = static_cast<float*>(out[0]);
    step.m = static_cast<float*>(out[1]);
    step.v = static_cast<float*>(out[2]);
    step.alpha = static_cast<const float*>(a[4]);
    step.grad_scale = &scale;
    parallel_for(p.size, 8192, [&](int64_t begin, int64_t end) {
      step_piece(p, step, static_cast<const std::byte*>(a[3]), begin, end);
    });
  });
}

double load(DType dtype, const void* data, int64_t i) {
  if (dtype == DType::float16) return float16_to_float(static_cast<const uint16_t*>(data)[i]);
  if (dtype == DType::bfloat16) return bfloat16_to_float(static_cast<const uint16_t*>(data)[i]);
  return dtype == DType::float32 ? static_cast<const float*>(data)[i]
                                 : static_cast<const double*>(data)[i];
}

template <class T>
void step_plainly(const Problem& p, void* const* a) {
  void* const* out = a + 6 + p.scaled;
  move_states(a, out, p.size, sizeof(T));
  if (!*static_cast<const bool*>(a[5])) return;
  T *w = static_cast<T*>(out[0]), *m = static_cast<T*>(out[1]), *v = static_cast<T*>(out[2]);
  const T alpha = *static_cast<const T*>(a[4]), scale = p.scaled ? *static_cast<const T*>(a[6]) : 1;
  for (int64_t i = 0; i < p.size; ++i) {
    const T g = static_cast<T>(load(p.gradient, a[3], i)) / scale;
    m[i] += (g - m[i]) * static_cast<T>(1 - p.step.beta_1);
    v[i] += (g * g - v[i]) * static_cast<T>(1 - p.step.beta_2);
    w[i] -= m[i] * alpha / (std::sqrt(v[i]) + static_cast<T>(p.step.epsilon));
  }
}

std::unique_ptr<Kernel> plan_plain(const NodeView& node, std::string& refusal) {
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p = problem_of(node)](void* const* a, void*) { step_plainly<T>(p, a); });
  });
}

const RegisterKernel simd{"adam_update_if", "simd", optimised, plan_simd};
const RegisterKernel plain{"adam_update_if", "plain", reference, plan_plain};

}  // namespace
}  // namespace stoker::cpu
