#include <cstring>

#include "kernels/gemm.h"
#include "ops/gemm_problem.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

const float* floats(const void* p) { return static_cast<const float*>(p); }
float* floats(void* p) { return static_cast<float*>(p); }

bool serves(const NodeView& node, const GemmProblem& p, std::string& refusal) {
  if (!node.all_are(DType::float32))
    refusal = "computes in float32";
  else if (p.m == 0 || p.n == 0 || p.k == 0)
    refusal = "an operand is empty";
  return refusal.empty();
}

std::unique_ptr<Kernel> plan_product(const NodeView& node, std::string& refusal) {
  GemmProblem p = gemm_problem(node);
  if (!serves(node, p, refusal)) return nullptr;
  const bool bias = node.flag("bias"), mask = node.flag("mask");
  if (node.text("activation") == "relu") p.epilogue.activation = Activation::kRelu;
  p.epilogue.mask_ld = p.n;
  return make_kernel(
      [p, bias, mask](void* const* arguments, void* workspace) {
        GemmProblem now = p;
        now.a = floats(arguments[0]);
        now.b = floats(arguments[1]);
        if (bias) now.epilogue.bias = floats(arguments[2]);
        if (mask) now.epilogue.mask = floats(arguments[2 + bias]);
        now.c = floats(arguments[2 + bias + mask]);
        gemm_run(now, workspace);
      },
      gemm_workspace_bytes(p));
}

// The kernels update in place: states that the memory plan could not put there are copied first.
AdamStep adam_step(const NodeView& node) {
  AdamStep step;
  step.beta_1 = node.number("beta_1");
  step.beta_2 = node.number("beta_2");
  step.epsilon = node.number("epsilon");
  return step;
}
float* moved(const void* from, void* to, int64_t size) {
  if (from != to) std::memcpy(to, from, static_cast<size_t>(size) * sizeof(float));
  return floats(to);
}
void bind(AdamStep& step, void* const* states, const void* step_size, void* const* out,
          int64_t size) {
  step.w = moved(states[0], out[0], size);
  step.m = moved(states[1], out[1], size);
  step.v = moved(states[2], out[2], size);
  step.alpha = floats(step_size);
}

std::unique_ptr<Kernel> plan_matmul_adam(const NodeView& node, std::string& refusal) {
  GemmProblem p = gemm_problem(node);
  if (!serves(node, p, refusal)) return nullptr;
  const AdamStep adam = adam_step(node);
  p.epilogue.adam = &adam;
  const size_t workspace_bytes = gemm_workspace_bytes(p);
  return make_kernel(
      [p, adam](void* const* arguments, void* workspace) {
        AdamStep step = adam;
        bind(step, arguments + 2, arguments[5], arguments + 6, p.m * p.n);
        GemmProblem now = p;
        now.a = floats(arguments[0]);
        now.b = floats(arguments[1]);
        now.epilogue.adam = &step;
        gemm_run(now, workspace);
      },
      workspace_bytes);
}

std::unique_ptr<Kernel> plan_adam(const NodeView& node, std::string& refusal) {
  if (!node.all_are(DType::float32)) {
    refusal = "computes in float32";
    return nullptr;
  }
  return make_kernel(
      [adam = adam_step(node), size = node.in[0].shape.size()](void* const* arguments, void*) {
        AdamStep step = adam;
        bind(step, arguments, arguments[4], arguments + 5, size);
        adam_update(size, step, floats(arguments[3]));
      });
}

const RegisterKernel product{"matmul", "gemm", optimised, plan_product};
const RegisterKernel fused_product{"fused_matmul", "gemm", optimised, plan_product};
const RegisterKernel product_adam{"matmul_adam", "gemm", optimised, plan_matmul_adam};
const RegisterKernel adam{"adam_update", "simd", optimised, plan_adam};

}  // namespace
}  // namespace stoker::cpu
