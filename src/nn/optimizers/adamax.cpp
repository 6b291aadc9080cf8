#include "stoker/optimizers/adamax.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(AdamaxArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
  v("epsilon", a.epsilon);
}

namespace {

class AdamaxRule : public nn::OptimizerOf<AdamaxArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      slot(v, "momentum");
      slot(v, "norm");
    }
  }

  Tensor step_size(const Tensor& learning_rate, const Tensor& step) const override {
    const Tensor beta(Array::scalar(static_cast<float>(args_.beta_1)));
    return learning_rate / (1.0 - ops::power(beta, step));
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& step_size) override {
    const Variable m = slot(w, "momentum"), norm = slot(w, "norm");
    m.assign(m + (gradient - m) * (1 - args_.beta_1));
    norm.assign(ops::maximum(args_.beta_2 * norm.read(), ops::abs(gradient)));
    w.assign(w - step_size * m / (norm.read() + args_.epsilon));
  }
};

const nn::RegisterOptimizer<AdamaxArgs> registered{"Adamax", Adamax};

}  // namespace

std::shared_ptr<Optimizer> Adamax(const AdamaxArgs& args) {
  return std::make_shared<AdamaxRule>("Adamax", args);
}

}  // namespace stoker::optimizers
