#include "ops/conv/conv2d_shape.h"

namespace stoker::cpu {
namespace {

// conv2d without, conv2d_bias with a third input.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.in[1].shape);
  const bool bias = node.in.size() > 2;
  return make_kernel(
      [shape, bias, activation = activation_of(node)](void* const* arguments, void* workspace) {
        Epilogue epilogue;
        epilogue.activation = activation;
        if (bias) epilogue.bias = floats(arguments[2]);
        conv2d_forward(shape, floats(arguments[0]), floats(arguments[1]), epilogue,
                       floats(arguments[2 + bias]), workspace);
      },
      conv2d_forward_workspace_bytes(shape));
}

// conv2d_input_grad without, conv2d_input_grad_masked with a third input.
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Conv2dShape shape = shape_of(node, node.out[0].shape, node.in[1].shape);
  const bool masked = node.in.size() > 2;
  return make_kernel(
      [shape, masked](void* const* arguments, void* workspace) {
        Epilogue epilogue;
        if (masked) epilogue.mask = floats(arguments[2]);
        epilogue.mask_ld = shape.in_c;
        conv2d_input_gradient(shape, floats(arguments[0]), floats(arguments[1]), epilogue,
                              floats(arguments[2 + masked]), workspace);
      },
      conv2d_input_gradient_workspace_bytes(shape));
}

// With a second output, the bias gradient too.
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.out[0].shape);
  const bool bias = node.out.size() > 1;
  return make_kernel(
      [shape, bias](void* const* arguments, void* workspace) {
        conv2d_weight_gradient(shape, floats(arguments[0]), floats(arguments[1]),
                               floats(arguments[2]), bias ? floats(arguments[3]) : nullptr,
                               workspace);
      },
      conv2d_weight_gradient_workspace_bytes(shape));
}

PoolWindow window_of(const NodeView& node) {
  const auto size = node.integers("pool_size");
  return {size[0], size[1]};
}

std::unique_ptr<Kernel> plan_pooled(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.in[1].shape);
  const PoolWindow pool = window_of(node);
  return make_kernel(
      [shape, pool, activation = activation_of(node)](void* const* arguments, void* workspace) {
        conv2d_pool_forward(shape, pool, floats(arguments[0]), floats(arguments[1]),
                            floats(arguments[2]), activation, floats(arguments[3]),
                            static_cast<uint8_t*>(arguments[4]), workspace);
      },
      conv2d_pool_forward_workspace_bytes(shape, pool));
}

std::unique_ptr<Kernel> plan_pooled_grad(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Conv2dShape shape = shape_of(node, node.in[0].shape, node.out[0].shape);
  const PoolWindow pool = window_of(node);
  const bool bias = node.out.size() > 1;
  return make_kernel(
      [shape, pool, bias](void* const* arguments, void* workspace) {
        conv2d_pool_weight_gradient(shape, pool, floats(arguments[0]), floats(arguments[1]),
                                    static_cast<const uint8_t*>(arguments[2]), floats(arguments[3]),
                                    bias ? floats(arguments[4]) : nullptr, workspace);
      },
      conv2d_pool_weight_gradient_workspace_bytes(shape, pool));
}

const RegisterKernel forward{"conv2d", "runs", optimised, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "runs", optimised, plan_forward};
const RegisterKernel input_grad{"conv2d_input_grad", "runs", optimised, plan_input_grad};
const RegisterKernel masked_grad{"conv2d_input_grad_masked", "runs", optimised, plan_input_grad};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "runs", optimised, plan_kernel_grad};
const RegisterKernel pooled{"conv2d_bias_pool", "runs", optimised, plan_pooled};
const RegisterKernel pooled_grad{"conv2d_kernel_grad_pooled", "runs", optimised, plan_pooled_grad};
const RegisterKernel bias_grad{"conv2d_kernel_bias_grad", "runs", optimised, plan_kernel_grad};
const RegisterKernel pooled_bias_grad{"conv2d_kernel_bias_grad_pooled", "runs", optimised,
                                      plan_pooled_grad};

}  // namespace
}  // namespace stoker::cpu
