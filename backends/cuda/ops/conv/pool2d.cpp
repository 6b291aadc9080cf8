#include "ops/conv/conv2d_problem.h"

// Pooling of any shape: a thread per result. Gradients are gathered, too, so that overlapping
// windows are summed in a fixed order.
namespace stoker::cuda {
namespace {

// A window that contains only padding has no maximum.
bool windows_see_the_image(const NodeView& node, std::string& refusal) {
  const auto padding = node.integers("padding"), size = node.integers("pool_size");
  for (size_t i = 0; i < padding.size(); ++i)
    if (padding[i] >= size[i / 2])
      refusal = fmt::format("needs padding smaller than the window of {}, got {}", size[i / 2],
                            padding[i]);
  return refusal.empty();
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  if (!windows_see_the_image(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.in[0].shape, node.out[0].shape);
  auto function =
      make_function(conv2d_source("conv/max_pool2d.cuh", node.in[0].dtype), "max_pool2d");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1], a[2],
                   p.outputs());
  });
}

std::unique_ptr<Kernel> plan_average(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.in[0].shape, node.out[0].shape);
  auto function =
      make_function(conv2d_source("conv/average_pool2d.cuh", node.in[0].dtype), "average_pool2d");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1], p.outputs());
  });
}

// max_pool2d_grad with, average_pool2d_grad without a second input.
std::unique_ptr<Kernel> plan_grad(const NodeView& node, std::string& refusal) {
  const bool average = node.in.size() < 2;
  if (!is_one_float_type(node, refusal)) return nullptr;
  if (!average && !windows_see_the_image(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.out[0].shape, node.in[0].shape);
  auto function = make_function(
      conv2d_source("conv/pool2d_grad.cuh", node.in[0].dtype).constant("AVERAGE", average),
      "pool2d_grad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.images() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.images())}, p, a[0], average ? nullptr : a[1],
                   a[average ? 1 : 2], p.images());
  });
}

const RegisterKernel max{"max_pool2d", "plain", reference, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "plain", reference, plan_grad};
const RegisterKernel average{"average_pool2d", "plain", reference, plan_average};
const RegisterKernel average_grad{"average_pool2d_grad", "plain", reference, plan_grad};

}  // namespace
}  // namespace stoker::cuda
