#pragma once
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "stoker/tensor.h"

namespace stoker {

// A function of arrays that runs on the host inside a step on any device. Create it once and keep
// it: each new one is compiled again.
class HostFunction {
 public:
  using Function = std::function<std::vector<Array>(const std::vector<Array>&)>;
  // The gradient function gets the inputs, the outputs and the outputs' gradients, in this order,
  // and returns the inputs' gradients. Without one, no gradient flows through the call.
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

// With the given output types. Exceptions of the function are rethrown by the step.
std::vector<Tensor> host_call(const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs, const HostFunction& function);
Tensor host_call(const Tensor& x,
                 const HostFunction& function);  // one output with the input's type

}  // namespace ops
}  // namespace stoker
