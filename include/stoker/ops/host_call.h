#pragma once
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "stoker/tensor.h"

namespace stoker {

// A function of arrays that runs on the host in the middle of a step, wherever the step runs. Make
// it once and keep it: every new one is compiled anew.
class HostFunction {
 public:
  using Function = std::function<std::vector<Array>(const std::vector<Array>&)>;
  // The gradient is given the inputs, the outputs and the outputs' gradients, in this order, and
  // gives the inputs'. Without one, nothing in front of the call learns through it.
  HostFunction(Function function, Function gradient = nullptr);  // NOLINT
  template <class F>
  requires std::is_invocable_r_v < std::vector<Array>,
  const F&, const std::vector<Array>& > HostFunction(F function)
      : HostFunction(Function(std::move(function))) {}  // NOLINT

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

namespace ops {

// Outputs of these types. What the function throws comes out of the step that ran it.
std::vector<Tensor> host_call(const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs, const HostFunction& function);
Tensor host_call(const Tensor& x, const HostFunction& function);  // one output, typed as the input

}  // namespace ops
}  // namespace stoker
