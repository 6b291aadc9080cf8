#include "ops/conv/conv2d_problem.h"

// Plain convolutions of any shape: a thread per result.
namespace stoker::cuda {
namespace {

KernelSource source_for(const char* file, const NodeView& node, const char* switched, bool on) {
  return conv2d_source(file, node.in[0].dtype)
      .constant("RELU", node.text("activation") == "relu")
      .constant(switched, on);
}

// conv2d without, conv2d_bias with a third input.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal) || !has_known_activation(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.in[1].shape);
  const bool bias = node.in.size() > 2;
  if (bias && !is_small(p, refusal)) return nullptr;
  auto function =
      make_function(source_for("conv/conv2d_direct.cuh", node, "BIAS", bias), "conv2d_forward");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1],
                   bias ? a[2] : nullptr, a[2 + bias], p.outputs());
  });
}

std::unique_ptr<Kernel> plan_pooled(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal) || !has_known_activation(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.in[1].shape);
  if (!is_small(p, refusal)) return nullptr;
  auto function =
      make_function(source_for("conv/conv2d_direct.cuh", node, "BIAS", true), "conv2d_pooled");
  const int64_t items = node.out[0].shape.size();
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (items == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(items)}, p, a[0], a[1], a[2], a[3], a[4],
                   items);
  });
}

// conv2d_input_grad without, conv2d_input_grad_masked with a third input.
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.out[0].shape, node.in[1].shape);
  const bool masked = node.in.size() > 2;
  if (masked && !is_small(p, refusal)) return nullptr;
  auto function = make_function(source_for("conv/conv2d_input_grad.cuh", node, "MASKED", masked),
                                "conv2d_input_grad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.images() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.images())}, p, a[0], a[1],
                   masked ? a[2] : nullptr, a[2 + masked], p.images());
  });
}

const RegisterKernel forward{"conv2d", "direct", reference, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "direct", reference, plan_forward};
const RegisterKernel pooled{"conv2d_bias_pool", "direct", reference, plan_pooled};
const RegisterKernel input_grad{"conv2d_input_grad", "direct", reference, plan_input_grad};
const RegisterKernel masked_grad{"conv2d_input_grad_masked", "direct", reference, plan_input_grad};

}  // namespace
}  // namespace stoker::cuda
