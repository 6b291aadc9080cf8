#pragma once
#include <initializer_list>
#include <memory>
#include <vector>

#include "stoker/tensor.h"

namespace stoker {

// Records the ops of a scope and differentiates through them.
//   GradientTape tape;
//   Tensor loss = loss_fn(y, model(x));
//   auto gradients = tape.gradient(loss, model.trainable_variables());
class GradientTape {
 public:
  GradientTape();
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // Stops recording. The gradient is an undefined tensor for sources that the target does not
  // depend on.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources);
  std::vector<Tensor> gradient(const Tensor& target, std::initializer_list<Variable> sources) {
    return gradient(target, std::vector<Variable>(sources));
  }
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources,
                               const Tensor& output_gradient = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
