#include "kernels/depthwise.h"
#include "ops/conv/conv2d_shape.h"

namespace stoker::cpu {
namespace {

bool serves_depthwise(const NodeView& node, const Conv2dShape& shape, std::string& refusal) {
  if (!is_depthwise(shape)) refusal = "takes one filter for each channel";
  return refusal.empty() && serves(node, refusal);
}

// conv2d without, conv2d_bias with a third input.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.in[1].shape);
  if (!serves_depthwise(node, shape, refusal)) return nullptr;
  const bool bias = node.in.size() > 2;
  return make_kernel([shape, bias, activation = activation_of(node)](void* const* a, void*) {
    Epilogue epilogue;
    epilogue.activation = activation;
    if (bias) epilogue.bias = floats(a[2]);
    depthwise_forward(shape, floats(a[0]), floats(a[1]), epilogue, floats(a[2 + bias]));
  });
}

// conv2d_input_grad without, conv2d_input_grad_masked with a third input.
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  const Conv2dShape shape = shape_of(node, node.out[0].shape, node.in[1].shape);
  if (!serves_depthwise(node, shape, refusal)) return nullptr;
  const bool masked = node.in.size() > 2;
  return make_kernel([shape, masked](void* const* a, void*) {
    Epilogue epilogue;
    if (masked) epilogue.mask = floats(a[2]);
    epilogue.mask_ld = shape.in_c;
    depthwise_input_gradient(shape, floats(a[0]), floats(a[1]), epilogue, floats(a[2 + masked]));
  });
}

// With a second output, the bias gradient too.
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.out[0].shape);
  if (!serves_depthwise(node, shape, refusal)) return nullptr;
  const bool bias = node.out.size() > 1;
  return make_kernel(
      [shape, bias](void* const* a, void* workspace) {
        depthwise_weight_gradient(shape, floats(a[0]), floats(a[1]), floats(a[2]),
                                  bias ? floats(a[3]) : nullptr, workspace);
      },
      depthwise_weight_gradient_workspace_bytes(shape));
}

const RegisterKernel forward{"conv2d", "depthwise", specialised, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "depthwise", specialised, plan_forward};
const RegisterKernel input_grad{"conv2d_input_grad", "depthwise", specialised, plan_input_grad};
const RegisterKernel masked_grad{"conv2d_input_grad_masked", "depthwise", specialised,
                                 plan_input_grad};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "depthwise", specialised, plan_kernel_grad};
const RegisterKernel bias_grad{"conv2d_kernel_bias_grad", "depthwise", specialised,
                               plan_kernel_grad};

}  // namespace
}  // namespace stoker::cpu
