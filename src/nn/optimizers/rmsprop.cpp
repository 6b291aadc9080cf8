#include "stoker/optimizers/rmsprop.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(RMSpropArgs& a, V& v) {
  nn::visit_common(a, v);
  v("rho", a.rho);
  v("momentum", a.momentum);
  v("epsilon", a.epsilon);
  v("centered", a.centered);
}

namespace {

class RMSpropRule : public nn::OptimizerOf<RMSpropArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) slot(v, "velocity");
    if (args_.momentum > 0)
      for (const Variable& v : variables) slot(v, "momentum");
    if (args_.centered)
      for (const Variable& v : variables) slot(v, "average_gradient");
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Tensor step = learning_rate * gradient / ops::sqrt(denominator(w, gradient));
    if (args_.momentum <= 0) return w.assign(w - step);
    const Variable momentum = slot(w, "momentum");
    momentum.assign(args_.momentum * momentum.read() + step);
    w.assign(w - momentum);
  }

 private:
  // An exponential moving average in a slot.
  Tensor average(const Variable& w, const char* name, const Tensor& value) {
    const Variable kept = slot(w, name);
    kept.assign(args_.rho * kept.read() + (1 - args_.rho) * value);
    return kept;
  }

  Tensor denominator(const Variable& w, const Tensor& gradient) {
    const Tensor velocity = average(w, "velocity", ops::square(gradient));
    if (!args_.centered) return velocity + args_.epsilon;
    return velocity - ops::square(average(w, "average_gradient", gradient)) + args_.epsilon;
  }
};

const nn::RegisterOptimizer<RMSpropArgs> registered{"RMSprop", RMSprop, {"rmsprop"}};

}  // namespace

std::shared_ptr<Optimizer> RMSprop(const RMSpropArgs& args) {
  return std::make_shared<RMSpropRule>("RMSprop", args);
}

}  // namespace stoker::optimizers
