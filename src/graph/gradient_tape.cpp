#include "stoker/gradient_tape.h"

#include "graph/tape.h"

namespace stoker {

struct GradientTape::Impl {
  graph::Tape tape;
};

GradientTape::GradientTape() : impl_(std::make_unique<Impl>()) {}
GradientTape::~GradientTape() = default;

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const std::vector<Variable>& sources) {
  impl_->tape.stop();
  std::vector<std::shared_ptr<graph::State>> states;
  for (const Variable& variable : sources) states.push_back(variable.state());
  return impl_->tape.gradient(target, states);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, const std::vector<Tensor>& sources,
                                           const Tensor& output_gradient) {
  impl_->tape.stop();
  return impl_->tape.gradient(target, sources, output_gradient);
}

}  // namespace stoker
